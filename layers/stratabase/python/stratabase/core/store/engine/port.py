"""The port that every engine implements: items, and the calls of an engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import NamedTuple, Protocol

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

INDEX_NAMES = tuple(f"index{number}" for number in range(1, 9))
"""The names of the generic secondary indexes."""

ITEMS = "items"
"""The name of the primary index: the items themselves, ordered by key."""
Value = str | int | bool | None | list[str]
"""The type of an item's attribute."""


class Key(NamedTuple):
    """The primary key of an item: its partition, and its sort key in the partition. Neither text is empty."""

    partition: str
    sort: str


class IndexKey(NamedTuple):
    """The position of an item in a secondary index. Several items may share one. Neither text is empty."""

    partition: str
    sort: str


@frozen
class Item:  # noqa: PLW1641 - `frozen` adds the hash
    """A record: what an engine stores under one key."""

    key: Key
    attributes: Mapping[str, Value] = field(default_factory=dict)
    """The values that conditions can test and readers need without parsing the state."""
    state: str | None = None
    """The state of an object, as JSON text."""
    places: Mapping[str, IndexKey] = field(default_factory=dict)
    """By the name of a secondary index: the item's position in it. The index contains no other items."""

    def __eq__(self, other: object) -> bool:
        # Engines have subclasses that convert these parts when they are used.
        return isinstance(other, Item) and self._parts() == other._parts()

    def _parts(self) -> tuple[Key, Mapping[str, Value], str | None, Mapping[str, IndexKey]]:
        return self.key, self.attributes, self.state, self.places

    @property
    def partition(self) -> str:
        """The partition of its key."""
        return self.key.partition

    def sort_in(self, index: str) -> str:
        """Return the sort key of the item in a secondary index that contains it."""
        return self.places[index].sort


class ConditionOperator(Enum):
    """The operators that compare an attribute of an item with the value of a condition.

    Values of different types are never equal (true is not 1). AT_MOST and MORE_THAN compare texts by code
    point, and numbers; they are false for other values. None is a value: it is PRESENT.
    """

    EQUALS = "="
    ABSENT = "absent"
    PRESENT = "present"
    AT_MOST = "<="
    MORE_THAN = ">"


class Condition(NamedTuple):
    """A test of one attribute of the stored item. ABSENT and PRESENT take no value."""

    attribute: str
    operator: ConditionOperator
    value: Value = None


@frozen
class Expectation:
    """What an action requires of the item under its key, so that the batch is committed.

    In a missing item, every attribute is absent.
    """

    exists: bool | None = None
    """Whether the item must exist. None: it may or may not."""
    conditions: tuple[Condition, ...] = ()
    """All of them must hold."""
    either: tuple[Condition, ...] = ()
    """At least one of them must hold, unless there are none."""


NOT_EXISTS = Expectation(exists=False)
EXISTS = Expectation(exists=True)
NO_EXPECTATION = Expectation()


@frozen
class Put:
    """An action that stores an item, and replaces the item under its key if there is one."""

    item: Item
    expect: Expectation = NO_EXPECTATION

    @property
    def key(self) -> Key:
        """The key of the item."""
        return self.item.key


@frozen
class Patch:
    """An action that changes parts of an item.

    If the expectation allows that the item is missing (the default does not), the patch creates it. So a
    counter needs no initialization. An attribute is named at most once in `set`, `add` and `remove`.
    """

    key: Key
    expect: Expectation = EXISTS
    set: Mapping[str, Value] = field(default_factory=dict)
    """Attributes with their new values."""
    add: Mapping[str, int] = field(default_factory=dict)
    """Attributes with what to add; a missing attribute counts as 0. ValueError if one is not an integer."""
    remove: frozenset[str] = frozenset()
    """Attributes to remove."""
    state: str | None = None
    """The new state. None keeps the state."""
    places: Mapping[str, IndexKey | None] = field(default_factory=dict)
    """New positions by index; None removes the item from that index. Other indexes stay as they are."""
    seen: Mapping[str, Value] | None = None
    """The attributes of the item as the caller has read them, None if it has not.

    They are not an expectation. They save an engine a read if the item still has them.
    """

    @property
    def is_check(self) -> bool:
        """Whether the patch changes nothing, so that only its expectation matters."""
        changes = self.set or self.add or self.remove or self.places or self.state is not None
        return not changes and self.expect.exists is True

    def __post_init__(self) -> None:
        """Refuse an attribute that is named twice, for which engines would differ in the result."""
        if not self.add and not self.remove:
            return
        named = [*self.set, *self.add, *self.remove]
        if len(set(named)) < len(named):
            raise ValueError(
                f"A patch names an attribute at most once, but this one of {self.key} has {named}."
            )


@frozen
class DeleteItem:
    """An action that deletes the item under a key, if there is one."""

    key: Key
    expect: Expectation = NO_EXPECTATION


@frozen
class Check:
    """An action that writes nothing, but requires that an expectation holds."""

    key: Key
    expect: Expectation


Action = Put | Patch | DeleteItem | Check
TIME_TO_LIVE = "ttl"
"""The attribute of items that expire: the seconds since 1970 after which nobody needs the item any more."""
MAX_ACTIONS = 100
"""The maximum number of actions in a batch, which is that of DynamoDB's TransactWriteItems."""


