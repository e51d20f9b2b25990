"""Files that were uploaded or bound before a class and its attributes were renamed."""

import pytest

from stratabase.core.domain.issues.refusals import FileNotFound
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model.reading import read_model
from stratabase.core.operations.files.attributes import find_attribute
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import ADA, FileScenario
from tests.fakes import ADMINISTRATOR
from tests.in_memory_blobs import InMemoryBlobs

HEAD = 'extend schema @application(name: "Files")\n'
OLD = read_model(
    HEAD
    + "type Photo @class(versioned: true) { picture: File thumbnail: File }  type Note { picture: File }",
    "old",
)
NEW = read_model(
    HEAD
    + """
    type Image @renamed(from: "Photo") @class(versioned: true) {
      original: File @renamed(from: "picture")
      small: File @renamed(from: "thumbnail")
    }
    type Note { picture: File }
    """,
    "new",
)
SWAPPED = read_model(
    HEAD
    + """
    type Photo @class(versioned: true) {
      picture: File @renamed(from: "thumbnail")
      thumbnail: File @renamed(from: "picture")
    }
    """,
    "swapped",
)


def both() -> tuple[FileScenario, FileScenario]:
    """Return one store as served under the old model, and as served under the new one."""
    engine, blobs = ReferenceEngine(), InMemoryBlobs()
    return FileScenario(engine, blobs, OLD), FileScenario(engine, blobs, NEW)


def test_a_file_from_before_is_found_under_old_and_new_names_in_any_case() -> None:
    before, after = both()
    reference = before.create(caller=ADA, picture=before.upload(b"one", caller=ADA)).reference
    for class_name, attribute in (("Image", "original"), ("photo", "PICTURE"), ("image", "picture")):
        assert after.download(Reference(class_name, reference.id), attribute, caller=ADA) == b"one"
    with pytest.raises(FileNotFound, match="Image has no file attribute"):
        after.download(Reference("Photo", reference.id), "poster", caller=ADA)


def test_a_version_from_before_has_its_file() -> None:
    before, after = both()
    entity = before.create(caller=ADA, picture=before.upload(b"one", caller=ADA))
    after.clock.instant = before.clock.instant + 1000
    renamed = Reference("Image", entity.reference.id)
    after.update(renamed, ADA, original=after.upload(b"two", "original", "Image", caller=ADA))
    assert after.download(renamed, "original", caller=ADA) == b"two"
    assert after.download(Reference("photo", renamed.id), "picture", entity.start, caller=ADA) == b"one"


def test_an_upload_from_before_is_taken_and_one_from_after_by_the_old_model() -> None:
    before, after = both()
    pending = before.upload(b"one", caller=ADA)
    assert after.ledger.pending([pending.id])[0] == pending._replace(
        target=pending.target._replace(class_name="Image", attribute="original")
    )
    assert after.download_pending(pending, caller=ADA) == b"one"
    created = after.create("Image", ADA, original=pending)
    assert after.download(created.reference, "original", caller=ADA) == b"one"
    later = after.upload(b"two", "small", "Image", caller=ADA)
    other = before.create(caller=ADA, thumbnail=later)
    assert before.download(other.reference, "thumbnail", caller=ADA) == b"two"


def test_the_present_name_wins_where_names_were_swapped() -> None:
    assert find_attribute(SWAPPED, ADMINISTRATOR, "photo", "picture")[1].renamed_from == "thumbnail"
    assert find_attribute(SWAPPED, ADMINISTRATOR, "photo", "thumbnail")[1].renamed_from == "picture"
    assert find_attribute(NEW, ADMINISTRATOR, "note", "picture")[0].name == "Note"
