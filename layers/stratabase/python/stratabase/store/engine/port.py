"""The port that every engine implements: items, and the three calls get, range and commit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from stratabase.domain.issues.refusals import Unavailable
from stratabase.frozen import frozen
from stratabase.messages import _

INDEX_NAMES = tuple(f"index{number}" for number in range(1, 9))
"""The generic secondary indexes; "items" is the name of the items themselves, ordered by key."""

ITEMS = "items"
Value = str | int | bool | None | list[str]
"""What an attribute of an item may hold."""


class Key(NamedTuple):
    """The key of an item: its partition, and its sort key within that. Neither text is empty."""

    partition: str
    sort: str


class IndexKey(NamedTuple):
    """Where an item appears in a secondary index; several may have the same place. Neither text is empty."""

    partition: str
    sort: str


@frozen
class Item:
    """What the store keeps under one key.

    `attributes` are those that conditions and readers need without decoding; `state` is an object's state as
    JSON text; `places` says in which indexes the item appears, and where.
    """

    key: Key
    attributes: Mapping[str, Value] = field(default_factory=dict)
    state: str | None = None
    places: Mapping[str, IndexKey] = field(default_factory=dict)


class ConditionOperator(Enum):
    """How a condition compares an item's attribute with its value.

    Values of different types are never equal (true is not 1). Only texts, by code point, and numbers have an
    order: of anything else AT_MOST and MORE_THAN do not hold. None is a value like others, and not absent.
    """

    EQUALS = "="
    ABSENT = "absent"
    PRESENT = "present"
    AT_MOST = "<="
    MORE_THAN = ">"


class Condition(NamedTuple):
    """What an attribute of the item as it is stored now must be. ABSENT and PRESENT have no value."""

    attribute: str
    operator: ConditionOperator
    value: Value = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must be true of the item under a key: it exists or not (None: either), and all conditions hold.

    Of `either`, if there are any, at least one holds besides. Of an item that does not exist, every attribute
    is absent.
    """

    exists: bool | None = None
    conditions: tuple[Condition, ...] = ()
    either: tuple[Condition, ...] = ()


NOT_EXISTS = Expectation(exists=False)
EXISTS = Expectation(exists=True)
NO_EXPECTATION = Expectation()


@dataclass(frozen=True, slots=True)
class Put:
    """Store a whole item, in place of what is under its key."""

    item: Item
    expect: Expectation = NO_EXPECTATION

    @property
    def key(self) -> Key:
        """The key that it writes."""
        return self.item.key


@dataclass(frozen=True, slots=True)
class Patch:
    """Change an item: set attributes, add to whole numbers (absent counts as 0), remove attributes.

    A `state` or a place that is not given stays; a place given as None is taken away. Where the expectation
    admits that there is no item (by default it does not), the patch makes one: a counter needs no beginning.
    An attribute is named at most once. Adding to what is no whole number is the caller's mistake: ValueError.
    """

    key: Key
    expect: Expectation = EXISTS
    set: Mapping[str, Value] = field(default_factory=dict)
    add: Mapping[str, int] = field(default_factory=dict)
    remove: frozenset[str] = frozenset()
    state: str | None = None
    places: Mapping[str, IndexKey | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse to do two things to one attribute: engines would differ in the result."""
        named = [*self.set, *self.add, *self.remove]
        if len(set(named)) < len(named):
            raise ValueError(
                f"A patch names an attribute at most once, but this one of {self.key} has {named}."
            )


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the item under a key, if there is one."""

    key: Key
    expect: Expectation = NO_EXPECTATION


@dataclass(frozen=True, slots=True)
class Check:
    """Write nothing, but require an expectation to hold."""

    key: Key
    expect: Expectation


Action = Put | Patch | Delete | Check
MAX_ACTIONS = 100


@dataclass(frozen=True, slots=True)
class Batch:
    """Actions that are done together or not at all; each key at most once, at most MOST_ACTIONS of them."""

    id: str
    """Identifies the commit, so that a retry is recognized: no other commit has it.

    An item with this id as an attribute, or in a list, tells that the commit has been done. An engine that
    lost an answer may have nothing else to go by.
    """
    actions: tuple[Action, ...]
    attempt: int = 0
    """Distinguishes batches that try one commit with different actions, each after the one before was
    refused: they are not retries of each other."""
    fence: Check | None = None
    """An expectation that an embedded engine checks with the others. It is no action, but fails like one.

    A remote engine ignores it, since there it would make a transaction of each write.
    """

    def __post_init__(self) -> None:
        """Refuse what no engine could commit at once."""
        if len(self.actions) > MAX_ACTIONS:
            raise ValueError(
                f"A batch has at most {MAX_ACTIONS} actions, but this one has {len(self.actions)}."
            )
        keys = [action.key for action in self.actions]
        if len(set(keys)) < len(keys):
            repeated = sorted({key for key in keys if keys.count(key) > 1})
            raise ValueError(
                f"A batch has at most one action on a key, but this one has several on {repeated}."
            )


class Bounds(NamedTuple):
    """A range of sort keys, compared by code point. None is open."""

    low: str | None = None
    high: str | None = None
    low_included: bool = True
    high_included: bool = True

    def admits(self, text: str) -> bool:
        """Return whether a sort key lies within."""
        low, high, low_included, high_included = self
        above = low is None or text > low or (low_included and text == low)
        return above and (high is None or text < high or (high_included and text == high))


UNBOUNDED = Bounds()


class Failure(NamedTuple):
    """An action whose expectation did not hold, with the item that was found, or None."""

    action: Action
    found: Item | None


class ExpectationFailed(Exception):
    """A batch was refused, and nothing of it was written. Has all expectations that failed."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__([failure.action.key for failure in failures])
        self.failures = tuple(failures)


class OutcomeUnknown(Unavailable):
    """A batch is refused, but an answer was lost before: what failed may be due to the batch itself.

    Try again only if `failures` show that it was not done, or if that does not matter.
    """

    def __init__(self, failures: Sequence[Failure]) -> None:
        message = _(
            "A response from the store was lost, so the data might not have been saved. "
            "Check the data before you try again."
        )
        super().__init__(message, retry_after=5)
        self.failures = tuple(failures)


class Engine(Protocol):
    """Keeps items. A commit that has returned survives the death of the process."""

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None where there is none; what was committed is seen."""

    def range(  # noqa: PLR0913 - where, which part of it, and how
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page.

        `index` is ITEMS or one of INDEX_NAMES (otherwise ValueError). At most `limit` items in all. A page is
        as of one moment; an item that is there throughout is yielded exactly once, also where several share a
        place. Closing the iterator early costs nothing. ITEMS is exact at once, unless it need not be
        (`exact`): then it may lag, and costs half. A secondary index may always lag, and need not carry all
        attributes and places of its items, but it carries the place in itself.
        """

    def commit(self, batch: Batch) -> None:
        """Do all actions or none. Raises ExpectationFailed (with every expectation that failed), Unavailable.

        The expectations are checked against the items as they are before the batch. ExpectationFailed is
        certain; of Unavailable nothing is known, but of OutcomeUnknown what was found.
        """

    def close(self) -> None:
        """Finish what is under way and let go of files and connections."""
