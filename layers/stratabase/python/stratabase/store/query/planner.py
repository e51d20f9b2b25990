"""Chooses the plan for a query: the candidate that is estimated to read the fewest objects.

A candidate combines an access method with a way of reading it.

- Access methods: by key, if the filter implies ids; by the listing of the class, in the order of ids; by an
  index (`@index`), in the ranges that index_bounds.py derives from the filter.
- Ways of reading: in order until the page is full, or read everything and sort.

Estimates use fixed shares (filter_analysis.py), because the store keeps no statistics.
`stratabase model explain` prints the candidates of a query.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from stratabase.domain.query.derived import Derive
from stratabase.domain.query.filter import Filter, conjuncts
from stratabase.domain.query.page import Query
from stratabase.model.api_names import ID
from stratabase.model.model import Class
from stratabase.store.engine.port import Engine
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.query.filter_analysis import (
    ASSUMED_DISTINCT_VALUES,
    Ids,
    ids_implied_by,
    index_constraints,
    may_index,
    selectivity,
    without_named_ids,
)
from stratabase.store.query.index_bounds import IndexBounds, index_bounds
from stratabase.store.query.index_scan import ScanSource
from stratabase.store.query.plans import IdOrderPlan, IndexOrderPlan, QueryPlan, SortPlan, reading_order
from stratabase.store.query.row_sources import IndexRanges, IndexRows, RowsByKey
from stratabase.store.query.rows import RowFilter
from stratabase.store.query.scan_strategy import scan_strategy

ASSUMED_OBJECTS = 10_000
"""The assumed number of objects of a class. Only the proportions of estimates matter."""


class PlanSource(NamedTuple):
    """The inputs of a plan's execution."""

    engine: Engine
    limiter: ReadLimiter
    derive: Derive | None = None
    """Computes the derived attributes that the query uses; None if it uses none."""
    needs_version_start: bool = True
    """Whether the states of rows must contain `_versionStart`, which takes time to format."""

    def filter(self, class_: Class, filter_: Filter | None) -> RowFilter:
        """Return the filter for the rows of a class."""
        return RowFilter(
            class_, filter_, self.limiter, self.derive, needs_version_start=self.needs_version_start
        )


class PlanCandidate(NamedTuple):
    """A plan that could answer a query, with its estimated cost."""

    description: str
    """In English, for `stratabase model explain`."""
    estimated_reads: float
    """The number of objects that the plan is estimated to read in a class of ASSUMED_OBJECTS."""
    build: Callable[[PlanSource], QueryPlan]
    """Creates the plan."""


def choose_plan(class_: Class, query: Query, paths: Iterable[AccessPath]) -> PlanCandidate:
    """Return the first of `plan_candidates`, without creating those that cannot be the first."""
    # 1. Reads by key are strongly consistent and read only the named objects. So they take precedence.
    if by_key := _cheapest_first(_by_key(class_, query)):
        return by_key[0]
    # 2. Without a filter, and in the order of ids, nothing is cheaper than the listing.
    useful = () if query.filter is None and IdOrderPlan.serves(query) else paths
    return _cheapest_first(_by_range(class_, query, useful))[0]


