"""Heads, versions and tombstones in every store say who wrote them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Deletion
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.version import Author
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import ITEMS, Batch, Bounds, Engine, Item, Patch
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.engines import KINDS
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.renamed_models import renamed
from tests.soak import mostly

ADA = Reference("Employee", "ada")
_ALL = Bounds(keys.VERSIONS, keys.HEAD)


class Store:
    """An engine, and objects in it that different members write."""

    def __init__(self, engine: Engine, model: Model = COMPANY) -> None:
        self.engine = engine
        self.objects = VersionedObjects(open_repository(engine, model))

    def write(self, member: str, commit: str, *effects: Any) -> None:
        """Commit effects as one change of a member."""
        self.objects.member = member
        self.objects.commit(*effects, commit_id=commit)

    def history(self, reference: Reference = ADA) -> list[Item]:
        """Return the closed versions of an object, and its head or tombstone."""
        pages = self.engine.range(ITEMS, keys.head(reference).partition, _ALL)
        return [item for page in pages for item in page]

    def authors(self, reference: Reference = ADA) -> list[Author | None]:
        """Return who began each version of an object, and who deleted it."""
        return [_author(item) for item in self.history(reference)]


def _author(item: Item) -> Author | None:
    if (gone := object_items.read_tombstone(item)) is not None:
        return gone.author
    start: Any = item.attributes.get(object_items.START, item.attributes.get("versionStart"))
    return codec.recorded_author(item.attributes, start)


@pytest.fixture(params=mostly([kind.name for kind in KINDS], "dynamodb-moto", "metered"))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    (kind,) = (kind for kind in KINDS if kind.name == request.param)
    engine = kind.open(tmp_path)
    yield Store(engine)
    engine.close()


def test_each_version_has_the_author_who_began_it(store: Store) -> None:
    objects = store.objects
    store.write("eva", "c1", objects.creation("Employee", "ada", name="Ada"))
    store.write("ida", "c2", objects.updating("Employee", "ada", name="Adele"))
    assert store.authors() == [Author("eva", "token", "c1"), Author("ida", "token", "c2")]

    store.write("zoe", "c3", objects.deletion("Employee", "ada"))
    store.write("eva", "c4", objects.restoration("Employee", "ada", name="Ada"))
    assert [each and each.commit_id for each in store.authors()] == ["c1", "c2", "c4"]


def test_versions_of_renamed_classes_have_their_authors(store: Store) -> None:
    model = renamed(COMPANY)
    renamed_store = Store(store.engine, model)
    objects, stored = renamed_store.objects, Reference(model.classes["Employee"].stored_name, "ada")
    renamed_store.write("eva", "c1", objects.creation("Employee", "ada", name="Ada"))
    renamed_store.write("ida", "c2", objects.updating("Employee", "ada", name="Adele"))
    assert renamed_store.authors(stored) == [Author("eva", "token", "c1"), Author("ida", "token", "c2")]


def test_a_tombstone_has_the_author_of_the_deletion(store: Store) -> None:
    objects = store.objects
    store.write("eva", "c1", objects.creation("Employee", "ada", name="Ada"))
    store.write("ida", "c2", objects.deletion("Employee", "ada"))
    (gone,) = objects.entities.tombstones([ADA])
    assert gone is not None
    assert gone.author == Author("ida", "token", "c2")


def test_objects_of_unversioned_classes_have_an_author(store: Store) -> None:
    objects, lamp = store.objects, Reference("Lamp", "l1")
    store.write("eva", "c1", objects.creation("Lamp", "l1", name="Lamp"))
    store.write("ida", "c2", objects.updating("Lamp", "l1", name="Light"))
    assert store.authors(lamp) == [Author("ida", "token", "c2")]


def test_a_new_reference_leaves_the_author_of_its_target(store: Store) -> None:
    objects = store.objects
    store.write("eva", "c1", objects.creation("Team", "t1", name="Team"))
    store.write("ida", "c2", objects.creation("Employee", "ada", name="Ada", team="t1"))
    assert store.authors(Reference("Team", "t1")) == [Author("eva", "token", "c1")]


def test_an_author_whom_an_earlier_version_of_the_service_has_left_does_not_count(store: Store) -> None:
    """It updates the state and the start of a head, and keeps attributes that it doesn't know."""
    objects = store.objects
    store.write("eva", "c1", objects.creation("Employee", "ada", name="Ada"))
    (head,) = store.history()
    start: Any = head.attributes[codec.VERSION_START_ATTRIBUTE]
    later = {
        codec.VERSION_START_ATTRIBUTE: start + 5,
        codec.COMMIT_IDS: codec.append_commit_id(["c1"], "old"),
    }
    store.engine.commit(Batch("old", (Patch(head.key, set=later, state='{"name":"Adele"}'),)))
    assert store.authors() == [None]

    store.write("ida", "c2", objects.updating("Employee", "ada", name="Ada"))
    assert store.authors() == [None, Author("ida", "token", "c2")]


def test_parts_that_cleanup_deletes_have_the_author_of_the_deletion(store: Store) -> None:
    objects = store.objects
    parts = [f"a{number:03d}" for number in range(150)]
    store.write("eva", "c1", objects.creation("Employee", "ada", name="Ada", addresses=parts[:60]))
    whole = objects.get("Employee", "ada")
    store.write("eva", "c2", *(objects.creation("Address", each, employee="ada") for each in parts[:60]))
    more = [*(objects.creation("Address", each, employee="ada") for each in parts[60:])]
    changed = replace(whole, state={**whole.state, "addresses": parts})
    store.write("eva", "c3", replace(objects.updating("Employee", "ada"), after=changed), *more)

    deleted = [objects.deletion("Address", each) for each in parts]
    store.write("ida", "c4", Deletion(objects.get("Employee", "ada")), *deleted)

    gone = objects.entities.tombstones([Reference("Address", each) for each in parts])
    assert {each and each.author for each in gone} == {Author("ida", "token", "c4")}
