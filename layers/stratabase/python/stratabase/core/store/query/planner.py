"""Chooses the plan for a query: the candidate that is estimated to read the fewest objects.

A candidate combines an access method with a way of reading it.

- Access methods: by key, if the filter implies ids; by the guards of unique values; by the listing of the
  class, in the order of ids; by an index (`@index`), in the ranges that index_bounds.py derives from the
  filter; by a semi-join (semi_join.py), if the filter is about the objects that a role leads to.
- Ways of reading: in order until the page is full, or read everything and sort.

What finds objects need not be part of the filter: it can also be what the filter or the caller's grants imply
(`Query.implied`).

Estimates use fixed shares (filter_analysis.py), because the store keeps no statistics.
`stratabase model explain` prints the candidates of a query.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.query.derived import split_filter
from stratabase.core.domain.query.filter import And, Comparison, Filter, IdSet, conjuncts, ids_implied_by
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.taken_plan import AdvisedIndex, NotePlan, TakenPlan
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class, Unique
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.codec import StateDecoder
from stratabase.core.store.query.filter_analysis import (
    ASSUMED_DISTINCT_VALUES,
    ASSUMED_OBJECTS,
    index_constraints,
    may_index,
    selectivity,
    unique_values,
    without_named_ids,
)
from stratabase.core.store.query.index_bounds import WHOLE_INDEX, IndexBounds, index_bounds
from stratabase.core.store.query.index_scan import ScanSource
from stratabase.core.store.query.plans import IdOrderPlan, IndexOrderPlan, QueryPlan, SortPlan, reading_order
from stratabase.core.store.query.query_shape import QueryShape, query_shape
from stratabase.core.store.query.row_sources import (
    HitRate,
    IndexRanges,
    IndexRows,
    PlanSource,
    RowsByKey,
    RowsInMemory,
    RowSource,
)
from stratabase.core.store.query.rows import row_entity
from stratabase.core.store.query.scan_strategy import ScanStrategy, scan_strategy
from stratabase.core.store.query.schema import Found, QuerySchema
from stratabase.core.store.query.semi_join import (
    MAX_TARGETS,
    Join,
    find_owners,
    find_targets,
    joins_of,
)
from stratabase.core.store.read.unique_lookup import find_holders


class PlanCandidate(NamedTuple):
    """A plan that could answer a query, with its estimated cost."""

    description: str
    """In English, for `stratabase model explain`."""
    estimated_reads: float
    """The number of objects that the plan is estimated to read in a class of ASSUMED_OBJECTS."""
    build: Callable[[PlanSource, Query], QueryPlan | None]
    """Creates the plan for the query. Returns None if it would read much more than estimated."""
    is_reusable: bool = False
    """Whether `build` also takes other queries of the same shape (query_shape.py)."""


class _Target(NamedTuple):
    """A query with all that finds its objects."""

    class_: Class
    query: Query
    schema: QuerySchema | None

    @property
    def known(self) -> Filter | None:
        """The filter, and all that is implied."""
        query = self.query
        if query.implied is None and query.implied_by_grants is None:
            return query.filter
        parts = (query.filter, query.implied, query.implied_by_grants)
        return And(tuple(part for part in parts if part is not None))

    @property
    def paths(self) -> Iterable[AccessPath]:
        return () if self.schema is None else self.schema.paths(self.class_)

    def share(self, filter_: Filter | None) -> float:
        """Return the estimated share of the objects that match the query among those in some ranges.

        `filter_`: the part of the filter that objects in the ranges may fail.
        """
        model = None if self.schema is None else self.schema.model
        share = selectivity(conjuncts(filter_), self.class_, model)
        if self.query.implied is None and self.query.implied_by_grants is None:
            return share
        # What implies these conditions is part of the filter, and counted there as one of unknown share.
        implied = [*conjuncts(self.query.implied), *conjuncts(self.query.implied_by_grants)]
        return min(share, selectivity(implied, self.class_, model))


class _Choice(NamedTuple):
    """The chosen candidate for all queries of one shape, and what they have in common."""

    candidate: PlanCandidate
    decoder: StateDecoder
    """The decoder of the states that they read."""
    hit_rate: HitRate


_MAX_CHOICES = 1000
"""The maximum number of shapes whose choices are kept."""

_note: ContextVar[NotePlan | None] = ContextVar("note_of_plans", default=None)


@contextmanager
def record_plans(note: NotePlan) -> Iterator[None]:
    """Report each plan that the current request takes inside the `with` block, also to the blocks around it.

    A plan that finds the targets of a semi-join is reported before the plan of the semi-join.
    """
    outer = _note.get()

    def note_everywhere(plan: TakenPlan) -> None:
        note(plan)
        if outer is not None:
            outer(plan)

    token = _note.set(note_everywhere)
    try:
        yield
    finally:
        _note.reset(token)


def build_plan(class_: Class, query: Query, schema: QuerySchema | None, source: PlanSource) -> QueryPlan:
    """Return the plan for a query: of the cheapest candidate that turns out to read as little as estimated.

    `schema`: None for a store without indexes. Raises ReadBudgetExceeded.
    """
    shape = None if schema is None or source.derive is not None else query_shape(class_, query)
    choices: dict[QueryShape, _Choice] = {} if schema is None else schema.built.plan_choices
    if shape is not None and (choice := choices.get(shape)) is not None:
        source = source._replace(decoder=choice.decoder, hit_rate=choice.hit_rate)
        plan = choice.candidate.build(source, query)
        assert plan is not None, "a reusable candidate builds a plan for each query"
        _note_candidate(class_, query, schema, choice.candidate)
        return plan
    hit_rate = None if shape is None else HitRate()
    source = source._replace(hit_rate=hit_rate)
    for candidate in _in_turn(_Target(class_, query, schema)):
        plan = candidate.build(source, query)
        if plan is not None:
            if shape is not None and hit_rate is not None and candidate.is_reusable:
                if len(choices) >= _MAX_CHOICES:
                    choices.clear()
                choices[shape] = _Choice(candidate, source.decoder_of(class_, query), hit_rate)
            _note_candidate(class_, query, schema, candidate)
            return plan
    raise AssertionError


def note_plan(class_: Class, description: str) -> None:
    """Report a plan that the current request takes, if it is asked for."""
    if note := _note.get():
        note(TakenPlan(class_.name, description))


def _note_candidate(class_: Class, query: Query, schema: QuerySchema | None, taken: PlanCandidate) -> None:
    if note := _note.get():
        missing = advised_index(class_, query, schema, taken)
        advised = None if missing is None else AdvisedIndex(missing.class_.name, missing.attributes)
        note(TakenPlan(class_.name, taken.description, advised))


def plan_candidates(class_: Class, query: Query, schema: QuerySchema | None) -> Sequence[PlanCandidate]:
    """Return all candidates in the order in which `build_plan` takes them.

    First come those that read by key, then the others; each sorted by cost.
    """
    target = _Target(class_, query, schema)
    return [*_cheapest_first(_by_key(target)), *_cheapest_first(_others(target))]


def _in_turn(target: _Target) -> Iterator[PlanCandidate]:
    """Yield the candidates in turn, without creating those that can only come last."""
    # 1. Reads by key are strongly consistent and read only the named objects. So they take precedence.
    yield from _cheapest_first(_by_key(target))
    # 2. Without a filter, and in the order of ids, nothing is cheaper than the listing.
    if target.known is None and IdOrderPlan.serves(target.query):
        yield from _cheapest_first(_by_listing(target))
    else:
        yield from _cheapest_first(_others(target))


def _others(target: _Target) -> Iterator[PlanCandidate]:
    yield from _by_listing(target)
    yield from _selective(target)


def _selective(target: _Target) -> Iterator[PlanCandidate]:
    """Yield the candidates that do not read by key, and not the whole class in the order of ids."""
    known = target.known
    if known is not None:
        yield from _by_unique(target, known)
    # The filter becomes constraints on single attributes, and these become ranges of each index.
    constraints = index_constraints(known, target.class_)
    for path in target.paths:
        yield from _by_index(target, path, index_bounds(path, constraints))
    if known is not None:
        yield from _by_semi_join(target)


def missing_index(class_: Class, query: Query) -> tuple[str, ...]:
    """Return the attributes of an index that would serve a query.

    These are the attributes with single values, then those of the order, or else one with a range of values.
    Return nothing if the filter implies ids, because then no index is read.
    """
    # What grants imply is not named: refusals show this to callers, who may not know these attributes.
    known = _Target(class_, replace(query, implied_by_grants=None), None).known
    if ids_implied_by(known) is not None:
        return ()
    constraints = index_constraints(known, class_)
    equal = [
        name for name, one in constraints.items() if all(range_.is_single_value for range_ in one.ranges)
    ]
    ordered = [term.attribute for term in query.order.terms if term.attribute not in {ID, *equal}]
    if not all(may_index(class_, name) for name in ordered):
        ordered = []
    ranged = [name for name in constraints if name not in equal][:1]
    return (*equal, *(ordered or ranged))


class MissingIndex(NamedTuple):
    """An index that would serve a query."""

    class_: Class
    attributes: tuple[str, ...]
    """The attributes, and possibly a role whose key the objects hold."""

    @property
    def is_declared(self) -> bool:
        """Whether the model declares it, so that it only needs to be built."""
        names = self.attributes
        return any(index.attributes[: len(names)] == names for index in self.class_.indexes)


def advised_index(
    class_: Class, query: Query, schema: QuerySchema | None, taken: PlanCandidate
) -> MissingIndex | None:
    """Return an index to add to the model, with which a query would read less than by the candidate it takes.

    Return None if that is a tenth of the class or less, or if the model declares such an index.
    """
    if taken.estimated_reads <= ASSUMED_OBJECTS / 10:
        return None
    missing = MissingIndex(class_, missing_index(class_, query))
    if schema is not None and (not missing.attributes or missing.is_declared):
        missing = missing_index_along_roles(joins_of(query), schema) or missing
    return missing if missing.attributes and not missing.is_declared else None


def missing_index_along_roles(joins: Iterable[Join], schema: QuerySchema) -> MissingIndex | None:
    """Return an index by which filters on roles would find objects, None if there is nothing to add."""
    for join in joins:
        target, role = schema.target(join.role), schema.role(join.role)
        found = _targets_of(schema, join)
        if target is None:
            continue
        if found is None or found.matches > MAX_TARGETS:
            query_there = Query(target.name, Order(), join.part)
            names = missing_index(target, query_there)
            further = missing_index_along_roles(joins_of(query_there), schema)
            if names or further:
                return MissingIndex(target, names) if names else further
        elif role.holds_key and schema.way_back(join.role) is None:
            return MissingIndex(schema.model.classes[join.role.class_name], (role.name,))
    return None


def _cheapest_first(candidates: Iterable[PlanCandidate]) -> Sequence[PlanCandidate]:
    return sorted(candidates, key=lambda candidate: candidate.estimated_reads)


def _by_key(target: _Target) -> Iterator[PlanCandidate]:
    ids = ids_implied_by(target.known)
    if ids is None:
        return
    noun = "object" if len(ids) == 1 else "objects"
    objects = f"the {len(ids):,} {noun} with an _id in the filter"
    residual = without_named_ids(target.query.filter)
    for verb, reads, build in _ways_by_key(target, residual, len(ids)):

        def build_by_ids(source: PlanSource, _query: Query, build: _BuildByKey = build) -> QueryPlan:
            return build(source, ids)

        yield PlanCandidate(verb.format(objects), reads, build_by_ids)


_BuildByKey = Callable[[PlanSource, IdSet], QueryPlan]


def _ways_by_key(
    target: _Target, residual: Filter | None, objects: float
) -> Iterator[tuple[str, float, _BuildByKey]]:
    """Yield the ways to read objects by key: a description, the number of reads, and the plan by ids."""
    class_, query = target.class_, target.query
    if IdOrderPlan.serves(query):
        yield (
            "get {} in the order of _id until the page is full",
            _reads_until_full(query, target.share(residual), objects),
            lambda source, ids: IdOrderPlan(_rows_by_key(source, target, ids, residual), query),
        )
    yield (
        "get all of {}, and sort the matches",
        objects,
        lambda source, ids: SortPlan(_rows_by_key(source, target, ids, residual), class_, query),
    )


def _by_unique(target: _Target, known: Filter) -> Iterator[PlanCandidate]:
    """Yield a plan for each uniqueness constraint of which the filter says all values.

    Among plans of equal cost, it comes first, because the others are only estimates.
    """
    class_, query, schema = target
    for unique in class_.uniques:
        values = unique_values(known, unique)
        if values is None or schema is None or not schema.is_guarded(class_, unique):
            continue

        def build(
            source: PlanSource, _query: Query, unique: Unique = unique, values: Sequence[State] = values
        ) -> QueryPlan:
            heads = find_holders(source.engine, class_, unique, values, source.limiter)
            rows = RowsInMemory(heads, source.filter(class_, query, query.filter))
            return IdOrderPlan(rows, query) if IdOrderPlan.serves(query) else SortPlan(rows, class_, query)

        names = ", ".join(unique.attributes)
        objects = (
            "the object with the value" if len(values) == 1 else f"the objects with {len(values)} values"
        )
        yield PlanCandidate(f"get {objects} of @unique {names}", len(values), build)


def _by_semi_join(target: _Target) -> Iterator[PlanCandidate]:
    """Yield plans that find the objects by those that a role leads to."""
    schema = target.schema
    if schema is None:
        return
    for join in joins_of(target.query):
        found = _targets_of(schema, join)
        if found is not None and found.matches <= MAX_TARGETS:
            yield from _back_along_role(target, schema, join, found)
            yield from _by_own_key(target, schema, join, found)


class _FoundTargets(NamedTuple):
    """The targets of a semi-join, and how to find them."""

    way: PlanCandidate
    matches: float
    """The estimated number of targets."""
    find: Callable[[PlanSource], Sequence[Entity] | None]


def _targets_of(schema: QuerySchema, join: Join) -> _FoundTargets | None:
    """Return how to find the targets of a semi-join, None if this is not cheaper than to read all of them."""
    class_ = schema.target(join.role)
    if class_ is None:
        return None
    query = Query(
        class_.name,
        Order(),
        split_filter(join.part, class_).stored if join.sees_everything else join.part,
        Window(MAX_TARGETS + 1),
        PageFields(version_start=False),
        implied_by_grants=join.part if join.sees_everything else None,
    )
    target = _Target(class_, query, schema)
    ways = _cheapest_first([*_by_key(target), *_selective(target)])
    if not ways:
        return None
    matches = max(1, ASSUMED_OBJECTS * target.share(query.filter))

    def find_all(source: PlanSource) -> Sequence[Entity] | None:
        # Objects that fail the rest of the filter do no harm here, so what must be computed is not tested.
        source = source._replace(derive=None, related=None)
        plans = (way.build(source, query) for way in ways)
        plan = next((plan for plan in plans if plan is not None), None)
        return None if plan is None else list(map(row_entity, plan.rows()))

    def find_visible(source: PlanSource) -> Sequence[Entity] | None:
        budget = source.limiter.budget
        return None if source.related is None or budget is None else source.related(query, budget).items

    return _FoundTargets(ways[0], matches, find_all if join.sees_everything else find_visible)


def _back_along_role(
    target: _Target, schema: QuerySchema, join: Join, targets: _FoundTargets
) -> Iterator[PlanCandidate]:
    """Yield plans that follow a role back from its targets, and read the objects there by key."""
    way_back = schema.way_back(join.role)
    if way_back is None:
        return
    lookups = 0 if way_back.found is Found.STATE else targets.matches
    # All classes are assumed to have the same number of objects, so about one object leads to each target.
    owners = targets.matches
    objects = f"the objects from which {join.role.role_name} leads there"
    for verb, reads, build in _ways_by_key(target, target.query.filter, owners):

        def build_joined(source: PlanSource, _query: Query, build: _BuildByKey = build) -> QueryPlan | None:
            found = find_targets(source, targets.find)
            ids = None if found is None else find_owners(source, found, way_back)
            return None if ids is None else build(source, ids)

        yield PlanCandidate(
            f"in {schema.role(join.role).target}, {targets.way.description}; then {verb.format(objects)}",
            targets.way.estimated_reads + lookups + reads,
            build_joined,
        )


def _by_own_key(
    target: _Target, schema: QuerySchema, join: Join, targets: _FoundTargets
) -> Iterator[PlanCandidate]:
    """Yield plans that find the objects by their own key of a role, in an index or by its uniqueness."""
    name = join.role.role_name
    columns = {column.attribute for path in target.paths for column in path.columns}
    if name not in columns.union(*(unique.attributes for unique in target.class_.uniques)):
        return
    count = max(1, round(targets.matches))
    # Before the targets are known, any ids give the same estimates.
    _narrowed, estimated = _with_key(target, name, [f"{number:03}" for number in range(count)])

    def build(source: PlanSource, _query: Query) -> QueryPlan | None:
        found = find_targets(source, targets.find)
        if found is None:
            return None
        narrowed, ways = _with_key(target, name, [each.reference.id for each in found])
        plans = (way.build(source, narrowed) for way in ways)
        return next((plan for plan in plans if plan is not None), None)

    if estimated:
        yield PlanCandidate(
            f"in {schema.role(join.role).target}, {targets.way.description}; then {estimated[0].description}",
            targets.way.estimated_reads + estimated[0].estimated_reads,
            build,
        )


def _with_key(target: _Target, name: str, ids: Sequence[str]) -> tuple[Query, Sequence[PlanCandidate]]:
    """Return the query if the key of a role is one of some ids, and the plans for it that use this key.

    These use an index or a uniqueness constraint with the role. The cheapest one comes first.
    """
    key = Comparison(name, Operator.IN, tuple(ids))
    implied = And(tuple(conjuncts(And(tuple(filter(None, (target.query.implied, key)))))))
    narrowed = target._replace(query=replace(target.query, implied=implied))
    known = narrowed.known
    assert known is not None
    constraints = index_constraints(known, target.class_)
    found = [*_by_unique(narrowed, known)]
    for path in target.paths:
        bounds = index_bounds(path, constraints)
        if key in bounds.covered:
            found += _by_index(narrowed, path, bounds)
    return narrowed.query, _cheapest_first(found)


class _Count(NamedTuple):
    """A way to count the matches of a query that tests no object: by the ranges of an index."""

    part: str
    """What is counted, in English."""
    reads: float
    """What this costs, as a number of objects to read."""
    rows: Callable[[PlanSource, Query], RowSource]


def _count_by_index(target: _Target) -> _Count | None:
    """Return how an index counts the matches of a filter, beside a page in another order. None if none can.

    SQLite counts in no time. DynamoDB charges for a count what it charges to read.
    """
    class_, query, _schema = target
    if query.filter is None or not query.fields.total_count or not _wants_window(query):
        return None
    constraints = index_constraints(target.known, class_)
    exact = [
        (bounds.selectivity, number, path, bounds)
        for number, path in enumerate(target.paths)
        if (bounds := index_bounds(path, constraints)).residual_filter(query.filter) is None
    ]
    if not exact:
        return None
    share, _number, path, bounds = min(exact)

    use = _IndexUse(target, path, bounds)

    def rows(source: PlanSource, query: Query) -> RowSource:
        # The filter needs no derived attributes, so counting needs none either.
        return use.scan_source(source._replace(derive=None), query).index_rows

    return _Count(describe_part(path, bounds), ASSUMED_OBJECTS * share * _COUNT_COST, rows)


_COUNT_COST = 0.75
"""What it costs to count an object by an index, in comparison with reading it."""


def _by_listing(target: _Target) -> Iterator[PlanCandidate]:
    class_, query, _schema = target
    count = _count_by_index(target)
    if count is not None and IdOrderPlan.serves(query, counts_elsewhere=True):
        counted = count.rows
        yield PlanCandidate(
            f"read the class in the order of _id until the page is full, and count {count.part}",
            _reads_until_full(query, target.share(query.filter), ASSUMED_OBJECTS) + count.reads,
            lambda source, query: IdOrderPlan(
                _listed_rows(source, target, query), query, counted(source, query)
            ),
            is_reusable=True,
        )
    if IdOrderPlan.serves(query):
        share = target.share(query.filter)
        yield PlanCandidate(
            "read the class in the order of _id until the page is full",
            _reads_until_full(query, share, ASSUMED_OBJECTS)
            + _reads_for_count(query, ASSUMED_OBJECTS, tested=False),
            lambda source, query: IdOrderPlan(_listed_rows(source, target, query), query),
            is_reusable=True,
        )
    yield PlanCandidate(
        "read all objects of the class, and sort the matches",
        ASSUMED_OBJECTS,
        lambda source, query: SortPlan(_listed_rows(source, target, query), class_, query),
        is_reusable=True,
    )


class _IndexUse(NamedTuple):
    """The ranges of an index that a query needs, and those of other queries of the same shape."""

    target: _Target
    path: AccessPath
    bounds: IndexBounds
    """The ranges for the query of `target`."""
    strategy: ScanStrategy | None = None
    """How to read these ranges in the reading order; None if they are not read in an order."""

    def scan_source(self, source: PlanSource, query: Query) -> ScanSource:
        """Return the source of a scan for a query of the shape of the target's."""
        target, path, bounds, strategy = self
        class_ = target.class_
        if query is not target.query and bounds.ranges is not WHOLE_INDEX.ranges:
            known = target._replace(query=query).known
            bounds, strategy = index_bounds(path, index_constraints(known, class_)), None
        # An object moves in an index when one of its values changes, unless all values are the same there.
        are_stable = bounds.is_exact and len(bounds.ranges) == 1 and len(bounds.fixed) == len(path.columns)
        ranges = IndexRanges(path.index_name, path.partitions, bounds.ranges, are_stable)
        row_filter = source.filter(class_, query, bounds.residual_filter(query.filter))
        return ScanSource(class_, IndexRows(source, class_, row_filter, ranges), path, bounds, strategy)


