"""What the associations that a change makes and ends demand of the heads of objects."""

from collections import Counter
from dataclasses import dataclass, field

from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store import keys
from stratabase.store.association import End
from stratabase.store.engine.port import Key
from stratabase.store.ties import Tie, Ties


@dataclass(slots=True)
class Demand:
    """What is demanded of one head."""

    there: bool = False
    """It must be there, since something is to lead to it."""
    linked: bool = False
    """It gets links."""
    tally: Counter[RoleName] = field(default_factory=Counter)
    """How many more (fewer) are to be counted of some roles."""
    freed: dict[Key, RoleName] = field(default_factory=dict)
    """Guards left to nobody, each with the required role that would be empty if the head were there."""


class Demands(dict[Reference, Demand]):
    """By object."""

    def __missing__(self, reference: Reference) -> Demand:
        """Return a demand that can be added to."""
        self[reference] = Demand()
        return self[reference]


def demands(all_ties: Ties) -> Demands:
    """Return what associations that are made and ended demand."""
    found = Demands()
    for tie in all_ties.left:
        if tie.keyed.counted or tie.keyed.needed:
            _leave(found[tie.end], tie)
    for tie in all_ties.set:
        _lead_to(found[tie.end], tie)
    for each in all_ties.parted:
        for end, reference, _ in each.sides():
            _count(found, reference, end, -1)
    for each in all_ties.joined:
        for end, reference, _ in each.sides():
            found[reference].there |= not end.always
            found[reference].linked |= end.kept
            _count(found, reference, end, 1)
    return found


def _leave(demand: Demand, tie: Tie) -> None:
    demand.tally.subtract(tie.keyed.counted)
    if tie.keyed.needed:
        assert tie.keyed.back is not None
        demand.freed[keys.couple(tie.keyed.role, tie.target)] = tie.keyed.back


def _lead_to(demand: Demand, tie: Tie) -> None:
    demand.there = True
    demand.tally.update(tie.keyed.counted)


def _count(found: Demands, reference: Reference, end: End, number: int) -> None:
    if end.required:
        found[reference].tally[end.role] += number
