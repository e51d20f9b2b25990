"""The write of one head: its object's effect and the counts of its roles, merged to one action.

The first attempt assumes that the head has every count that the change alters, and exists where one is
counted off. A refused attempt corrects that (`HeadWrite.learn`): a head that is older than a count gets it
now, as the number of the links that exist; of an object that is deleted nothing is counted off.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from stratabase.domain.objects.change import Creation, Deletion, Modification, ObjectEffect, Restoration
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
    TargetNotFound,
)
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import (
    NO_EXPECTATION,
    Action,
    Check,
    Condition,
    ConditionOperator,
    Delete,
    Expectation,
    Item,
    Key,
    Patch,
    Put,
    Value,
)
from stratabase.store.layout import codec, keys
from stratabase.store.layout.heads import OBJECT_ABSENT, OBJECT_EXISTS, live_head
from stratabase.store.layout.locks import NO_LOCK_CONDITIONS, LockConditions
from stratabase.store.write.association_changes import CountDelta

CountLinks = Callable[[Reference, RoleName], int]
"""Returns how many objects a role leads to, or how many lead there by it, as the links tell."""
IsReleased = Callable[[Key], bool]
"""Returns whether nobody holds a guard after the change."""


@dataclass(frozen=True, slots=True)
class CountedRoles:
    """The roles that the heads of a class count."""

    roles: tuple[RoleName, ...] = ()
    required_keys: frozenset[RoleName] = frozenset()
    """Those whose keys lead here and are required: while there are any, the object must not be deleted."""
    may_be_unwritten: bool = False
    """The class is a singleton, whose object exists before it has a head."""
    unbuilt: tuple[RoleName, ...] = ()
    """The required roles that may lead here from objects that are not linked or counted yet."""
    unbuilt_lists: frozenset[RoleName] = frozenset()
    """The required roles of the objects themselves whose counts cannot be relied on yet."""


@dataclass(slots=True)
class HeadWrite:
    """What a change does to one head: its object's effect and the counts of its roles, as one action."""

    reference: Reference
    effect_action: Put | Patch | Delete | None
    """What the effect on the object does, if the change has one."""
    delta: CountDelta
    counted: CountedRoles
    commit_id: str
    ignores_required: bool = False
    """Nothing is refused because a required role would be empty: that was checked before."""
    is_touched: bool = False
    """The object is written through: it must exist, though nothing is done to it."""
    lock_conditions: LockConditions = NO_LOCK_CONDITIONS
    """What its lock must be like, if it is touched."""
    also_expected: Expectation = NO_EXPECTATION
    """What else is expected of an object that is touched."""
    effect_type: type[ObjectEffect] | None = None
    is_absent: bool = False
    """A refused attempt has found that the object does not exist."""
    uncounted: dict[RoleName, int] = field(default_factory=dict)
    """The roles that the head does not count yet, with the number of their links."""

    @property
    def is_deletion(self) -> bool:
        """Whether the change deletes the object."""
        return self.effect_type is Deletion

    # What is refused, and what a refused attempt teaches.

    def certain_violation(self) -> RoleViolation | None:
        """Return what is wrong whatever the store holds; None if nothing is.

        Something is to lead to an object that the change deletes, or a required role is not built yet.
        """
        if self.is_deletion and (self.delta.must_exist or self.delta.gains_links):
            return TargetNotFound(self.reference)
        role = None if self.ignores_required else self._unbuilt_role()
        return None if role is None else RoleNotBuilt(self.reference, role)

    def _unbuilt_role(self) -> RoleName | None:
        """Return a required role that the change might leave empty, and whose counts are not built yet."""
        if self.is_deletion:
            return next(iter(self.counted.unbuilt), None)
        lost = (role for role, number in self.delta.counts.items() if number < 0)
        return next((role for role in lost if role in self.counted.unbuilt_lists), None)

    def is_contradictory(self, is_released: IsReleased) -> bool:
        """Return whether it must exist for one reason and must not for another, which no action expresses."""
        must_exist = isinstance(self.effect_action, Patch) or self.delta.must_exist or self.is_touched
        return must_exist and any(self._emptied_roles(is_released))

    def learn(self, found: Item | None, count: CountLinks, is_released: IsReleased) -> list[RoleViolation]:
        """Correct the write by the head that was found; return what is wrong with roles. Raises Conflict."""
        expected = self.also_expected if self.effect_action is None else self.effect_action.expect
        if not is_met(expected, found):
            raise Conflict
        if (head := live_head(found)) is None:
            return self._learn_absence()
        emptied = [RequiredRoleEmpty(self.reference, role) for role in self._emptied_roles(is_released)]
        return [*emptied, *self._learn_counts(head, count)]

    def _learn_absence(self) -> list[RoleViolation]:
        if self.counted.may_be_unwritten:
            self.uncounted = dict.fromkeys(self.delta.counts, 0)
            return []
        if self.is_touched:
            raise Conflict
        if self.delta.must_exist:
            return [TargetNotFound(self.reference)]
        self.is_absent = self.effect_action is None
        return []

    def _learn_counts(self, found: Item, count: CountLinks) -> Iterator[RoleViolation]:
        counts = codec.counts(found)
        for role in self._relevant_roles():
            if role in counts:
                self.uncounted.pop(role, None)
            else:
                self.uncounted[role] = count(self.reference, role)
            if not self._is_enough(role, counts.get(role, self.uncounted.get(role, 0))):
                yield RequiredRoleEmpty(self.reference, role)

    def _is_enough(self, role: RoleName, number: int) -> bool:
        """Return whether a count may change as the change wants it."""
        more = self.delta.counts[role]
        if self.is_deletion:
            return number + more <= 0
        return self.ignores_required or role in self.counted.required_keys or more >= 0 or number + more > 0

    def _emptied_roles(self, is_released: IsReleased) -> list[RoleName]:
        """Return the required one-to-one roles that the change leaves empty, if the object exists."""
        if self.ignores_required or isinstance(self.effect_action, Delete | Put):
            return []
        return [role for guard, role in self.delta.released_guards.items() if is_released(guard)]

    def _relevant_roles(self) -> list[RoleName]:
        """Return the roles whose counts the change depends on."""
        if self.is_deletion:
            return [] if self.ignores_required else [*self.counted.required_keys]
        return [role for role, number in self.delta.counts.items() if number]

    # The action.

    def action(self, other_check: Check | None, is_released: IsReleased) -> Action | None:
        """Return what to do to the head in the next attempt; None where that is nothing.

        `other_check`: what else the change expects of the head.
        """
        if self.effect_action is not None and self.effect_type is not None:
            return self._BY_EFFECT[self.effect_type](self, self.effect_action)
        key = keys.head(self.reference)
        if self.is_absent or self._emptied_roles(is_released):
            return Check(key, OBJECT_ABSENT)
        exists = _both(NO_EXPECTATION if self.counted.may_be_unwritten else OBJECT_EXISTS, self.also_expected)
        patch = self._updated(Patch(key, replace(exists, either=self.lock_conditions)))
        # To expect that the object exists goes before expecting that it does not.
        is_more = other_check is not None and other_check.expect != OBJECT_ABSENT
        expect = _both(patch.expect, other_check.expect) if other_check and is_more else patch.expect
        if patch.set or patch.add:
            return replace(patch, expect=expect)
        return Check(key, expect) if self.delta.must_exist or self.is_touched or other_check else None

    def _created(self, base: Put) -> Action:
        """Return the head of a new object, with all its counts."""
        if not self.counted.roles and not self.delta.gains_links:
            return base
        counts = {codec.count_attribute(role): self.delta.counts[role] for role in self.counted.roles}
        attributes = {**base.item.attributes, **counts, **self._link_stamp()}
        return replace(base, item=replace(base.item, attributes=attributes))

    def _updated(self, base: Patch) -> Patch:
        """Return a patch with the counts that change; one that the head lacks is set, others are added to."""
        counts = {role: self.delta.counts[role] for role in self._relevant_roles()}
        if not counts and not self.delta.gains_links:
            return base
        set_, add = dict(base.set), dict(base.add)
        for role, number in counts.items():
            name = codec.count_attribute(role)
            if role in self.uncounted:
                set_[name] = self.uncounted[role] + number
            else:
                add[name] = number
        conditions = tuple(self._count_condition(role, number) for role, number in counts.items())
        return replace(
            base,
            expect=_both(base.expect, Expectation(None, conditions)),
            set={**set_, **self._link_stamp()},
            add=add,
        )

    def _count_condition(self, role: RoleName, number: int) -> Condition:
        """Return what a count must be for a number to be added to it: none may reach 0 that is required."""
        name = codec.count_attribute(role)
        if role in self.uncounted:
            return Condition(name, ConditionOperator.ABSENT)
        if number < 0 and role not in self.counted.required_keys and not self.ignores_required:
            return Condition(name, ConditionOperator.MORE_THAN, -number)
        return Condition(name, ConditionOperator.PRESENT)

    def _restored(self, base: Put) -> Action:
        """Return the head of an object that comes back.

        Links may have led to it all the time, and may end meanwhile: they are counted when that is first
        needed.
        """
        attributes = {**base.item.attributes, **self._link_stamp()}
        return replace(base, item=replace(base.item, attributes=attributes))

    def _deleted(self, base: Delete | Put) -> Action:
        """Return the deletion of an object, if no required key leads there but of what ends as well."""
        conditions = tuple(self._unneeded_condition(role) for role in self._relevant_roles())
        return replace(base, expect=_both(base.expect, Expectation(None, conditions)))

    def _unneeded_condition(self, role: RoleName) -> Condition:
        name = codec.count_attribute(role)
        if role in self.uncounted:
            return Condition(name, ConditionOperator.ABSENT)
        return Condition(name, ConditionOperator.AT_MOST, -self.delta.counts[role])

    def _link_stamp(self) -> dict[str, Value]:
        return {codec.LINKED: self.commit_id} if self.delta.gains_links else {}

    _BY_EFFECT: ClassVar[Mapping[type[ObjectEffect], Callable[["HeadWrite", Any], Action]]] = {
        Creation: _created,
        Modification: _updated,
        Deletion: _deleted,
        Restoration: _restored,
    }


def _both(one: Expectation, other: Expectation) -> Expectation:
    """Return what expects both."""
    exists = one.exists if other.exists is None else other.exists
    more = tuple(each for each in other.conditions if each not in one.conditions)
    return Expectation(exists, (*one.conditions, *more), one.either or other.either)
