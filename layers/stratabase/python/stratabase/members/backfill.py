"""Adds member ids to the member names in objects that older versions of the service wrote without ids.

This is done once for each class; an item in the store lists the finished classes. Before that, a name without
an id refers to the member with this name, if the member is older than the name (model/member_names). The
backfill uses the same rule. It marks a name that refers to no current member, so that it does not refer to
somebody who takes the name later.

Each object and each closed version is changed on the condition that it is as it was read. Names that have ids
are not changed. So the backfill can be stopped and restarted, and several can run at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

import orjson

from stratabase.core.model.member_names import (
    MEMBER_IDS,
    NAMING_ATTRIBUTES,
    NOBODY,
    could_mean,
    member_id,
    with_ids,
    written_at,
)
from stratabase.core.model.model import Model, PlatformAttribute
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    ITEMS,
    NO_EXPECTATION,
    Batch,
    Bounds,
    Engine,
    Item,
    Key,
    Patch,
)
from stratabase.core.store.indexes.listing import count_objects, listed_objects
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.object_items import expect_as_read, live_head
from stratabase.members.member import Member, fold_name
from stratabase.values.wording import pluralize

_BATCH_SIZE = 50
_LAST_MODIFIED_BY = PlatformAttribute.LAST_MODIFIED_BY.value
T = TypeVar("T")
ReportProgress = Callable[[int], None]
"""Takes the number of objects that were processed since the last call."""


@dataclass(slots=True)
class MemberBackfillOutcome:
    """The results for the names in the objects of a class, without those in closed versions."""

    objects: int = 0
    """The number of processed objects."""
    known: int = 0
    """The number of names that now have the id of a member."""
    younger: int = 0
    """The number of names that refer to nobody, because the member with this name is newer than the name."""
    unknown: int = 0
    """The number of names that refer to nobody, because no member has this name."""


class MemberBackfill:
    """The backfill of member ids in the objects of a model."""

    def __init__(self, engine: Engine, model: Model) -> None:
        self._engine = engine
        self._model = model

    def count_objects(self, class_name: str) -> int:
        """Return the number of stored objects of a class."""
        return count_objects(self._engine, self._model.classes[class_name].stored_name)

    def classes(self) -> tuple[str, ...]:
        """Return the names of the classes that record members."""
        stored = (class_ for class_ in self._model.classes.values() if class_.is_stored)
        return tuple(each.name for each in stored if not NAMING_ATTRIBUTES.keys().isdisjoint(each.attributes))

    def pending(self) -> tuple[str, ...]:
        """Return the names of the classes that are not finished."""
        (marks,) = self._engine.get([keys.MEMBER_ID_BACKFILL])
        done = marks.attributes if marks else {}
        return tuple(name for name in self.classes() if self._done_attribute(name) not in done)

    def run(
        self, class_name: str, members: Iterable[Member], report: ReportProgress = lambda _: None
    ) -> MemberBackfillOutcome:
        """Add ids to the names in all objects of a class. Raises Unavailable.

        `members`: all current members.
        """
        by_name = {fold_name(member.username): member.id for member in members}
        outcome = MemberBackfillOutcome()
        stored_name = self._model.classes[class_name].stored_name
        listed = chain.from_iterable(listed_objects(self._engine, stored_name))
        for batch in _in_batches(listed):
            found = self._heads([item.key for item in batch])
            for head in found:
                # Versions first: if the process stops in between, the next run finds the object unfinished.
                self._complete_versions(head, by_name)
            self._complete(found, by_name, outcome)
            outcome.objects += len(found)
            report(len(found))
        self._engine.commit(
            _batch(
                [Patch(keys.MEMBER_ID_BACKFILL, NO_EXPECTATION, set={self._done_attribute(class_name): True})]
            )
        )
        return outcome

    def _done_attribute(self, class_name: str) -> str:
        """Return the attribute of the item with finished classes that stands for a class."""
        return f"class.{self._model.classes[class_name].stored_name}"

    def _heads(self, found: Sequence[Key]) -> list[Item]:
        return [
            head for item in self._engine.get(found) if (head := live_head(item)) is not None and head.state
        ]

    def _complete(
        self, found: Sequence[Item], by_name: Mapping[str, str], outcome: MemberBackfillOutcome
    ) -> None:
        """Add ids to the names in objects. `found`: the heads of the objects.

        If a concurrent write has changed an object, read it again and retry, one object at a time.
        """
        while found:
            ids = [_missing_ids(head, by_name) for head in found]
            patches = [_head_patch(head, new) for head, new in zip(found, ids, strict=True) if new]
            if not patches or is_committed(self._engine, _batch(patches)):
                _count(outcome, found, ids, by_name)
                return
            if len(found) > 1:
                for head in found:
                    self._complete([head], by_name, outcome)
                return
            found = self._heads([found[0].key])

    def _complete_versions(self, head: Item, by_name: Mapping[str, str]) -> None:
        """Add ids to the names in the closed versions of an object."""
        if codec.previous_start(head) is None:
            return
        bounds = Bounds(keys.VERSIONS, keys.HEAD, high_included=False)
        items = chain.from_iterable(self._engine.range(ITEMS, head.key.partition, bounds))
        patches = (
            Patch(item.key, expect_as_read(item), state=_with_ids(item, ids))
            for item in items
            if (ids := _missing_ids(item, by_name))
        )
        for batch in _in_batches(patches):
            if not is_committed(self._engine, _batch(batch)):
                for patch in batch:
                    is_committed(self._engine, _batch([patch]))  # fails if the version was deleted meanwhile


def describe_outcome(class_name: str, outcome: MemberBackfillOutcome) -> Iterator[str]:
    """Yield lines of text about the results for a class."""
    if outcome.known:
        yield f"{class_name}: replaced {pluralize(outcome.known, 'username')} with member IDs."
    if outcome.younger:
        names = pluralize(outcome.younger, "username")
        yield f"{class_name}: kept {names} because the member is newer than the object."
    if outcome.unknown:
        yield f"{class_name}: kept {pluralize(outcome.unknown, 'username')} because no member has that name."


def _in_batches(each: Iterable[T]) -> Iterator[list[T]]:
    """Yield items in lists of at most _BATCH_SIZE."""
    left = iter(each)
    while found := list(islice(left, _BATCH_SIZE)):
        yield found


def _batch(patches: Sequence[Patch]) -> Batch:
    return Batch(new_commit_id("members"), tuple(patches))


def _missing_ids(item: Item, by_name: Mapping[str, str]) -> dict[str, str | None]:
    """Return the ids that the names in an object or a closed version lack, by attribute."""
    state = codec.raw_state(item)
    found: dict[str, str | None] = {}
    for attribute in NAMING_ATTRIBUTES:
        name = state.get(attribute)
        if isinstance(name, str) and member_id(state, attribute) is None:
            id_ = by_name.get(fold_name(name))
            is_theirs = id_ is not None and could_mean(
                id_timestamp(id_), _earliest_time(item, state, attribute)
            )
            found[attribute] = id_ if is_theirs else NOBODY
    return found


def _earliest_time(item: Item, state: Mapping[str, Stored], attribute: str) -> int | None:
    """Return the earliest time at which a name can have been written, in milliseconds; None if unknown."""
    if attribute == _LAST_MODIFIED_BY and NAMING_ATTRIBUTES[attribute] not in state:
        start = item.attributes.get(object_items.START, item.attributes.get(codec.VERSION_START_ATTRIBUTE))
        if isinstance(start, int):
            return start
    return written_at(state, attribute)


def _count(
    outcome: MemberBackfillOutcome,
    found: Sequence[Item],
    ids: Sequence[Mapping[str, str | None]],
    by_name: Mapping[str, str],
) -> None:
    for item, new in zip(found, ids, strict=True):
        state = codec.raw_state(item)
        for attribute, id_ in new.items():
            if id_ != NOBODY:
                outcome.known += 1
            elif fold_name(str(state[attribute])) in by_name:
                outcome.younger += 1
            else:
                outcome.unknown += 1


def _head_patch(head: Item, ids: Mapping[str, str | None]) -> Patch:
    """Return the action that adds ids to an object.

    It appends a commit id. So a concurrent write that has read the object before fails, and keeps the ids.
    """
    named = codec.commit_ids(head)
    return Patch(
        head.key,
        object_items.expect_unchanged(codec.entity_of(head)),
        set={codec.COMMIT_IDS: codec.append_commit_id(named, new_commit_id("members"))},
        state=_with_ids(head, ids),
    )


def _with_ids(item: Item, ids: Mapping[str, str | None]) -> str:
    state: dict[str, Any] = orjson.loads(item.state or b"{}")
    return orjson.dumps({**state, MEMBER_IDS: with_ids(state, ids)}).decode()