@frozen
class Batch:
    """Actions that an engine commits atomically: at most one for each key, and at most MAX_ACTIONS."""

    id: str
    """The id of the commit, unique to it, by which an engine recognizes a retry.

    An item proves that the commit was done if one of its attributes is this id, or a list that contains it.
    After a lost response, an engine may have no other proof.
    """
    actions: tuple[Action, ...]
    attempt: int = 0
    """The number of this attempt at the commit, from 0.

    Each attempt has other actions than the one that was refused before it, so it is not a retry of that one.
    """
    fence: Check | None = None
    """A further expectation, which fails like that of an action. Only embedded engines check it.

    A remote engine ignores it, because it would turn every single write into a transaction.
    """

    def __post_init__(self) -> None:
        """Refuse a batch that no engine can commit atomically."""
        if len(self.actions) > MAX_ACTIONS:
            raise ValueError(
                f"A batch has at most {MAX_ACTIONS} actions, but this one has {len(self.actions)}."
            )
        if len(self.actions) == 1:
            return
        keys = [action.key for action in self.actions]
        if len(set(keys)) < len(keys):
            repeated = sorted({key for key in keys if keys.count(key) > 1})
            raise ValueError(
                f"A batch has at most one action on a key, but this one has several on {repeated}."
            )


class Bounds(NamedTuple):
    """A range of sort keys, compared by code point. An end that is None is open."""

    low: str | None = None
    high: str | None = None
    low_included: bool = True
    high_included: bool = True

    def admits(self, text: str) -> bool:
        """Return whether a sort key lies in the range."""
        low, high, low_included, high_included = self
        above = low is None or text > low or (low_included and text == low)
        return above and (high is None or text < high or (high_included and text == high))


UNBOUNDED = Bounds()


class Counted(NamedTuple):
    """A part of a count: a number of items, and what counting them has read."""

    items: int
    bytes_read: int
    """The size of the entries that the engine has read, 0 if it counts without reading them."""


class Beginnings(NamedTuple):
    """How to count items by the beginnings of their sort keys."""

    of: Callable[[str], str]
    """Returns the beginning of a sort key. All keys that begin with it have it, and keys are in its order."""
    most: int
    """The number of different beginnings above which there is no result."""


class Failure(NamedTuple):
    """An action whose expectation failed, and the item that the engine found instead (None: no item)."""

    action: Action
    found: Item | None


class ExpectationFailed(Exception):
    """The engine refused a batch and wrote nothing. `failures`: all expectations that failed."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__([failure.action.key for failure in failures])
        self.failures = tuple(failures)


class OutcomeUnknown(Unavailable):
    """The engine refused a retry of a batch, after the response of an earlier attempt was lost.

    The earlier attempt may have committed the batch, and so be the reason why expectations failed. Commit it
    again only if `failures` prove that it was not committed, or if that does not matter.
    """

    def __init__(self, failures: Sequence[Failure]) -> None:
        message = _(
            "A response from the store was lost, so the data might not have been saved. "
            "Check the data before you try again."
        )
        super().__init__(message, retry_after=5, may_have_written=True)
        self.failures = tuple(failures)


class Engine(Protocol):
    """A key-value store with secondary indexes and atomic, conditional, durable commits."""

    @property
    def removes_expired(self) -> bool:
        """Whether the engine itself removes items some time after their TIME_TO_LIVE."""

    @property
    def is_embedded(self) -> bool:
        """Whether the engine runs in this process, so that a call takes microseconds and costs nothing."""

    @property
    def prefers_few_calls(self) -> bool:
        """Whether one call that reads some items too many is better than two."""

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent.

        `places`: whether the caller needs the places of the items. Otherwise, items may lack them, and some
        engines read them faster.
        """

    def range(  # noqa: PLR0913 - a range with its options
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page.

        Each page is a snapshot. The pages contain each item exactly once if it is not written meanwhile, also
        if several items share a position. Reading of further pages ends when the caller closes the iterator.

        `index`: ITEMS or one of INDEX_NAMES; otherwise raises ValueError. `limit`: of all pages together.
        `exact`: read ITEMS strongly consistently. Otherwise the read may lag behind commits, and costs half.

        Reads of secondary indexes may always lag. Their items may lack attributes and places, but have their
        position in this index.

        `whole`: whether the caller needs whole items. Otherwise, those of ITEMS may lack their places. Items
        of a secondary index may have nothing but their partition, their state and their sort key in the
        index, and the range must have at most one item of each partition. Some engines read both faster.
        """

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items that `range` finds in ranges of one partition, to be added up.

        `ranges`: without overlaps. An item that moves from one position to another meanwhile may count once,
        twice or not at all; with `distinct`, not twice. This costs some engines more time, but no more read
        units. Counting ends when the caller closes the iterator.

        `index`: ITEMS or one of INDEX_NAMES; otherwise raises ValueError. ITEMS is counted strongly
        consistently.
        """

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        """Return how many items ranges of one partition of an index have, by the beginnings of their keys.

        The result is a snapshot. None if there are too many different beginnings, or too many items; or if
        the engine must read whole items for it, which `range` does as well. `index`: one of INDEX_NAMES.
        """

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page. Each page is read strongly consistently.

        The order is the engine's own and never changes; the items of a partition are in the order of their
        sort keys. `after`: yield only the items after this key, which need not exist. No request of a client
        scans.
        """

    def data_version(self) -> object | None:
        """Return a value that is another one after each commit of any process. None if there is none.

        As long as it is equal to an earlier one, all that was read since then is still true. It may also
        change without a commit.
        """

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none, if all expectations hold for the items before the batch.

        A batch that was committed survives the end of the process. Raises ExpectationFailed, with all
        expectations that failed; then nothing was written. Raises Unavailable, which leaves open whether the
        batch was committed. OutcomeUnknown, a kind of Unavailable, has the items that were found.
        """

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum. Nobody else gets the same sum for it.

        A missing item is created, and a missing attribute counts as 0. ValueError if the attribute is not an
        integer. The sum survives the end of the process.

        If a response is lost, an engine may add the number again. So the attribute may grow by more than the
        callers add, and a call that raises Unavailable may have added its number.
        """

    def close(self) -> None:
        """Finish running calls, and close files and connections."""
