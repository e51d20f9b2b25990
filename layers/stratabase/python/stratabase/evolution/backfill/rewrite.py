"""Rewrites stored items in place: many in one commit, under expectations, and from a checkpoint on.

`stratabase model drop` and `stratabase model convert` use it. Such a task makes no version, changes no
platform attribute, and passes locks. A plan says which actions an item needs, as it was read. Each of these
expects that its item has not changed. If a concurrent write changes it, the item is read and planned again.
So what a plan says is never written over a write that it has not seen.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.stored_values import read_unknown
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    Action,
    Batch,
    DeleteItem,
    Engine,
    ExpectationFailed,
    IndexKey,
    Item,
    OutcomeUnknown,
    Patch,
    Put,
)
from stratabase.core.store.layout import codec, heads, keys
from stratabase.core.store.layout.access_path import AccessPath

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
        if not self._local:
            return sum(self._parallel_map(self._rewrite_one, items))
        planned = [(item, actions) for item in items if (actions := self._plan(item))]
        for group in _groups(planned):
            if not self._commits([action for _, actions in group for action in actions]):
                self._changed()
                for item, _ in group:
                    self._rewrite_again(item)
        return len(planned)

    def _rewrite_one(self, item: Item) -> bool:
        actions = self._plan(item)
        if actions and not self._commits(actions):
            self._changed()
            self._rewrite_again(item)
        return bool(actions)

    def _rewrite_again(self, item: Item) -> None:
        """Rewrite an item as it is now."""
        while True:
            (found,) = self._engine.get([item.key])
            actions = self._plan(found) if found is not None else ()
            if not actions or self._commits(actions):
                return
            self._changed()

    def _commits(self, actions: Sequence[Action]) -> bool:
        """Commit actions; return False if an item is not as it was read."""
        try:
            self._engine.commit(Batch(_new_commit_id(), tuple(actions)))
        except (ExpectationFailed, OutcomeUnknown):
            return False
        return True


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
        heads.expect_as_read(item),
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
    right = heads.index_places(Entity(reference, read_unknown({**values})), paths)
    stale = {name: None for name in item.places if name not in right}
    return {**stale, **{name: place for name, place in right.items() if item.places.get(name) != place}}


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
    return f"rewrite{secrets.token_hex(12)}"