def _by_index(target: _Target, path: AccessPath, bounds: IndexBounds) -> Iterator[PlanCandidate]:
    class_, query, _schema = target
    strategy = scan_strategy(path, bounds, reading_order(query))
    use = _IndexUse(target, path, bounds, strategy)
    objects = ASSUMED_OBJECTS * bounds.selectivity
    residual = bounds.residual_filter(query.filter)
    part = describe_part(path, bounds)
    if strategy.is_useful or not _wants_window(query):
        # Before a run can be sorted, all of it must be read. Assume that each matched column divides the
        # objects into ASSUMED_DISTINCT_VALUES runs.
        run = (
            0
            if strategy.is_fully_sorted
            else objects / ASSUMED_DISTINCT_VALUES ** len(strategy.matched_attributes)
        )
        until_full = min(_reads_until_full(query, _residual_share(target, bounds), objects) + run, objects)
        yield PlanCandidate(
            f"read {part} in order until the page is full",
            until_full + _reads_for_count(query, objects, tested=residual is not None),
            lambda source, query: IndexOrderPlan(use.scan_source(source, query), query),
            is_reusable=True,
        )
        count = None if residual is None else _count_by_index(target)
        if count is not None:
            counted = count.rows
            yield PlanCandidate(
                f"read {part} in order until the page is full, and count {count.part}",
                until_full + count.reads,
                lambda source, query: IndexOrderPlan(
                    use.scan_source(source, query), query, counted(source, query)
                ),
                is_reusable=True,
            )
    if bounds.covered:
        yield PlanCandidate(
            f"read all of {part}, and sort the matches",
            objects,
            lambda source, query: SortPlan(use.scan_source(source, query).index_rows, class_, query),
            is_reusable=True,
        )


