"""What is believed of one head that a change is about, and what a refused commit teaches of it.

A change believes that a head counts what it should count, and that it is there where it is counted off.
A head that is older than a count gets it when it is first needed, as the number of the links that there are;
one that is gone has nothing to be counted off.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from stratabase.domain.objects.change import Deletion, ObjectEffect
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
    TargetNotFound,
)
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store import codec
from stratabase.store.demands import Demand
from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import NO_EXPECTATION, Delete, Expectation, Item, Key, Patch, Put
from stratabase.store.locks import EVERYBODY, Admitting
from stratabase.store.presence import living

CountLinks = Callable[[Reference, RoleName], int]
"""Tells how many there are of what a role counts at an object."""
IsFreed = Callable[[Key], bool]
"""Tells whether a guard is left to nobody, as is believed."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted at the objects of a class."""

    roles: tuple[RoleName, ...] = ()
    barriers: frozenset[RoleName] = frozenset()
    """Those whose keys lead here and are required: while there are any, the object must not be deleted."""
    optional: bool = False
    """The head may not be there although the object is: it is a singleton's."""
    unbuilt: tuple[RoleName, ...] = ()
    """The required roles that may lead here from objects that are not linked or counted yet."""
    unbuilt_lists: frozenset[RoleName] = frozenset()
    """The required roles of the objects themselves whose counts cannot be relied on yet."""


@dataclass(slots=True)
class Head:
    """The head of one object. `base`: what its effect does to it, if it has one."""

    reference: Reference
    base: Put | Patch | Delete | None
    demand: Demand
    counted: Counted
    commit_id: str
    forced: bool = False
    """Nothing is refused because a required role would be empty: that was asked before."""
    touched: bool = False
    """The object is written through: it must be there, though nothing is done to it."""
    admitting: Admitting = EVERYBODY
    """What its lock must be like, if it is written or touched."""
    unchanged: Expectation = NO_EXPECTATION
    """What else is expected of an object that is touched."""
    kind: type[ObjectEffect] | None = None
    """Of the effect on its object, if it has one."""
    gone: bool = False
    absent: dict[RoleName, int] = field(default_factory=dict)
    """The roles that it does not count yet, and how many there are."""

    def judge(self, found: Item | None, count: CountLinks, is_freed: IsFreed) -> list[RoleViolation]:
        """Return what is wrong with the roles if this is the head, and learn from it. Raises Conflict."""
        if not is_met(self.unchanged if self.base is None else self.base.expect, found):
            raise Conflict
        if (head := living(found)) is None:
            return self._learn_nothing()
        bereft = [RequiredRoleEmpty(self.reference, role) for role in self.bereft(is_freed)]
        return [*bereft, *self._judged(head, count)]

    @property
    def ends(self) -> bool:
        """Whether its object is deleted."""
        return self.kind is Deletion

    def impossible(self) -> RoleViolation | None:
        """Return what can be told without looking.

        Something is to lead to what the change deletes, or it cannot be known yet what needs that.
        """
        wanted = self.demand.there or self.demand.linked
        if self.ends and wanted:
            return TargetNotFound(self.reference)
        role = None if self.forced else self._unbuilt()
        return None if role is None else RoleNotBuilt(self.reference, role)

    def _unbuilt(self) -> RoleName | None:
        """Return a required role that might be emptied here, and of which that cannot be known yet."""
        if self.ends:
            return next(iter(self.counted.unbuilt), None)
        lost = (role for role, number in self.demand.tally.items() if number < 0)
        return next((role for role in lost if role in self.counted.unbuilt_lists), None)

    def is_torn(self, is_freed: IsFreed) -> bool:
        """Return whether it must be there for one reason, and must not for another: no action says that."""
        is_there = isinstance(self.base, Patch) or self.demand.there or self.touched
        return is_there and any(self.bereft(is_freed))

    def bereft(self, is_freed: IsFreed) -> list[RoleName]:
        """Return the required roles that would be empty if the head were there, whatever it counts."""
        if self.forced or isinstance(self.base, Delete | Put):
            return []
        return [role for guard, role in self.demand.freed.items() if is_freed(guard)]

    def asked(self) -> list[RoleName]:
        """Return the roles whose counts matter."""
        if self.ends:
            return [] if self.forced else [*self.counted.barriers]
        return [role for role, number in self.demand.tally.items() if number]

    def _learn_nothing(self) -> list[RoleViolation]:
        if self.counted.optional:
            self.absent = dict.fromkeys(self.demand.tally, 0)
            return []
        if self.touched:
            raise Conflict
        if self.demand.there:
            return [TargetNotFound(self.reference)]
        self.gone = self.base is None
        return []

    def _judged(self, found: Item, count: CountLinks) -> Iterator[RoleViolation]:
        counts = codec.counts(found)
        for role in self.asked():
            if role in counts:
                self.absent.pop(role, None)
            else:
                self.absent[role] = count(self.reference, role)
            if not self._is_enough(role, counts.get(role, self.absent.get(role, 0))):
                yield RequiredRoleEmpty(self.reference, role)

    def _is_enough(self, role: RoleName, number: int) -> bool:
        """Return whether what is counted now may become what it would become."""
        more = self.demand.tally[role]
        if self.ends:
            return number + more <= 0
        return self.forced or role in self.counted.barriers or more >= 0 or number + more > 0
