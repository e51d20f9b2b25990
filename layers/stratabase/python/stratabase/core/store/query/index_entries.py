"""Counts the matches of a query by their values in the entries of an index, without reading an object.

The index must have all values that the totals and the filter use. Only engines do this whose indexes can be
read without the objects (`Engine.count_beginnings`).
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.page import Matches, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class
from stratabase.core.model.types.temporal import TemporalType
from stratabase.core.store.engine.port import Beginnings
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout.access_path import (
    NOT_NULL,
    SHORTEST_TRUNCATED,
    VALUE_END,
    AccessPath,
    Column,
    first_values,
    read_values,
)
from stratabase.core.store.query.filter_analysis import index_constraints
from stratabase.core.store.query.index_bounds import IndexBounds, index_bounds
from stratabase.core.store.query.planner import describe_part, note_plan
from stratabase.core.store.query.schema import QuerySchema
from stratabase.core.store.read.context import StoreContext

_MOST = 50_000
"""The number of different combinations of values above which the objects are read."""
_BATCH = 1_000
"""The number of combinations to return at a time, after which other requests may proceed."""


def count_entries(store: StoreContext, query: Query, budget: ReadBudget) -> Iterator[Matches] | None:
    """Return the matches by their values; None if no index has all of them, or if reading costs no more.

    The query is one for totals that no derived attribute takes part in. Raises ReadBudgetExceeded.
    """
    if query.fields.beginnings is None:
        return None
    class_ = store.model.classes[query.class_name]
    schema = QuerySchema(store.model, store.associations, store.write_schema())
    use = min(_uses(class_, query, schema), key=lambda each: each.cost, default=None)
    counts = None if use is None else use.counts(store)
    if use is None or counts is None:
        return None
    note_plan(class_, f"count the entries of {describe_part(use.path, use.bounds)} by their values")
    return _batches(use, class_, counts, ReadLimiter(budget, class_.name))


class _Use(NamedTuple):
    """An index that has all values which a query needs."""

    path: AccessPath
    bounds: IndexBounds
    residual: Filter | None
    """The part of the filter to test on the values."""
    columns: Mapping[int, Column]
    """The columns that are needed, by their places in the index."""
    length: int | None
    """How many characters of the last of these columns are needed, None for all."""

    @property
    def cost(self) -> tuple[float, int]:
        """What the index costs in comparison with others: the share of the entries, and their columns."""
        return self.bounds.selectivity, max(self.columns)

    def counts(self, store: StoreContext) -> Mapping[str, int] | None:
        """Return how many entries there are by the beginning that has the values, None if it cannot be."""
        beginnings, path, found = Beginnings(self._beginning(), _MOST), self.path, dict[str, int]()
        for partition in path.partitions:
            counts = store.engine.count_beginnings(path.index_name, partition, self.bounds.ranges, beginnings)
            if counts is None:
                return None
            for text, number in counts.items():
                found[text] = found.get(text, 0) + number
        # The index may have only a part of such a text.
        return None if any(len(text) >= SHORTEST_TRUNCATED for text in found) else found

    def _beginning(self) -> Callable[[str], str]:
        values, length = max(self.columns) + 1, self.length

        def cut(text: str) -> str:
            assert length is not None
            at = len(first_values(text, values - 1))
            return text[: at + 1 + length] if text.startswith(NOT_NULL, at) else text[: at + 1]

        return cut if length is not None else lambda text: first_values(text, values)

    def states(self) -> Callable[[str], State]:
        """Return a function from the beginning of an entry to its values."""
        last = max(self.columns)
        readers = [
            (column.attribute, place, _Values(column, is_cut=place == last and self.length is not None))
            for place, column in self.columns.items()
        ]

        def state(text: str) -> State:
            values = read_values(text if text.endswith(VALUE_END) else text + VALUE_END)
            return {name: read[values[place]] for name, place, read in readers}

        return state


class _Values(dict[str | None, Any]):
    """The values of a column by their texts. Many entries have the same."""

    def __init__(self, column: Column, *, is_cut: bool) -> None:
        super().__init__({None: None})
        self._type = column.type
        self._is_cut = is_cut

    def __missing__(self, text: str) -> Any:
        read, whole = self._type.storage.from_index_text, text
        if self._is_cut:
            assert isinstance(self._type, TemporalType)
            whole = self._type.completed(text)
        assert read is not None
        self[text] = value = read(whole)
        return value


def _uses(class_: Class, query: Query, schema: QuerySchema) -> Iterator[_Use]:
    constraints = index_constraints(query.filter, class_)
    for path in schema.paths(class_):
        bounds = index_bounds(path, constraints)
        residual = bounds.residual_filter(query.filter)
        tested = _compared(residual)
        needed = None if tested is None else {**(query.fields.beginnings or {}), **dict.fromkeys(tested)}
        if not needed or not needed.keys() <= set(path.attributes):
            continue
        columns = {at: each for at, each in enumerate(path.columns) if each.attribute in needed}
        if all(each.storage.from_index_text is not None for each in columns.values()):
            last = columns[max(columns)].attribute
            yield _Use(path, bounds, residual, columns, needed[last])


def _compared(filter_: Filter | None) -> frozenset[str] | None:
    """Return the attributes that a filter compares with values, None if it does something else."""
    if filter_ is None:
        return frozenset()
    if isinstance(filter_, Comparison):
        return frozenset({filter_.attribute})
    if isinstance(filter_, Not):
        return _compared(filter_.part)
    if not isinstance(filter_, And | Or):
        return None
    found = [_compared(part) for part in filter_.parts]
    return None if None in found else frozenset().union(*(each for each in found if each is not None))


def _batches(use: _Use, class_: Class, counts: Mapping[str, int], limiter: ReadLimiter) -> Iterator[Matches]:
    state_of = use.states()
    matches = None if use.residual is None else matcher(use.residual, class_, limiter.compare)
    entries = iter(counts.items())
    while batch := [*islice(entries, _BATCH)]:
        found = [(state_of(text), number) for text, number in batch]
        if matches is not None:
            found = [each for each in found if matches(each[0])]
        yield Matches([state for state, _ in found], [number for _, number in found])
        waiting.give_way()
