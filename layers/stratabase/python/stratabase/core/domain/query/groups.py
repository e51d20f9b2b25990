"""Groups of objects with equal keys, and the totals of each group: how they are requested, and computed.

Totals of all objects are those of one group without keys. Objects come in batches of columns, which have the
values of one attribute each. So nothing is kept of an object.

Texts that an attribute folds are compared after folding. What is shown of them is what an object has.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from decimal import Decimal
from enum import Enum
from functools import partial
from operator import mul
from typing import Any, NamedTuple, Protocol

from stratabase.core.domain.attributes import folded_getter, type_of
from stratabase.core.domain.query.aggregate import exact_sum, multiples, real_average, real_sum
from stratabase.core.domain.query.matching import COMPARISONS, BeforeSearch
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.operators import Operator, Total
from stratabase.core.model.types.temporal import TemporalType
from stratabase.values.formats.buckets import BEGINNINGS, Bucket, bucket_reader
from stratabase.values.frozen import frozen

_KEPT_AT_MOST = 50_000
"""The number of objects whose values are kept. To measure many values at once takes a third of the time."""
MAX_GROUPS = 10_000
"""The maximum number of groups of one request, before `having` leaves out some."""
_Keys = tuple[Any, ...]
ValueColumns = Mapping[str, Sequence[Any]]
"""By attribute or role: the values of some objects, null included. Those of a role are ids."""


class GroupKey(NamedTuple):
    """What objects of a group have in common: the value of an attribute or role, or its bucket."""

    name: str
    bucket: Bucket | None = None


class Measure(NamedTuple):
    """A total of the values of an attribute or role."""

    name: str
    total: Total


class GroupPart(Enum):
    """What orders and conditions can use of a group besides its measures."""

    COUNT = "count"
    KEYS = "keys"


class GroupTerm(NamedTuple):
    """One term of an order of groups. Null comes first if ascending, and last if descending."""

    by: Measure | GroupPart
    descending: bool = False


class GroupTest(NamedTuple):
    """A condition on groups. The operand is as its type stores it."""

    by: Measure | GroupPart
    operator: Operator
    operand: Stored


@frozen
class Grouping:
    """A request for groups: their keys, totals, conditions and order, and which of them to return."""

    keys: tuple[GroupKey, ...] = ()
    measures: frozenset[Measure] = frozenset()
    """The selected measures."""
    having: tuple[GroupTest, ...] = ()
    order: tuple[GroupTerm, ...] = ()
    size: int = MAX_GROUPS
    start: tuple[Stored, ...] | None = None
    """The position after which the groups begin: a value for each of the `places`. None for the first."""

    @property
    def needed(self) -> frozenset[Measure]:
        """All measures to compute."""
        used = [*(test.by for test in self.having), *(term.by for term in self.order)]
        return self.measures.union(each for each in used if isinstance(each, Measure))

    @property
    def names(self) -> frozenset[str]:
        """The attributes and roles of which values are needed."""
        return frozenset((*(key.name for key in self.keys), *(measure.name for measure in self.needed)))

    def beginnings(self, class_: Class, zone: tzinfo) -> Iterator[tuple[str, int | None]]:
        """Yield the names with how many characters of their stored values are needed, None for all."""
        for key in self.keys:
            type_ = type_of(class_, key.name)
            is_in_order = isinstance(type_, TemporalType) and type_.slices(zone) is not None
            yield key.name, BEGINNINGS[key.bucket] if key.bucket is not None and is_in_order else None
        for measure in self.needed:
            yield measure.name, None

    @property
    def places(self) -> tuple[tuple[Measure | GroupPart | int, bool], ...]:
        """What the position of a group consists of: measures, the count, and the numbers of keys.

        Each comes with whether it is descending. No two groups have the same position.
        """
        found: dict[Measure | GroupPart | int, bool] = {}
        for by, descending in (*self.order, GroupTerm(GroupPart.KEYS)):
            parts = range(len(self.keys)) if by is GroupPart.KEYS else (by,)
            for part in parts:
                found.setdefault(part, descending)
        return tuple(found.items())


class Group(NamedTuple):
    """A group: its keys in the order of the request, the number of its objects, and its measures.

    A key that is folded is shown as the object with the least `_id` in the group has it.
    """

    keys: tuple[Stored, ...]
    number: int
    measures: Mapping[Measure, Stored]

    def value(self, by: Measure | GroupPart | int) -> Stored:
        """Return a measure, the count, or the key with a number."""
        if isinstance(by, int):
            return self.keys[by]
        return self.measures[by] if isinstance(by, Measure) else self.number


class GroupPage(NamedTuple):
    """The requested ones of some groups, in order, and the number of all that meet the conditions."""

    items: Sequence[Group]
    total_count: int
    has_next: bool


class TooManyGroups(Exception):
    """Objects have more than MAX_GROUPS different keys."""


def measured_type(class_: Class, by: Measure | GroupPart) -> AttributeType:
    """Return the type of the values of a measure or count."""
    if not isinstance(by, Measure) or by.total is Total.COUNT_DISTINCT:
        return TYPES["Int"]
    return TYPES["Real"] if by.total in {Total.SUM, Total.AVG} else type_of(class_, by.name)


def place_types(class_: Class, grouping: Grouping) -> list[AttributeType]:
    """Return the type of each value of a position."""
    return [_type_at(class_, grouping, place) for place, _ in grouping.places]


def _type_at(class_: Class, grouping: Grouping, by: Measure | GroupPart | int) -> AttributeType:
    if not isinstance(by, int):
        return measured_type(class_, by)
    key = grouping.keys[by]
    return type_of(class_, key.name) if key.bucket is None else TYPES["String"]


class _Accumulator(Protocol):
    """Computes one measure of one group."""

    def add(self, values: Sequence[Any], numbers: Sequence[int] | None = None) -> None:
        """Add values, none of which is null. `numbers`: how often each of them occurs; None: once."""

    def result(self) -> Stored:
        """Return the measure, None if there is none."""


_Fold = Callable[[str], str] | None
"""A function that folds the values of an attribute, None if they are compared as they are."""


class _Sum:
    def __init__(self, values: AttributeType, _: _Fold) -> None:
        self._is_whole = values.storage.python_type is int
        self._total = Decimal(0)
        self._number = 0

    def add(self, values: Sequence[Any], numbers: Sequence[int] | None = None) -> None:
        self._number += len(values) if numbers is None else sum(numbers)
        if self._is_whole:
            added = sum(values if numbers is None else map(mul, values, numbers))
            self._total = exact_sum((Decimal(added),), self._total)
        else:
            reals = map(Decimal, values)
            self._total = exact_sum(reals if numbers is None else multiples(reals, numbers), self._total)

    def result(self) -> Stored:
        return real_sum(self._total) if self._number else None


class _Average(_Sum):
    def result(self) -> Stored:
        return real_average(self._total, self._number) if self._number else None


class _Extreme:
    def __init__(self, choose: Callable[..., Any], values: AttributeType, fold: _Fold) -> None:
        """`choose`: min or max."""
        self._choose = choose
        self._rank = values.sort_key if values.has_sort_key else None
        if fold is not None:  # of equal texts, the code points decide
            self._rank = lambda text: (fold(text), text)
        self._found: Stored = None

    def add(self, values: Sequence[Any], _: Sequence[int] | None = None) -> None:
        known = () if self._found is None else (self._found,)
        self._found = self._choose((*known, *values), key=self._rank)

    def result(self) -> Stored:
        return self._found


class _Distinct:
    def __init__(self, _: AttributeType, fold: _Fold) -> None:
        self._fold = fold
        self._found = set[Any]()

    def add(self, values: Sequence[Any], _: Sequence[int] | None = None) -> None:
        self._found.update(values if self._fold is None else map(self._fold, values))

    def result(self) -> Stored:
        return len(self._found)


_ACCUMULATORS: Mapping[Total, Callable[[AttributeType, _Fold], _Accumulator]] = {
    Total.SUM: _Sum,
    Total.AVG: _Average,
    Total.MIN: partial(_Extreme, min),
    Total.MAX: partial(_Extreme, max),
    Total.COUNT_DISTINCT: _Distinct,
}


class Accumulation:
    """The groups of a request, of the objects that were added."""

    def __init__(
        self, class_: Class, grouping: Grouping, zone: tzinfo, before_search: BeforeSearch = lambda _: None
    ) -> None:
        """`zone`: that of the buckets. `before_search`: is called before a long text is folded."""
        self.grouping = grouping
        self._class = class_
        self._measures = tuple(grouping.needed)
        self._folds = {name: _fold_of(type_of(class_, name), before_search) for name in grouping.names}
        self._keys = [(key.name, self._key_reader(key, zone)) for key in grouping.keys]
        self._folded = [place for place, (name, _) in enumerate(self._keys) if self._folds[name] is not None]
        """The numbers of the keys that are folded."""
        self._written: dict[_Keys, tuple[Any, ...]] = {}
        """By group: the least id, and what the object has as these keys. It is empty if there are none."""
        self._counts: Counter[_Keys] = Counter()
        self._values: dict[str, dict[_Keys, list[Any]]] = {
            measure.name: defaultdict(list) for measure in self._measures
        }
        """By attribute or role, and by group: the values that are not measured yet."""
        self._kept = 0
        """The number of objects with such values."""
        self._accumulators: dict[Measure, dict[_Keys, _Accumulator]] = {each: {} for each in self._measures}
        if not grouping.keys:
            self._counts[()] = 0  # the totals of no objects are totals too

    @property
    def names(self) -> frozenset[str]:
        """The columns that are needed: attributes and roles, and `_id` if keys are folded."""
        return self.grouping.names | {ID} if self._folded else self.grouping.names

    def _key_reader(self, key: GroupKey, zone: tzinfo) -> Callable[[Sequence[Any]], Sequence[Any]]:
        if key.bucket is None:
            fold = self._folds[key.name]
            if fold is None:
                return lambda values: values
            return lambda texts: [None if text is None else fold(text) for text in texts]
        type_ = type_of(self._class, key.name)
        assert isinstance(type_, TemporalType)
        return bucket_reader(key.bucket, type_.from_stored(zone), is_zoned=type_.slices(zone) is None)

    def add(self, columns: ValueColumns, number: int, numbers: Sequence[int] | None = None) -> None:
        """Add a number of states, whose values are in columns. Raises TooManyGroups.

        `numbers`: how many objects have each of the states; None: one.
        """
        rows = list(zip(*(read(columns[name]) for name, read in self._keys), strict=True)) or [()] * number
        if numbers is None:
            self._counts.update(rows)
        else:
            for row, each in zip(rows, numbers, strict=True):
                self._counts[row] += each
        if len(self._counts) > MAX_GROUPS:
            raise TooManyGroups
        if self._folded:
            self._note_written(rows, columns)
        if numbers is not None:
            self._measure_several(rows, columns, numbers)
            return
        for name, values in self._values.items():
            for row, value in zip(rows, columns[name], strict=True):
                if value is not None:
                    values[row].append(value)
        self._kept += number
        if self._kept >= _KEPT_AT_MOST:
            self._measure()

    def _note_written(self, rows: Sequence[_Keys], columns: ValueColumns) -> None:
        texts = (columns[self._keys[place][0]] for place in self._folded)
        for row, found in zip(rows, zip(columns[ID], *texts, strict=True), strict=True):
            known = self._written.get(row)
            if known is None or found < known:
                self._written[row] = found

    def _measure_several(self, rows: Sequence[_Keys], columns: ValueColumns, numbers: Sequence[int]) -> None:
        """Add values to the measures. `numbers`: how many objects have each of them."""
        for name in self._values:
            found: dict[_Keys, tuple[list[Any], list[int]]] = defaultdict(lambda: ([], []))
            for row, value, number in zip(rows, columns[name], numbers, strict=True):
                if value is not None:
                    values, times = found[row]
                    values.append(value)
                    times.append(number)
            for measure in (each for each in self._measures if each.name == name):
                for row, both in found.items():
                    self._accumulator(measure, row).add(*both)

    def _measure(self) -> None:
        """Add the values that are kept to the measures."""
        for measure in self._measures:
            for row, values in self._values[measure.name].items():
                self._accumulator(measure, row).add(values)
        for kept in self._values.values():
            kept.clear()
        self._kept = 0

    def _accumulator(self, measure: Measure, row: _Keys) -> _Accumulator:
        accumulators = self._accumulators[measure]
        accumulator = accumulators.get(row)
        if accumulator is None:
            accumulator = accumulators[row] = self._new_accumulator(measure)
        return accumulator

    def _new_accumulator(self, measure: Measure) -> _Accumulator:
        return _ACCUMULATORS[measure.total](type_of(self._class, measure.name), self._folds[measure.name])

    def groups(self) -> Iterator[Group]:
        """Yield all groups, in no order."""
        self._measure()
        for keys, number in self._counts.items():
            measures = {
                measure: (found.get(keys) or self._new_accumulator(measure)).result()
                for measure, found in self._accumulators.items()
            }
            yield Group(self._shown(keys) if self._folded else keys, number, measures)

    def _shown(self, keys: _Keys) -> _Keys:
        """Return the keys of a group, those that are folded as an object has them."""
        shown, (_, *texts) = [*keys], self._written[keys]
        for place, text in zip(self._folded, texts, strict=True):
            shown[place] = text
        return tuple(shown)

    def page(self) -> GroupPage:
        """Return the requested groups, in order."""
        return page_of_groups(self.groups(), self.grouping, self._class)


def _fold_of(type_: AttributeType, before_search: BeforeSearch) -> _Fold:
    return None if type_.folding is None else type_.folding.after(before_search)


def page_of_groups(groups: Iterator[Group], grouping: Grouping, class_: Class) -> GroupPage:
    """Return the requested ones of all groups."""
    tests = [_test(test, class_) for test in grouping.having]
    found = [group for group in groups if all(test(group) for test in tests)]
    types = place_types(class_, grouping)
    for (by, descending), type_ in reversed([*zip(grouping.places, types, strict=True)]):
        found.sort(key=_rank(by, type_), reverse=descending)
    start = 0 if grouping.start is None else _first_after(found, grouping, types)
    end = start + grouping.size
    return GroupPage(found[start:end], len(found), len(found) > end)


def _test(test: GroupTest, class_: Class) -> Callable[[Group], bool]:
    type_, by = measured_type(class_, test.by), test.by
    rank = type_.sort_key if type_.has_sort_key else None
    read: Callable[[Group], Stored] = lambda group: group.value(by)  # noqa: E731
    operand = test.operand
    if type_.folding is not None:
        read, operand = folded_getter(read, type_.folding.fold), type_.folding.operand(operand)
    compare: Any = COMPARISONS[test.operator]
    found: Callable[[Group], bool] = compare(read, operand, rank)
    return found


def _rank(by: Measure | GroupPart | int, type_: AttributeType) -> Callable[[Group], tuple[Any, ...]]:
    return lambda group: _rank_of(group.value(by), type_)


def _rank_of(value: Stored, type_: AttributeType) -> tuple[Any, ...]:
    if value is None:
        return ()
    return (type_.sort_key(value) if type_.folding is None else type_.folding.operand(value),)


def _first_after(groups: Sequence[Group], grouping: Grouping, types: Sequence[AttributeType]) -> int:
    """Return the number of the first of the sorted groups that lies after the start."""
    assert grouping.start is not None
    start = [_rank_of(*each) for each in zip(grouping.start, types, strict=True)]

    def is_after(group: Group) -> bool:
        for (by, descending), type_, limit in zip(grouping.places, types, start, strict=True):
            rank = _rank_of(group.value(by), type_)
            if rank != limit:
                return (rank < limit) is descending
        return False

    return next((number for number, group in enumerate(groups) if is_after(group)), len(groups))


def position_of_group(group: Group, grouping: Grouping) -> tuple[Stored, ...]:
    """Return the position of a group in the order of a request."""
    return tuple(group.value(by) for by, _ in grouping.places)