def describe_part(path: AccessPath, bounds: IndexBounds) -> str:
    """Return what ranges of an index are called in the description of a plan."""
    if len(bounds.ranges) != 1:
        return f"{len(bounds.ranges)} ranges of @index {path.label}"
    return f"a range of @index {path.label}" if bounds.covered else f"@index {path.label}"


def _residual_share(target: _Target, bounds: IndexBounds) -> float:
    """Return the estimated share of matches among the objects in the ranges of an index."""
    residual = bounds.residual_filter(target.query.filter)
    if target.query.implied is None and target.query.implied_by_grants is None:
        return target.share(residual)
    # The ranges may come from implied conditions: compare with the share of the matches in the whole class.
    return min(1.0, target.share(target.query.filter) / max(bounds.selectivity, 1 / ASSUMED_OBJECTS))


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


def _listed_rows(source: PlanSource, target: _Target, query: Query) -> IndexRows:
    class_, _query, schema = target
    listing = None if schema is None else schema.built.listing(class_.name)
    ranges = None if listing is None else IndexRanges(listing.index_name, listing.partitions)
    return IndexRows(source, class_, source.filter(class_, query, query.filter), ranges)


def _rows_by_key(source: PlanSource, target: _Target, ids: IdSet, residual: Filter | None) -> RowsByKey:
    class_ = target.class_
    row_filter = source.filter(class_, target.query, residual)
    return RowsByKey(source.engine, class_, ids, row_filter, source.limiter)
