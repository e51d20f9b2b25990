"""Which plan answers a query: of those that can, the one that is believed to read the fewest objects."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

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
    index_constraints,
    named_ids,
    selectivity,
    without_named_ids,
)
from stratabase.store.query.index_bounds import IndexBounds, index_bounds
from stratabase.store.query.index_scan import ScanSource
from stratabase.store.query.plans import IdOrderPlan, IndexOrderPlan, Plan, SortPlan, travel_order
from stratabase.store.query.row_sources import IndexRanges, IndexRows, RowsByKey
from stratabase.store.query.rows import RowFilter
from stratabase.store.query.scan_order import scan_order
from stratabase.wording import pluralize

ASSUMED_OBJECTS = 10_000
"""How many objects a class is believed to have; only the proportions of estimates matter."""


class PlanSource(NamedTuple):
    """What a plan reads from."""

    engine: Engine
    limiter: ReadLimiter
    derive: Derive | None = None
    """What gives objects the derived values that the query is about; None where it is about none."""
    tells_version_start: bool = True
    """Whether the states that are read must."""

    def sieve(self, class_: Class, filter_: Filter | None) -> RowFilter:
        """Return what tests the objects of a class that are read."""
        return RowFilter(
            class_, filter_, self.limiter, self.derive, tells_version_start=self.tells_version_start
        )


class PlanCandidate(NamedTuple):
    """A way to answer a query."""

    description: str
    """For people."""
    estimated_reads: float
    """How many objects of a class of BELIEVED it is believed to read."""
    build: Callable[[PlanSource], Plan]


def choose_plan(class_: Class, query: Query, paths: Iterable[AccessPath]) -> PlanCandidate:
    """Return the first of all candidates, without a look at those that cannot be it."""
    by_key = _cheapest_first(_by_key(class_, query))
    # Nothing is cheaper than the listing from its beginning to where the page ends.
    known = () if query.filter is None and IdOrderPlan.serves(query) else paths
    return by_key[0] if by_key else _cheapest_first(_by_range(class_, query, known))[0]


def plan_candidates(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Sequence[PlanCandidate]:
    """Return all ways to answer a query, the cheapest first; before them, those that read by key alone."""
    return [*_cheapest_first(_by_key(class_, query)), *_cheapest_first(_by_range(class_, query, paths))]


def _cheapest_first(found: Iterable[PlanCandidate]) -> Sequence[PlanCandidate]:
    return sorted(found, key=lambda candidate: candidate.estimated_reads)


def _by_key(class_: Class, query: Query) -> Iterator[PlanCandidate]:
    ids = named_ids(query.filter)
    if ids is None:
        return
    part, left = (
        f"the {pluralize(len(ids), 'object')} that the filter names by _id",
        without_named_ids(query.filter),
    )
    if IdOrderPlan.serves(query):
        share = selectivity(conjuncts(left), class_)
        yield PlanCandidate(
            f"get {part} in the order of _id until the page is full",
            _until_full(query, share, len(ids)),
            lambda source: IdOrderPlan(_named(source, class_, ids, left), class_, query),
        )
    yield PlanCandidate(
        f"get all of {part}, and sort those that match",
        len(ids),
        lambda source: SortPlan(_named(source, class_, ids, left), class_, query),
    )


def _by_range(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Iterator[PlanCandidate]:
    yield from _by_listing(class_, query)
    constraints_ = index_constraints(query.filter, class_)
    for path in paths:
        if path.is_usable_for(class_):
            yield from _by_index(class_, query, path, index_bounds(path, constraints_))


def _by_listing(class_: Class, query: Query) -> Iterator[PlanCandidate]:
    if IdOrderPlan.serves(query):
        share = selectivity(conjuncts(query.filter), class_)
        yield PlanCandidate(
            "read the class in the order of _id until the page is full",
            _until_full(query, share, ASSUMED_OBJECTS) + _counted(query, ASSUMED_OBJECTS, tested=False),
            lambda source: IdOrderPlan(_listing(source, class_, query), class_, query),
        )
    yield PlanCandidate(
        "read all objects of the class, and sort those that match",
        ASSUMED_OBJECTS,
        lambda source: SortPlan(_listing(source, class_, query), class_, query),
    )


def _by_index(class_: Class, query: Query, path: AccessPath, reach_: IndexBounds) -> Iterator[PlanCandidate]:
    course_, there = scan_order(path, reach_, travel_order(query)), ASSUMED_OBJECTS * reach_.selectivity
    left = reach_.residual_filter(query.filter)
    part = f"what lies in {len(reach_.ranges)} ranges of @index {path.label}"
    if len(reach_.ranges) == 1:
        part = f"a range of @index {path.label}" if reach_.covered else f"@index {path.label}"
    if course_.is_useful or not _window_wanted(query):
        run = 0 if course_.fully_ordered else there / ASSUMED_DISTINCT_VALUES ** len(course_.matched)
        yield PlanCandidate(
            f"read {part} in order until the page is full",
            min(_until_full(query, selectivity(conjuncts(left), class_), there) + run, there)
            + _counted(query, there, tested=left is not None),
            lambda source: IndexOrderPlan(_ground(source, class_, query, path, reach_), query),
        )
    if reach_.covered:
        yield PlanCandidate(
            f"read all of {part}, and sort what matches",
            there,
            lambda source: SortPlan(_ground(source, class_, query, path, reach_).listing, class_, query),
        )


def _until_full(query: Query, share: float, there: float) -> float:
    """Return how many objects are read until the window is full, when a share of them matches."""
    window = query.window
    if not _window_wanted(query):
        return 0
    return min(there, (window.offset + window.size + 1) / max(share, 1 / ASSUMED_OBJECTS))


def _window_wanted(query: Query) -> bool:
    """Return whether more is wanted than a count."""
    return query.fields.items or query.fields.has_next or query.fields.has_prev


def _counted(query: Query, there: float, *, tested: bool) -> float:
    """Return what counting costs beside; what need not be tested is not decoded either."""
    return 0 if not query.fields.total_count else there if tested else there / 4


def _listing(source: PlanSource, class_: Class, query: Query) -> IndexRows:
    return IndexRows(source.engine, class_, source.sieve(class_, query.filter), source.limiter)


def _named(source: PlanSource, class_: Class, ids: Ids, left: Filter | None) -> RowsByKey:
    return RowsByKey(source.engine, class_, ids, source.sieve(class_, left), source.limiter)


def _ground(
    source: PlanSource, class_: Class, query: Query, path: AccessPath, reach_: IndexBounds
) -> ScanSource:
    part = IndexRanges(path.index_name, path.partition, reach_.ranges)
    sieve = source.sieve(class_, reach_.residual_filter(query.filter))
    listing = IndexRows(source.engine, class_, sieve, source.limiter, part)
    return ScanSource(class_, listing, path, reach_)
