"""A snapshot of a remote store: a copy of its items in a temporary file, in which each object is whole.

A scan of a remote store takes long, and writes go on meanwhile. So its items are from different moments: an
object may have been read before a write, and the object to which it leads after it. But the items of one
object must fit together. Each entry of an object's history has the start of the entry before it. If one is
missing, the object is read again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.actions import new_commit_id
from stratabase.core.store.engine.port import ITEMS, MAX_ACTIONS, Action, Batch, DeleteItem, Engine, Item, Put
from stratabase.core.store.engine.snapshot import ItemSnapshot
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.read.history import ReadRetry
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.snapshot import open_snapshot

_FILE = "items.db"


@contextmanager
def staged_snapshot(
    engine: Engine, folder: Path, report: Callable[[int], None] = lambda _: None
) -> Iterator[ItemSnapshot]:
    """Yield a copy of the items of objects, their counters and ledgers. It is removed in the end.

    `folder`: where the copy is made, which needs room for all items. `report`: takes the numbers of copied
    objects. Raises Unavailable.
    """
    with TemporaryDirectory(dir=folder, prefix=".items-") as temporary:
        file = Path(temporary) / _FILE
        with closing(SqliteEngine(file)) as staging:
            for page in engine.scan():
                wanted = [item for item in page if _is_exported(item)]
                _commit(staging, [Put(Item(item.key, item.attributes, item.state)) for item in wanted])
                report(sum(item.key.sort == keys.HEAD for item in wanted))
            _read_torn_objects_again(engine, staging)
            with open_snapshot(file, 1) as snapshot:
                yield snapshot


def _is_exported(item: Item) -> bool:
    key = item.key
    return keys.is_in_object(key) or keys.is_ledger(key) or keys.serial_of(key) is not None


def _read_torn_objects_again(engine: Engine, staging: Engine) -> None:
    """Replace the items of objects whose history lacks an entry. Raises Unavailable."""
    all_items = chain.from_iterable(staging.scan())
    for partition, group in groupby(all_items, lambda item: item.key.partition):
        items = list(group)
        if not is_whole(items):
            _replace(staging, partition, _read_again(engine, partition))


def _read_again(engine: Engine, partition: str) -> Sequence[Item]:
    """Read the items of an object until they are whole. Raises Unavailable.

    A history that lacks the same entry twice lacks it for good, such as one of an early version.
    """
    retry, before = ReadRetry(), None
    while True:
        items = list(chain.from_iterable(engine.range(ITEMS, partition)))
        if is_whole(items) or items == before:
            return items
        before = items
        retry.wait()


def is_whole(items: Sequence[Item]) -> bool:
    """Return whether the history of an object lacks no entry. `items`: in the order of their sort keys."""
    history = [item for item in items if item.key.sort.startswith(keys.VERSIONS)]
    last: Instant | None = None
    for item in history:
        if codec.previous_start(item) != last and (last is not None or item.key.sort == keys.HEAD):
            return False
        start = item.attributes.get(object_items.START)
        last = start if isinstance(start, int) else None
    return not history or history[-1].key.sort == keys.HEAD


def _replace(staging: Engine, partition: str, items: Sequence[Item]) -> None:
    found = chain.from_iterable(staging.range(ITEMS, partition))
    kept = {item.key for item in items}
    gone: list[Action] = [DeleteItem(item.key) for item in found if item.key not in kept]
    _commit(staging, [*gone, *(Put(Item(item.key, item.attributes, item.state)) for item in items)])


def _commit(staging: Engine, actions: Sequence[Action]) -> None:
    for at in range(0, len(actions), MAX_ACTIONS):
        staging.commit(Batch(new_commit_id("stage"), tuple(actions[at : at + MAX_ACTIONS])))