def plan_candidates(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Sequence[PlanCandidate]:
    """Return all candidates: first those that read by key, then the others; each sorted by cost."""
    return [*_cheapest_first(_by_key(class_, query)), *_cheapest_first(_by_range(class_, query, paths))]


def missing_index(class_: Class, query: Query) -> tuple[str, ...]:
    """Return the attributes of an index that would serve a query.

    These are the attributes with single values, then those of the order, or else one with a range of values.
    Return nothing if the filter implies ids, because then no index is read.
    """
    if ids_implied_by(query.filter) is not None:
        return ()
    constraints = index_constraints(query.filter, class_)
    equal = [
        name for name, one in constraints.items() if all(range_.is_single_value for range_ in one.ranges)
    ]
    ordered = [term.attribute for term in query.order.terms if term.attribute not in {ID, *equal}]
    if not all(may_index(class_, name) for name in ordered):
        ordered = []
    ranged = [name for name in constraints if name not in equal][:1]
    return (*equal, *(ordered or ranged))


def _cheapest_first(candidates: Iterable[PlanCandidate]) -> Sequence[PlanCandidate]:
    return sorted(candidates, key=lambda candidate: candidate.estimated_reads)


def _by_key(class_: Class, query: Query) -> Iterator[PlanCandidate]:
    ids = ids_implied_by(query.filter)
    if ids is None:
        return
    residual = without_named_ids(query.filter)
    noun = "object" if len(ids) == 1 else "objects"
    objects = f"the {len(ids):,} {noun} with an _id in the filter"
    if IdOrderPlan.serves(query):
        share = selectivity(conjuncts(residual), class_)
        yield PlanCandidate(
            f"get {objects} in the order of _id until the page is full",
            _reads_until_full(query, share, len(ids)),
            lambda source: IdOrderPlan(_rows_by_key(source, class_, ids, residual), query),
        )
    yield PlanCandidate(
        f"get all of {objects}, and sort the matches",
        len(ids),
        lambda source: SortPlan(_rows_by_key(source, class_, ids, residual), class_, query),
    )


def _by_range(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Iterator[PlanCandidate]:
    yield from _by_listing(class_, query)
    # The filter becomes constraints on single attributes, and these become ranges of each index.
    constraints = index_constraints(query.filter, class_)
    for path in paths:
        if path.is_usable_for(class_):
            yield from _by_index(class_, query, path, index_bounds(path, constraints))


def _by_listing(class_: Class, query: Query) -> Iterator[PlanCandidate]:
    if IdOrderPlan.serves(query):
        share = selectivity(conjuncts(query.filter), class_)
        yield PlanCandidate(
            "read the class in the order of _id until the page is full",
            _reads_until_full(query, share, ASSUMED_OBJECTS)
            + _reads_for_count(query, ASSUMED_OBJECTS, tested=False),
            lambda source: IdOrderPlan(_listed_rows(source, class_, query), query),
        )
    yield PlanCandidate(
        "read all objects of the class, and sort the matches",
        ASSUMED_OBJECTS,
        lambda source: SortPlan(_listed_rows(source, class_, query), class_, query),
    )


def _by_index(class_: Class, query: Query, path: AccessPath, bounds: IndexBounds) -> Iterator[PlanCandidate]:
    strategy = scan_strategy(path, bounds, reading_order(query))
    objects = ASSUMED_OBJECTS * bounds.selectivity
    residual = bounds.residual_filter(query.filter)
    part = f"{len(bounds.ranges)} ranges of @index {path.label}"
    if len(bounds.ranges) == 1:
        part = f"a range of @index {path.label}" if bounds.covered else f"@index {path.label}"
    if strategy.is_useful or not _wants_window(query):
        # Before a run can be sorted, all of it must be read. Assume that each matched column divides the
        # objects into ASSUMED_DISTINCT_VALUES runs.
        run = (
            0
            if strategy.is_fully_sorted
            else objects / ASSUMED_DISTINCT_VALUES ** len(strategy.matched_attributes)
        )
        until_full = _reads_until_full(query, selectivity(conjuncts(residual), class_), objects)
        yield PlanCandidate(
            f"read {part} in order until the page is full",
            min(until_full + run, objects) + _reads_for_count(query, objects, tested=residual is not None),
            lambda source: IndexOrderPlan(_scan_source(source, class_, query, path, bounds), query),
        )
    if bounds.covered:
        yield PlanCandidate(
            f"read all of {part}, and sort the matches",
            objects,
            lambda source: SortPlan(
                _scan_source(source, class_, query, path, bounds).index_rows, class_, query
            ),
        )


def _reads_until_full(query: Query, share: float, objects: float) -> float:
    """Return the estimated number of objects to read until the page is full.

    `share`: the share of objects that match. `objects`: the number of objects that can be read.
    """
    window = query.window
    if not _wants_window(query):
        return 0
    return min(objects, (window.offset + window.size + 1) / max(share, 1 / ASSUMED_OBJECTS))


def _reads_for_count(query: Query, objects: float, *, tested: bool) -> float:
    """Return the additional cost of `totalCount`.

    `tested`: whether each object must be tested. If not, it is not decoded, which costs a quarter.
    """
    return 0 if not query.fields.total_count else objects if tested else objects / 4


def _wants_window(query: Query) -> bool:
    """Return whether the query requests more than a count."""
    return query.fields.items or query.fields.has_next or query.fields.has_prev


def _listed_rows(source: PlanSource, class_: Class, query: Query) -> IndexRows:
    return IndexRows(source.engine, class_, source.filter(class_, query.filter), source.limiter)


def _rows_by_key(source: PlanSource, class_: Class, ids: Ids, residual: Filter | None) -> RowsByKey:
    return RowsByKey(source.engine, class_, ids, source.filter(class_, residual), source.limiter)


def _scan_source(
    source: PlanSource, class_: Class, query: Query, path: AccessPath, bounds: IndexBounds
) -> ScanSource:
    ranges = IndexRanges(path.index_name, path.partition, bounds.ranges)
    row_filter = source.filter(class_, bounds.residual_filter(query.filter))
    index_rows = IndexRows(source.engine, class_, row_filter, source.limiter, ranges)
    return ScanSource(class_, index_rows, path, bounds)
