"""Rewrites stored items in place: many in one commit, under expectations, and from a checkpoint on.

`stratabase model drop`, `stratabase model convert` and `stratabase reindex` use it. Such a task makes no
version, changes no platform attribute, and passes locks. A plan says which actions an item needs, as it was
read. Each of these expects that its item has not changed. If a concurrent write changes it, the item is read
and planned again. So what a plan says is never written over a write that it has not seen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.attribute import read_unknown
from stratabase.core.store.engine.actions import is_committed, new_commit_id, update_items
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    Action,
    Batch,
    DeleteItem,
    Engine,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.write.commit import fits_in_one_commit

_WORK = "rewrite"
PlanItem = Callable[[Item], Sequence[Action]]
"""Returns the actions that an item needs, none if it is right."""


class ItemRewriter:
    """Commits the actions that a plan returns for items."""

    def __init__(
        self,
        engine: Engine,
        plan: PlanItem,
        parallel_map: ParallelMap,
        *,
        local: bool,
        changed: Callable[[], None],
    ) -> None:
        """`local`: the engine commits many items as fast as one. If not, `parallel_map` commits each alone.

        `changed` is called before an item is planned again.
        """
        self._engine = engine
        self._plan = plan
        self._parallel_map = parallel_map
        self._local = local
        self._changed = changed

    def rewrite(self, items: Sequence[Item]) -> int:
        """Rewrite items as they were read; return the number of those that needed it. Raises Unavailable."""
        if self._local:
            return self._rewrite(items)
        return sum(self._parallel_map(lambda item: self._rewrite([item]), items))

    def _rewrite(self, items: Iterable[Item]) -> int:
        return rewrite_items(self._engine, items, self._plan, self._changed)


def rewrite_items(
    engine: Engine, items: Iterable[Item], plan: PlanItem, changed: Callable[[], None] = lambda: None
) -> int:
    """Rewrite items as they were read, many in one commit; return the number of those that needed it.

    If an item has changed, those of its commit are rewritten alone, as they are then. `changed` is called
    before an item is planned again. Raises Unavailable.
    """
    planned = [(item, actions) for item in items if (actions := plan(item))]
    for group in _groups(planned):
        together = tuple(action for _, actions in group for action in actions)
        if not is_committed(engine, Batch(_new_commit_id(), together)):
            for item, _ in group:
                update_items(engine, _WORK, partial(_plan_again, engine, item.key, plan, changed))
    return len(planned)


def _plan_again(
    engine: Engine, key: Key, plan: PlanItem, changed: Callable[[], None]
) -> tuple[None, Sequence[Action]]:
    changed()
    (found,) = engine.get([key])
    return None, plan(found) if found is not None else ()


def _groups(
    planned: Iterable[tuple[Item, Sequence[Action]]],
) -> Iterator[list[tuple[Item, Sequence[Action]]]]:
    """Yield groups of planned items whose actions fit in one commit: few enough, and no two on one key."""
    group: list[tuple[Item, Sequence[Action]]] = []
    used: set[object] = set()
    for item, actions in planned:
        wanted = {action.key for action in actions}
        if group and (len(used) + len(wanted) > MAX_ACTIONS or used & wanted):
            yield group
            group, used = [], set()
        group.append((item, actions))
        used |= wanted
    if group:
        yield group


def stored_values(item: Item) -> dict[str, Any]:
    """Return the state of a head or version as it is stored, with nulls and without `_id`."""
    values: dict[str, Any] = orjson.loads(item.state or "{}")
    return values


def state_patch(
    item: Item,
    values: Mapping[str, Any],
    paths: Sequence[AccessPath] = (),
    remove: frozenset[str] = frozenset(),
) -> Patch:
    """Return the action that gives a head or version another state, and a head its right index positions.

    It appends a commit id. So a concurrent write that has read the item before fails. `paths`: all indexes of
    the class, with its listing, for a head. `remove`: attributes of the item to remove.
    """
    named = codec.append_commit_id(codec.commit_ids(item), _new_commit_id())
    return Patch(
        item.key,
        object_items.expect_as_read(item),
        set={codec.COMMIT_IDS: named} if codec.commit_ids(item) else {},
        remove=remove,
        state=orjson.dumps(values).decode(),
        places=wrong_places(item, values, paths) if item.key.sort == keys.HEAD else {},
    )


def wrong_places(
    item: Item, values: Mapping[str, Any], paths: Sequence[AccessPath]
) -> dict[str, IndexKey | None]:
    """Return the index positions of a head to correct: None for one in an index that no longer exists.

    Such a position may still contain a value that the state had at that time.
    """
    reference = keys.reference_of(item.key)
    right = object_items.index_places(Entity(reference, read_unknown({**values})), paths)
    stale = {name: None for name in item.places if name not in right}
    return {**stale, **{name: place for name, place in right.items() if item.places.get(name) != place}}


def commit_all(engine: Engine, work: str, actions: Iterable[Action]) -> None:
    """Commit actions that expect nothing, as many at once as fit in one commit. Raises Unavailable.

    `work` names the task in the ids of the commits.
    """
    batch: list[Action] = []
    for action in actions:
        if batch and not fits_in_one_commit([*batch, action]):
            engine.commit(Batch(new_commit_id(work), tuple(batch)))
            batch = []
        batch.append(action)
    if batch:
        engine.commit(Batch(new_commit_id(work), tuple(batch)))


class Checkpoint:
    """The stored progress of a long task, which survives the end of the process."""

    def __init__(self, engine: Engine, work: str) -> None:
        """`work`: a name that identifies the task."""
        self._engine = engine
        self._key = keys.checkpoint(work)

    def load(self) -> dict[str, Any]:
        """Return the progress, an empty mapping if the task is not under way."""
        (found,) = self._engine.get([self._key])
        progress: dict[str, Any] = orjson.loads((found and found.state) or "{}")
        return progress

    def save(self, progress: Mapping[str, Any]) -> None:
        """Store the progress. Raises Unavailable."""
        self._commit(Put(Item(self._key, state=orjson.dumps(progress).decode())))

    def clear(self) -> None:
        """Remove the progress, because the task is done. Raises Unavailable."""
        self._commit(DeleteItem(self._key))

    def _commit(self, action: Action) -> None:
        self._engine.commit(Batch(_new_commit_id(), (action,)))


def _new_commit_id() -> str:
    return new_commit_id(_WORK)


MAX_SCANS = 6
"""The maximum number of scans of one task."""
_ITEMS_PER_SAVED_SCAN = 5_000
"""The number of items after which the position of a scan is stored, if nothing was rewritten before."""


class RepeatedScan:
    """Rewrites all items of a store, in scans that are repeated until one finds nothing to rewrite.

    A write that was under way can put a value behind the position of a scan. Each page is a checkpoint, so a
    task that was stopped continues where it was.
    """

    def __init__(self, engine: Engine, checkpoint: Checkpoint, rewriter: ItemRewriter) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._rewriter = rewriter

    @staticmethod
    def first() -> dict[str, Any]:
        """Return the progress of a task that begins. `rewritten`: the number of items so far."""
        return {"scan": 1, "after": None, "found": 0, "rewritten": 0}

    @staticmethod
    def resumed(progress: Mapping[str, Any]) -> dict[str, Any]:
        """Return the progress of a stopped run. Its scan proves nothing, because it was interrupted."""
        rewritten = progress.get("rewritten", progress.get("erased"))  # an earlier version wrote the latter
        return {**progress, "scan": 1, "found": max(1, progress["found"]), "rewritten": rewritten}

    @staticmethod
    def is_clean(progress: Mapping[str, Any]) -> bool:
        """Return whether the last scan found nothing, so that the task was not given up."""
        return bool(progress["scan"] <= MAX_SCANS)

    def steps(self, progress: dict[str, Any]) -> Iterator[int]:
        """Scan until nothing is found, or MAX_SCANS times. Yield the number of items of each page.

        `progress` is changed, and stored with all else that the caller puts into it. Raises Unavailable.
        """
        while progress["scan"] <= MAX_SCANS:
            yield from self._scan(progress)
            if not progress["found"]:
                return
            progress |= {"scan": progress["scan"] + 1, "after": None, "found": 0}
            self._checkpoint.save(progress)

    def _scan(self, progress: dict[str, Any]) -> Iterator[int]:
        """Scan from the position in `progress` to the end."""
        after = Key(*progress["after"]) if progress["after"] else None
        unsaved = 0
        for page in self._engine.scan(after):
            changed = self._rewriter.rewrite(page)
            unsaved += len(page)
            progress["after"] = list(page[-1].key)
            progress["found"] += changed
            progress["rewritten"] += changed
            if changed or unsaved >= _ITEMS_PER_SAVED_SCAN:
                self._checkpoint.save(progress)
                unsaved = 0
            yield len(page)


_ITEMS_PER_CHECKPOINT = 2000


def convert_items(
    engine: Engine,
    layout: int,
    plan: PlanItem,
    report: Callable[[int], None],
    *,
    parallel_map: ParallelMap = sequential_map,
) -> None:
    """Commit what `plan` returns for each item of the store, which must be nothing for a converted item.

    The actions of a plan must expect the item as it was read (see `rewrite`). `report` takes the numbers of
    converted items. A call after a crash continues with the page in which the last one stopped. Raises
    Unavailable.
    """
    checkpoint = Checkpoint(engine, f"layout {layout}")
    rewriter = ItemRewriter(engine, plan, parallel_map, local=False, changed=lambda: None)
    position = checkpoint.load().get("after")
    unsaved = 0
    for page in engine.scan(None if position is None else Key(*position)):
        report(rewriter.rewrite(page))
        unsaved += len(page)
        if unsaved >= _ITEMS_PER_CHECKPOINT:
            checkpoint.save({"after": list(page[-1].key)})
            unsaved = 0
    checkpoint.clear()
