"""Objects release their files, also when the model has changed since."""

from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import ADA, FileScenario, file_id_of
from tests.core.operations.files.stored_files import check_nothing_is_left
from tests.in_memory_blobs import InMemoryBlobs
from tests.rows import each_row

PICTURE = "title: String picture: File"


def model_of(attributes: str, *, versioned: bool = False) -> Model:
    """Return a model with one class."""
    directive = "@class(versioned: true)" if versioned else ""
    schema = 'extend schema @application(name: "Files") @profile(name: "Administrator", administrator: true)'
    return read_model(f"{schema} type Photo {directive} {{ {attributes} }}", "files.graphql")


class ChangingService:
    """A service whose model changes, over the same stores."""

    def __init__(self, attributes: str = PICTURE, *, versioned: bool = False) -> None:
        self.engine, self.blobs = ReferenceEngine(), InMemoryBlobs()
        self.now = FileScenario(self.engine, self.blobs, model_of(attributes, versioned=versioned))

    def change(self, attributes: str = PICTURE, *, versioned: bool = False) -> FileScenario:
        """Start the service again, with another model."""
        before, model = self.now, model_of(attributes, versioned=versioned)
        self.now = FileScenario(self.engine, self.blobs, model)
        self.now.clock.instant, self.now.contents = before.clock.instant + 1000, before.contents
        return self.now

    def created(self, content: bytes = b"one") -> Entity:
        """Create a photo with a file."""
        return self.now.create(caller=ADA, picture=self.now.upload(content, caller=ADA))

    def has_bytes(self, entity: Entity) -> bool:
        """Return whether the bytes of an object's file are there."""
        return self.blobs.size(file_key(file_id_of(entity))) is not None


@each_row("attributes", ["title: String", "picture: String", "picture: Int", "other: File"])
def test_deleting_an_object_releases_the_files_of_attributes_that_the_model_has_no_more(
    attributes: str,
) -> None:
    service = ChangingService()
    photo = service.created()

    scenario = service.change(attributes)
    scenario.delete(photo.reference, ADA)

    check_nothing_is_left(scenario)
    assert service.blobs.stored == {}


@each_row("attributes", ["title: String", "title: String picture: String"])
def test_an_attribute_that_comes_back_has_its_file_or_its_file_is_released(attributes: str) -> None:
    service = ChangingService()
    photo = service.created()

    service.change(attributes).update(photo.reference, ADA, title="changed")
    scenario = service.change()

    check_nothing_is_left(scenario)
    (after,) = scenario.services.entities.read([photo.reference])
    assert after is not None
    assert service.has_bytes(photo) == (after.state.get("picture") is not None)


def test_overwriting_a_file_of_an_attribute_that_has_another_type_now_releases_it() -> None:
    service = ChangingService()
    photo = service.created()

    scenario = service.change("picture: String")
    scenario.update(photo.reference, ADA, picture="text")

    check_nothing_is_left(scenario)
    assert service.blobs.stored == {}


def test_versions_keep_their_files_when_their_class_is_no_longer_versioned() -> None:
    service = ChangingService(versioned=True)
    first = service.created(b"one")
    second = service.change(versioned=True).update(
        first.reference, ADA, picture=service.now.upload(b"two", caller=ADA)
    )

    scenario = service.change()
    scenario.update(first.reference, ADA, picture=scenario.upload(b"three", caller=ADA))
    scenario.clock.instant += 10_000_000
    scenario.sweep()

    assert service.has_bytes(second)
    scenario = service.change(versioned=True)
    assert first.start is not None
    assert scenario.download(first.reference, "picture", first.start, ADA) == b"one"
    assert scenario.download(first.reference, "picture", caller=ADA) == b"three"


def test_an_object_releases_the_file_that_no_version_has_when_its_class_is_no_longer_versioned() -> None:
    service = ChangingService(versioned=True)
    photo = service.created()

    scenario = service.change()
    replaced = scenario.update(photo.reference, ADA, picture=scenario.upload(b"two", caller=ADA))

    check_nothing_is_left(scenario)
    assert set(service.blobs.stored) == {file_key(file_id_of(replaced))}
    scenario.delete(photo.reference, ADA)
    check_nothing_is_left(scenario)
    assert service.blobs.stored == {}


def test_an_object_of_a_class_that_becomes_versioned_keeps_its_files_from_then_on() -> None:
    service = ChangingService()
    photo = service.created(b"one")
    service.change().update(photo.reference, ADA, picture=service.now.upload(b"two", caller=ADA))

    scenario = service.change(versioned=True)
    third = scenario.update(photo.reference, ADA, picture=scenario.upload(b"three", caller=ADA))
    scenario.delete(photo.reference, ADA)

    check_nothing_is_left(scenario, [photo.reference])
    assert set(service.blobs.stored.values()) == {b"two", b"three"}
    assert third.start is not None
    assert scenario.download(photo.reference, "picture", third.start, ADA) == b"three"
