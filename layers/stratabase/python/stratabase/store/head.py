"""One head in a change: what its object's effect does to it and what associations demand, in one action.

A change believes that a head counts what it should count, and that it is there where it is counted off. What
a refused commit found teaches better: a head that is older than a count gets it when it is first needed, as
the number of the links that there are; one that is gone has nothing to be counted off.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from stratabase.domain.change import Bereft, Breach, Conflict, Missing
from stratabase.domain.entity import Reference
from stratabase.domain.role_name import RoleName
from stratabase.store import codec, keys
from stratabase.store.demands import Demand
from stratabase.store.engine import (
    FREE,
    Action,
    Check,
    Condition,
    Delete,
    Expectation,
    Item,
    Key,
    Patch,
    Put,
    Test,
    Value,
)
from stratabase.store.expect import holds

CountLinks = Callable[[Reference, RoleName], int]
"""Tells how many there are of what a role counts at an object."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted at the objects of a class."""

    roles: tuple[RoleName, ...] = ()
    barriers: frozenset[RoleName] = frozenset()
    """Those whose keys lead here and are required: while there are any, the object must not be deleted."""
    optional: bool = False
    """The head may not be there although the object is: it is a singleton's."""


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
    gone: bool = False
    absent: dict[RoleName, int] = field(default_factory=dict)
    """The roles that it does not count yet, and how many there are."""

    def action(self, beside: Check | None, is_freed: Callable[[Key], bool]) -> Action | None:
        """Return what to do under the present belief; None where that is nothing.

        `beside`: what others expect of it. `is_freed`: whether a guard is left to nobody, as is believed.
        """
        if self.base is not None:
            return _MERGED[type(self.base)](self, self.base)
        if self.gone or self._bereft(is_freed):
            return Check(self._key, FREE)
        patch = self._counting(Patch(self._key, Expectation(None if self.counted.optional else True)))
        expect = _both(patch.expect, beside.expect) if beside else patch.expect
        if patch.set or patch.add:
            return replace(patch, expect=expect)
        return Check(self._key, expect) if self.demand.there or beside else None

    def judge(self, found: Item | None, count: CountLinks, is_freed: Callable[[Key], bool]) -> list[Breach]:
        """Return what is wrong with the roles if this is the head, and learn from it. Raises Conflict."""
        if self.base is not None and not holds(self.base.expect, found):
            raise Conflict
        if found is None:
            return self._learn_nothing()
        bereft = [Bereft(self.reference, role) for role in self._bereft(is_freed)]
        return [*bereft, *self._judged(found, count)]

    def impossible(self) -> Breach | None:
        """Return what can be told without looking: something is to lead to what the change deletes."""
        wanted = self.demand.there or self.demand.linked
        return Missing(self.reference) if isinstance(self.base, Delete) and wanted else None

    def is_torn(self, is_freed: Callable[[Key], bool]) -> bool:
        """Return whether it must be there for one reason, and must not for another: no action says that."""
        is_there = isinstance(self.base, Patch) or self.demand.there
        return is_there and any(self._bereft(is_freed))

    @property
    def _key(self) -> Key:
        return keys.head(self.reference)

    def _bereft(self, is_freed: Callable[[Key], bool]) -> list[RoleName]:
        """Return the required roles that would be empty if the head were there, whatever it counts."""
        if self.forced or isinstance(self.base, Delete | Put):
            return []
        return [role for guard, role in self.demand.freed.items() if is_freed(guard)]

    def _learn_nothing(self) -> list[Breach]:
        if self.counted.optional:
            self.absent = dict.fromkeys(self.demand.tally, 0)
            return []
        if self.demand.there:
            return [Missing(self.reference)]
        self.gone = self.base is None
        return []

    def _judged(self, found: Item, count: CountLinks) -> Iterator[Breach]:
        counts = codec.counts(found)
        for role in self._asked():
            if role in counts:
                self.absent.pop(role, None)
            else:
                self.absent[role] = count(self.reference, role)
            if not self._is_enough(role, counts.get(role, self.absent.get(role, 0))):
                yield Bereft(self.reference, role)

    def _asked(self) -> list[RoleName]:
        """Return the roles whose counts the action depends on."""
        if isinstance(self.base, Delete):
            return [] if self.forced else [*self.counted.barriers]
        return [role for role, number in self.demand.tally.items() if number]

    def _is_enough(self, role: RoleName, number: int) -> bool:
        """Return whether what is counted now may become what it would become."""
        after = number + self.demand.tally[role]
        if isinstance(self.base, Delete):
            return after <= 0
        return self.forced or role in self.counted.barriers or self.demand.tally[role] >= 0 or after > 0

    def merged_put(self, base: Put) -> Action:
        """Return the head of a new object, with all its counts."""
        counts = {codec.count_name(role): self.demand.tally[role] for role in self.counted.roles}
        stamp = self._stamp()
        if not counts and not stamp:
            return base
        attributes = {**base.item.attributes, **counts, **stamp}
        return replace(base, item=replace(base.item, attributes=attributes))

    def merged_patch(self, base: Patch) -> Action:
        """Return a change of the object and of what is counted."""
        return self._counting(base)

    def merged_delete(self, base: Delete) -> Action:
        """Return the end of an object to which no required key leads that does not end as well."""
        conditions = tuple(self._unneeded(role) for role in self._asked())
        return replace(base, expect=_both(base.expect, Expectation(None, conditions)))

    def _unneeded(self, role: RoleName) -> Condition:
        if role in self.absent:
            return Condition(codec.count_name(role), Test.ABSENT)
        return Condition(codec.count_name(role), Test.AT_MOST, -self.demand.tally[role])

    def _counting(self, base: Patch) -> Patch:
        tally = {role: number for role, number in self.demand.tally.items() if number}
        first = {
            codec.count_name(role): self.absent[role] + tally[role] for role in tally if role in self.absent
        }
        more = {codec.count_name(role): number for role, number in tally.items() if role not in self.absent}
        conditions = tuple(self._countable(role, number) for role, number in tally.items())
        return replace(
            base,
            expect=_both(base.expect, Expectation(None, conditions)),
            set={**base.set, **first, **self._stamp()},
            add={**base.add, **more},
        )

    def _countable(self, role: RoleName, number: int) -> Condition:
        name = codec.count_name(role)
        if role in self.absent:
            return Condition(name, Test.ABSENT)
        if number < 0 and role not in self.counted.barriers and not self.forced:
            return Condition(name, Test.MORE_THAN, -number)
        return Condition(name, Test.PRESENT)

    def _stamp(self) -> dict[str, Value]:
        return {codec.LINKED: self.commit_id} if self.demand.linked else {}


_MERGED: Mapping[type[Any], Callable[[Head, Any], Action]] = {
    Put: Head.merged_put,
    Patch: Head.merged_patch,
    Delete: Head.merged_delete,
}


def _both(one: Expectation, other: Expectation) -> Expectation:
    """Return what expects both; that something is there goes before that it is not."""
    exists = one.exists if other.exists is None else (one.exists or other.exists)
    return Expectation(
        exists, (*one.conditions, *(each for each in other.conditions if each not in one.conditions))
    )
