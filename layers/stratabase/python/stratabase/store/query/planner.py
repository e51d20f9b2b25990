"""Chooses the plan for a query: of those that can answer it, the one believed to read the fewest objects.

There are three ways to the rows: by the ids that the filter names, by the class's listing (in the order of
the ids), and by each index. Each may be read in order until the page is full, or whole, and then sorted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from stratabase.domain.attributes import is_derived
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.filter import Filter, conjuncts
from stratabase.domain.query.page import Query
from stratabase.model.model import Class
from stratabase.store.engine.port import Engine
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.query.filter_analysis import (
    ASSUMED_DISTINCT_VALUES,
    Ids,
    ids_implied_by,
    index_constraints,
    selectivity,
    without_named_ids,
)
from stratabase.store.query.index_bounds import IndexBounds, index_bounds
from stratabase.store.query.index_scan import ScanSource
from stratabase.store.query.plans import IdOrderPlan, IndexOrderPlan, QueryPlan, SortPlan, reading_order
from stratabase.store.query.row_sources import IndexRanges, IndexRows, RowsByKey
from stratabase.store.query.rows import RowFilter
from stratabase.store.query.scan_order import scan_order

ASSUMED_OBJECTS = 10_000
"""How many objects a class is believed to have; only the proportions of estimates matter."""


class PlanSource(NamedTuple):
    """What a plan reads with."""

    engine: Engine
    limiter: ReadLimiter
    derive: Derive | None = None
    """Computes the derived values of objects that the query is about; None where it is about none."""
    tells_version_start: bool = True
    """Whether the states that are read must."""

    def filter(self, class_: Class, filter_: Filter | None) -> RowFilter:
        """Return what tests the objects of a class that are read."""
        return RowFilter(
            class_, filter_, self.limiter, self.derive, tells_version_start=self.tells_version_start
        )


class PlanCandidate(NamedTuple):
    """A way to answer a query."""

    description: str
    """For people."""
    estimated_reads: float
    """How many objects it is believed to read, if the class has ASSUMED_OBJECTS of them."""
    build: Callable[[PlanSource], QueryPlan]


def choose_plan(class_: Class, query: Query, paths: Iterable[AccessPath]) -> PlanCandidate:
    """Return the first of `plan_candidates`, without a look at those that cannot be it."""
    if by_key := _cheapest_first(_by_key(class_, query)):
        return by_key[0]
    # Without a filter, nothing is cheaper than the listing from its beginning to where the page ends.
    useful = () if query.filter is None and IdOrderPlan.serves(query) else paths
    return _cheapest_first(_by_range(class_, query, useful))[0]


def plan_candidates(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Sequence[PlanCandidate]:
    """Return all ways to answer a query, the cheapest first; before them, those that read by key alone."""
    return [*_cheapest_first(_by_key(class_, query)), *_cheapest_first(_by_range(class_, query, paths))]


def missing_index(class_: Class, query: Query) -> tuple[str, ...]:
    """Return the attributes of the index that would serve a query: first those equal, then the order.

    Nothing where the filter names the objects: then no index is read.
    """
    if ids_implied_by(query.filter) is not None:
        return ()
    constraints = index_constraints(query.filter, class_)
    equal = [name for name, one in constraints.items() if all(slice_.is_single for slice_ in one.slices)]
    ordered = [term.attribute for term in query.order.terms if term.attribute not in {"_id", *equal}]
    if any(is_derived(class_, name) for name in ordered):
        ordered = []
    ranged = [name for name in constraints if name not in equal][:1]
    return (*equal, *(ordered or ranged))


def _cheapest_first(candidates: Iterable[PlanCandidate]) -> Sequence[PlanCandidate]:
    return sorted(candidates, key=lambda candidate: candidate.estimated_reads)


def _by_key(class_: Class, query: Query) -> Iterator[PlanCandidate]:
    ids = ids_implied_by(query.filter)
    if ids is None:
        return
    left = without_named_ids(query.filter)
    noun = "object" if len(ids) == 1 else "objects"
    objects = f"the {len(ids):,} {noun} with an _id in the filter"
    if IdOrderPlan.serves(query):
        share = selectivity(conjuncts(left), class_)
        yield PlanCandidate(
            f"get {objects} in the order of _id until the page is full",
            _reads_until_full(query, share, len(ids)),
            lambda source: IdOrderPlan(_rows_by_key(source, class_, ids, left), query),
        )
    yield PlanCandidate(
        f"get all of {objects}, and sort the matches",
        len(ids),
        lambda source: SortPlan(_rows_by_key(source, class_, ids, left), class_, query),
    )


def _by_range(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Iterator[PlanCandidate]:
    yield from _by_listing(class_, query)
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
    order, objects = scan_order(path, bounds, reading_order(query)), ASSUMED_OBJECTS * bounds.selectivity
    left = bounds.residual_filter(query.filter)
    part = f"{len(bounds.ranges)} ranges of @index {path.label}"
    if len(bounds.ranges) == 1:
        part = f"a range of @index {path.label}" if bounds.covered else f"@index {path.label}"
    if order.is_useful or not _wants_window(query):
        # A run that has to be sorted is read whole.
        run = 0 if order.is_complete else objects / ASSUMED_DISTINCT_VALUES ** len(order.matched)
        until_full = _reads_until_full(query, selectivity(conjuncts(left), class_), objects)
        yield PlanCandidate(
            f"read {part} in order until the page is full",
            min(until_full + run, objects) + _reads_for_count(query, objects, tested=left is not None),
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
    """Return how many of some objects are read until the window is full, when a share of them matches."""
    window = query.window
    if not _wants_window(query):
        return 0
    return min(objects, (window.offset + window.size + 1) / max(share, 1 / ASSUMED_OBJECTS))


def _reads_for_count(query: Query, objects: float, *, tested: bool) -> float:
    """Return what counting costs beside; what need not be tested is not decoded either."""
    return 0 if not query.fields.total_count else objects if tested else objects / 4


def _wants_window(query: Query) -> bool:
    """Return whether more is wanted than a count."""
    return query.fields.items or query.fields.has_next or query.fields.has_prev


def _listed_rows(source: PlanSource, class_: Class, query: Query) -> IndexRows:
    return IndexRows(source.engine, class_, source.filter(class_, query.filter), source.limiter)


def _rows_by_key(source: PlanSource, class_: Class, ids: Ids, left: Filter | None) -> RowsByKey:
    return RowsByKey(source.engine, class_, ids, source.filter(class_, left), source.limiter)


def _scan_source(
    source: PlanSource, class_: Class, query: Query, path: AccessPath, bounds: IndexBounds
) -> ScanSource:
    ranges = IndexRanges(path.index_name, path.partition, bounds.ranges)
    row_filter = source.filter(class_, bounds.residual_filter(query.filter))
    index_rows = IndexRows(source.engine, class_, row_filter, source.limiter, ranges)
    return ScanSource(class_, index_rows, path, bounds)
