"""An export moves from SQLite to DynamoDB and back without a difference, and each of its objects is whole."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.parallel import ThreadedMap
from stratabase.core.store.engine.port import Batch, DeleteItem, Engine, Item, Key, Put
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.core.store.staged_snapshot import staged_snapshot
from stratabase.transfer.export import Export, prepared_folder
from tests.contract.engine.dynamodb import over_ministack
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.in_memory_blobs import InMemoryBlobs
from tests.soak import count, seed
from tests.transfer.random_histories import COMPANY, fill
from tests.transfer.stores import Store, check_same_items, files_of, import_from


def export_staged(engine: Engine, blobs: InMemoryBlobs, folder: Path) -> Path:
    """Export a remote store to a folder, and return it."""
    with prepared_folder(folder):
        export = Export(folder, COMPANY, "# the model")
        with staged_snapshot(engine, folder) as snapshot:
            export.write_objects(snapshot)
        export.write_files(blobs)
        export.finish()
    return folder


@pytest.mark.soak
def test_a_store_moves_to_dynamodb_and_back(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    source, target, blobs = open_store("source"), open_store("target"), InMemoryBlobs()
    fill(source, COMPANY, Random(seed()), count(60, 20_000))
    first = source.export(tmp_path / "first", COMPANY)

    with closing(over_ministack()) as remote:
        import_from(first, COMPANY, remote, blobs, ThreadedMap(4))
        second = export_staged(remote, blobs, tmp_path / "second")
        check_same_items(remote, source.engine)
    import_from(second, COMPANY, target.engine, target.blobs)

    assert files_of(second) == files_of(first)
    assert files_of(target.export(tmp_path / "third", COMPANY)) == files_of(first)
    check_same_items(target.engine, source.engine)


class PartialScan(DelegatingEngine):
    """An engine whose scan shows a head before the version that the same commit has closed."""

    def __init__(self, engine: Engine, hidden: Key) -> None:
        super().__init__(engine)
        self._hidden = hidden

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        for page in super().scan(after):
            yield [item for item in page if item.key != self._hidden]


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_object_that_a_scan_shows_in_parts_is_read_again(
    open_store: Callable[[str], Store], tmp_path: Path, *, is_deleted: bool
) -> None:
    store = open_store("source")
    objects = VersionedObjects(Repository(store.engine, COMPANY))
    start = objects.create("Employee", "a", name="a")
    if is_deleted:
        objects.delete("Employee", "a")
    else:
        objects.update("Employee", "a", name="b")
    hidden = keys.version(Reference("Employee", "a"), start)

    with staged_snapshot(PartialScan(store.engine, hidden), tmp_path) as snapshot:
        assert [item.key.sort for item in chain.from_iterable(snapshot.scan())] == [hidden.sort, keys.HEAD]


def test_a_history_that_lacks_a_version_for_good_is_exported(
    open_store: Callable[[str], Store], tmp_path: Path
) -> None:
    store = open_store("source")
    objects = VersionedObjects(Repository(store.engine, COMPANY))
    start = objects.create("Team", "t", name="T")
    objects.update("Team", "t", name="U")
    lost = keys.version(objects.get("Team", "t").reference, start)
    store.engine.commit(Batch("lose", (DeleteItem(lost), Put(Item(keys.checkpoint("x"))))))

    with staged_snapshot(store.engine, tmp_path) as snapshot:
        assert [item.key.sort for item in chain.from_iterable(snapshot.scan())] == [keys.HEAD]
