"""The conditions of grants, asked of the objects that a write is about: as they are, and as they would be."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand, DemandKey
from stratabase.domain.access.writing import condition_of, unmet
from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.decision import Decision
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue
from stratabase.model.class_ import Action
from stratabase.model.expressions import Circumstances, Expression
from stratabase.operations.fetching.known import Known
from stratabase.operations.foresight import as_it_is, as_it_was, as_it_would_be
from stratabase.operations.seeing.conditions import values_of
from stratabase.operations.world import World

_OF_WHAT_IS = frozenset({Action.EDIT, Action.DELETE})
_OF_WHAT_WOULD_BE = frozenset({Action.EDIT, Action.CREATE})


class Asked(NamedTuple):
    """A demand, and what must hold for its object."""

    demand: Demand
    where: Expression


def refusals(
    world: World, decision: Decision, circumstances: Circumstances, allowance: Allowance
) -> list[Issue]:
    """Return an issue of each demand whose condition does not hold. Raises TooMuchRead."""
    access = decision.graph.setting.access
    asked = [] if access is None else [*_asked(access, decision)]
    if access is None or not asked:
        return []
    given = (world, decision, circumstances, allowance)
    now = [each for each in asked if each.demand.action in _OF_WHAT_IS]
    then = [each for each in asked if each.demand.action in _OF_WHAT_WOULD_BE]
    unmet_keys = {*failed(as_it_is(*given), now), *failed(as_it_would_be(*given), then)}
    # What comes back must be what it might be then, too: what was hidden would be told now.
    for at, former in _former(decision, then).items():
        unmet_keys |= {*failed(as_it_was(*given, at), former)}
    return [unmet(access, demand) for demand, _ in asked if demand.key in unmet_keys]


def _asked(access: Access, decision: Decision) -> Iterator[Asked]:
    """Yield what must hold of objects; not of those that are hidden, and so not there."""
    seen = decision.graph.setting.snapshot.seen
    for demand in decision.demands:
        where = condition_of(access, demand)
        if where is not None and seen.get(demand.reference, True):
            yield Asked(demand, where)


def _former(decision: Decision, asked: Sequence[Asked]) -> Mapping[Instant, Sequence[Asked]]:
    """Return what must hold of what comes back, by the instant of which it does."""
    versions = decision.graph.setting.snapshot.versions.items()
    instants = {reference: at for (reference, at), version in versions if version is not None}
    found: dict[Instant, list[Asked]] = defaultdict(list)
    for each in asked:
        if each.demand.reference in instants:
            found[instants[each.demand.reference]].append(each)
    return found


def failed(known: Known, asked: Sequence[Asked]) -> Iterator[DemandKey]:
    """Yield the keys of demands whose condition does not hold; nothing is asked of what is not there."""
    known.settle(demand.reference for demand, _ in asked)
    conditions: dict[str, dict[Expression, None]] = defaultdict(dict)
    there: dict[str, dict[Reference, Entity]] = defaultdict(dict)
    for demand, where in asked:
        entity = known.get(demand.reference)
        if entity is not None:
            conditions[demand.reference.class_name][where] = None
            there[demand.reference.class_name][demand.reference] = entity
    values = values_of(
        known,
        known.circumstances,
        {name: ([*wheres], [*there[name].values()]) for name, wheres in conditions.items()},
    )
    held = {
        (reference, where)
        for name, rows in values.items()
        for reference, row in zip(there[name], rows, strict=True)
        for where, value in zip(conditions[name], row, strict=True)
        if value is True
    }
    for demand, where in asked:
        is_there = demand.reference in there[demand.reference.class_name]
        if is_there and (demand.reference, where) not in held:
            yield demand.key
