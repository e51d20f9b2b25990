"""The reference implementation of the engine port over a dict. Tests compare every engine with it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock
from types import MappingProxyType

from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    ITEMS,
    UNBOUNDED,
    Action,
    Batch,
    Beginnings,
    Bounds,
    Check,
    Condition,
    ConditionOperator,
    Counted,
    ExpectationFailed,
    Failure,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.engine.read_limiter import approximate_bytes


def _without_places(item: Item) -> Item:
    return Item(item.key, item.attributes, item.state)


class _PartOfItem(Item):
    """The partition, the state and the sort key in an index of an item. Using more raises AttributeError."""

    __slots__ = ("_sort", "partition")

    partition: str
    state: str | None

    def __init__(self, item: Item, index: str) -> None:
        self.partition, self.state, self._sort = item.partition, item.state, item.sort_in(index)

    def sort_in(self, index: str) -> str:
        del index
        return self._sort


class _Items(dict[Key, Item]):
    """Items by key. It also knows those in each partition, without which large stores would be slow."""

    def __init__(self, items: Mapping[Key, Item] = MappingProxyType({})) -> None:
        super().__init__()
        self._placed: dict[tuple[str, str], dict[Key, Item]] = {}
        for key, item in items.items():
            self[key] = item

    def of_partition(self, index: str, partition: str) -> list[Item]:
        return [*self._placed.get((index, partition), {}).values()]

    def __setitem__(self, key: Key, item: Item) -> None:
        if key in self:
            del self[key]
        super().__setitem__(key, item)
        for index in (ITEMS, *INDEX_NAMES):
            if place := _place(item, index):
                self._placed.setdefault((index, place.partition), {})[key] = item

    def __delitem__(self, key: Key) -> None:
        item = self[key]
        super().__delitem__(key)
        for index in (ITEMS, *INDEX_NAMES):
            if place := _place(item, index):
                del self._placed[index, place.partition][key]


class ReferenceEngine:
    """An engine over a dict that serves one caller at a time."""

    removes_expired = False
    is_embedded = False
    prefers_few_calls = True

    def __init__(self) -> None:
        self._items = {}
        self._lock = Lock()

    @property
    def _items(self) -> dict[Key, Item]:
        """The items by key, which tests may read, change and replace."""
        return self._all

    @_items.setter
    def _items(self, items: Mapping[Key, Item]) -> None:
        self._all = _Items(items)

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        with self._lock:
            found = [self._items.get(key) for key in keys]
        # Leave out what the caller does not need, so that tests find out if it does.
        return found if places else [item and _without_places(item) for item in found]

    def range(
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
        if index not in {ITEMS, *INDEX_NAMES}:
            raise ValueError(index)
        with self._lock:
            items = self._all.of_partition(index, partition)
        placed = [(_place(item, index), item) for item in items]
        found = [(place.sort, item) for place, item in placed if place and _within(place.sort, bounds)]
        found.sort(key=lambda each: (each[0], each[1].key), reverse=backward)
        page = [item for _, item in found[:limit]]
        # Leave out what the caller does not need, so that tests find out if it does.
        if not whole:
            page = [_without_places(item) if index == ITEMS else _PartOfItem(item, index) for item in page]
        return iter([page])

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        # By `range`, so that what subclasses do to ranges happens to counts too.
        return self._counts([self.range(index, partition, bounds) for bounds in ranges], distinct=distinct)

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        pages = chain.from_iterable(self.range(index, partition, bounds) for bounds in ranges)
        found = Counter(beginnings.of(item.sort_in(index)) for page in pages for item in page)
        return found if len(found) <= beginnings.most else None

    def _counts(self, ranges: Sequence[Iterator[Sequence[Item]]], *, distinct: bool) -> Iterator[Counted]:
        seen: set[Key] = set()
        for page in chain.from_iterable(ranges):
            new = {item.key for item in page} - seen
            seen |= new
            yield Counted(len(new) if distinct else len(page), approximate_bytes(page))

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        with self._lock:
            found = sorted(self._items.items())
        return iter([[item] for key, item in found if after is None or key > after])

    def commit(self, batch: Batch) -> None:
        with self._lock:
            judged = [(action, self._items.get(action.key)) for action in batch.actions]
            failures = [Failure(action, found) for action, found in judged if not _as_expected(action, found)]
            if failures:
                raise ExpectationFailed(failures)
            after = {action.key: _after(action, found) for action, found in judged}
            for key, item in after.items():
                self._replace(key, item)

    def data_version(self) -> object | None:
        return None

    def increment(self, key: Key, attribute: str, by: int) -> int:
        with self._lock:
            item = _patched(Patch(key, add={attribute: by}), self._items.get(key) or Item(key))
            self._replace(key, item)
            return int(str(item.attributes[attribute]))

    def show(self, items: Mapping[Key, Item | None]) -> None:
        """Replace or remove items directly, without a commit."""
        with self._lock:
            for key, item in items.items():
                self._replace(key, item)

    def _replace(self, key: Key, item: Item | None) -> None:
        if item:
            self._all[key] = item
        elif key in self._all:
            del self._all[key]

    def close(self) -> None:
        pass


def _place(item: Item, index: str) -> Key | IndexKey | None:
    return item.key if index == ITEMS else item.places.get(index)


def _within(sort: str, bounds: Bounds) -> bool:
    low, high, low_included, high_included = bounds
    above = low is None or sort > low or (low_included and sort == low)
    below = high is None or sort < high or (high_included and sort == high)
    return above and below


def _as_expected(action: Action, found: Item | None) -> bool:
    if action.expect.exists not in {None, found is not None}:
        return False
    either = [_met(condition, found) for condition in action.expect.either]
    all_hold = all(_met(condition, found) for condition in action.expect.conditions)
    return all_hold and (any(either) or not either)


def _met(condition: Condition, found: Item | None) -> bool:
    name, test, value = condition
    there = found is not None and name in found.attributes
    if not there or test in {ConditionOperator.ABSENT, ConditionOperator.PRESENT}:
        return test is (ConditionOperator.PRESENT if there else ConditionOperator.ABSENT)
    held = found.attributes[name] if found else None
    if type(held) is not type(value):
        return False
    if test is ConditionOperator.EQUALS:
        return held == value
    if isinstance(held, str) and isinstance(value, str):
        return (held <= value) is (test is ConditionOperator.AT_MOST)
    if type(held) is int and type(value) is int:
        return (held <= value) is (test is ConditionOperator.AT_MOST)
    return False


def _after(action: Action, found: Item | None) -> Item | None:
    if isinstance(action, Put):
        return action.item
    if isinstance(action, Patch):
        return _patched(action, found or Item(action.key))
    return found if isinstance(action, Check) else None


def _patched(patch: Patch, item: Item) -> Item:
    attributes = {**item.attributes, **patch.set}
    for name, number in patch.add.items():
        before = attributes.get(name, 0)
        if type(before) is not int:
            raise ValueError(f"{name} of {patch.key}")
        attributes[name] = before + number
    for name in patch.remove:
        attributes.pop(name, None)
    places = {name: place for name, place in {**item.places, **patch.places}.items() if place}
    return Item(item.key, attributes, item.state if patch.state is None else patch.state, places)
