"""Which plan answers a query: of those that can, the one that is believed to read the fewest objects."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from stratabase.domain.derived_query import Derive
from stratabase.domain.filter import Filter, conjuncts
from stratabase.domain.page import Query
from stratabase.model.class_ import Class
from stratabase.model.plurals import counted
from stratabase.store.access_path import AccessPath
from stratabase.store.budget import Budget
from stratabase.store.engine import Engine
from stratabase.store.listing import Listing, Part
from stratabase.store.named import Named
from stratabase.store.plans.constraints import DISTINCT, constraints, share_of
from stratabase.store.plans.course import course
from stratabase.store.plans.indexed import Indexed
from stratabase.store.plans.named import Ids, named, rest
from stratabase.store.plans.plan import Plan, travelled
from stratabase.store.plans.reach import Reach, reach
from stratabase.store.plans.scanned import Scanned
from stratabase.store.plans.streamed import Streamed
from stratabase.store.plans.walk import Ground
from stratabase.store.sieve import Sieve

BELIEVED = 10_000
"""How many objects a class is believed to have; only the proportions of estimates matter."""


class Source(NamedTuple):
    """What a plan reads from."""

    engine: Engine
    budget: Budget
    derive: Derive | None = None
    """What gives objects the derived values that the query is about; None where it is about none."""
    tells_version_start: bool = True
    """Whether the states that are read must."""

    def sieve(self, class_: Class, filter_: Filter | None) -> Sieve:
        """Return what tests the objects of a class that are read."""
        return Sieve(class_, filter_, self.budget, self.derive, tells_version_start=self.tells_version_start)


class Candidate(NamedTuple):
    """A way to answer a query."""

    why: str
    """For people."""
    reads: float
    """How many objects of a class of BELIEVED it is believed to read."""
    plan: Callable[[Source], Plan]


def chosen(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Candidate:
    """Return the first of all candidates, without a look at those that cannot be it."""
    by_key = _cheapest_first(_by_key(class_, query))
    # Nothing is cheaper than the listing from its beginning to where the page ends.
    known = () if query.filter is None and Streamed.serves(query) else paths
    return by_key[0] if by_key else _cheapest_first(_by_range(class_, query, known))[0]


def candidates(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Sequence[Candidate]:
    """Return all ways to answer a query, the cheapest first; before them, those that read by key alone."""
    return [*_cheapest_first(_by_key(class_, query)), *_cheapest_first(_by_range(class_, query, paths))]


def _cheapest_first(found: Iterable[Candidate]) -> Sequence[Candidate]:
    return sorted(found, key=lambda candidate: candidate.reads)


def _by_key(class_: Class, query: Query) -> Iterator[Candidate]:
    ids = named(query.filter)
    if ids is None:
        return
    part, left = f"the {counted(len(ids), 'object')} that the filter names by _id", rest(query.filter)
    if Streamed.serves(query):
        share = share_of(conjuncts(left), class_)
        yield Candidate(
            f"get {part} in the order of _id until the page is full",
            _until_full(query, share, len(ids)),
            lambda source: Streamed(_named(source, class_, ids, left), class_, query),
        )
    yield Candidate(
        f"get all of {part}, and sort those that match",
        len(ids),
        lambda source: Scanned(_named(source, class_, ids, left), class_, query),
    )


def _by_range(class_: Class, query: Query, paths: Iterable[AccessPath]) -> Iterator[Candidate]:
    yield from _by_listing(class_, query)
    constraints_ = constraints(query.filter, class_)
    for path in paths:
        if path.serves(class_):
            yield from _by_index(class_, query, path, reach(path, constraints_))


def _by_listing(class_: Class, query: Query) -> Iterator[Candidate]:
    if Streamed.serves(query):
        share = share_of(conjuncts(query.filter), class_)
        yield Candidate(
            "read the class in the order of _id until the page is full",
            _until_full(query, share, BELIEVED) + _counted(query, BELIEVED, tested=False),
            lambda source: Streamed(_listing(source, class_, query), class_, query),
        )
    yield Candidate(
        "read all objects of the class, and sort those that match",
        BELIEVED,
        lambda source: Scanned(_listing(source, class_, query), class_, query),
    )


def _by_index(class_: Class, query: Query, path: AccessPath, reach_: Reach) -> Iterator[Candidate]:
    course_, there = course(path, reach_, travelled(query)), BELIEVED * reach_.share
    left = reach_.rest(query.filter)
    part = f"what lies in {len(reach_.ranges)} ranges of @index {path.shown}"
    if len(reach_.ranges) == 1:
        part = f"a range of @index {path.shown}" if reach_.served else f"@index {path.shown}"
    if course_.serves or not _window_wanted(query):
        run = 0 if course_.aligned else there / DISTINCT ** len(course_.matched)
        yield Candidate(
            f"read {part} in order until the page is full",
            min(_until_full(query, share_of(conjuncts(left), class_), there) + run, there)
            + _counted(query, there, tested=left is not None),
            lambda source: Indexed(_ground(source, class_, query, path, reach_), query),
        )
    if reach_.served:
        yield Candidate(
            f"read all of {part}, and sort what matches",
            there,
            lambda source: Scanned(_ground(source, class_, query, path, reach_).listing, class_, query),
        )


def _until_full(query: Query, share: float, there: float) -> float:
    """Return how many objects are read until the window is full, when a share of them matches."""
    window = query.window
    if not _window_wanted(query):
        return 0
    return min(there, (window.offset + window.size + 1) / max(share, 1 / BELIEVED))


def _window_wanted(query: Query) -> bool:
    """Return whether more is wanted than a count."""
    return query.wanted.items or query.wanted.has_next or query.wanted.has_prev


def _counted(query: Query, there: float, *, tested: bool) -> float:
    """Return what counting costs beside; what need not be tested is not decoded either."""
    return 0 if not query.wanted.total_count else there if tested else there / 4


def _listing(source: Source, class_: Class, query: Query) -> Listing:
    return Listing(source.engine, class_, source.sieve(class_, query.filter), source.budget)


def _named(source: Source, class_: Class, ids: Ids, left: Filter | None) -> Named:
    return Named(source.engine, class_, ids, source.sieve(class_, left), source.budget)


def _ground(source: Source, class_: Class, query: Query, path: AccessPath, reach_: Reach) -> Ground:
    part = Part(path.index_name, path.partition, reach_.ranges)
    sieve = source.sieve(class_, reach_.rest(query.filter))
    listing = Listing(source.engine, class_, sieve, source.budget, part)
    return Ground(class_, listing, path, reach_)
