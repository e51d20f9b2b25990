"""The guards that a change takes and releases. A guard is an item that reserves a value for one object.

Its key is a hash of unique values, or the target of a one-to-one association. So uniqueness is a condition on
one item, and needs no read.

The first attempt assumes that each guard to take is free, or that an object of the same change releases it.
If that fails, the guard names its holder. If another object holds the guard and needs it, the value is taken.
A holder that does not need it any more was written by a process that did not keep the constraint. Then the
next attempt takes the guard over.

If only the models of other processes have a constraint, its guards are kept too, but no value is refused. An
object whose values are taken gets no guard, and the commit records the violation in the registry.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from stratabase.core.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    Conflict,
    IntegrityViolation,
    RoleViolation,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import Entity, Reference, differ
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Action,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    Failure,
    Key,
    Put,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.associations import Associations, ForeignKey
from stratabase.core.store.layout.object_items import (
    HOLDER,
    OBJECT_ABSENT,
    UniqueConstraint,
    expect_unchanged,
    guard_holder,
    guard_item,
)


class UniqueClaim(NamedTuple):
    """The need of an object for the guard of its unique values."""

    reference: Reference
    constraint: UniqueConstraint


class ExclusiveClaim(NamedTuple):
    """The need of an object for the guard of the one-to-one target that its foreign key refers to."""

    reference: Reference
    foreign_key: ForeignKey
    target: str

    @property
    def violation(self) -> RoleViolation:
        """The violation if another object holds the guard."""
        return AlreadyAssociated(self.foreign_key.role, self.target)


Claim = UniqueClaim | ExclusiveClaim


class LostClaims(NamedTuple):
    """The claims of a change for guards that other objects hold and need."""

    uniques: tuple[UniqueClaim, ...] = ()
    exclusives: tuple[ExclusiveClaim, ...] = ()

    def raise_refusal(self, *, within_change: bool = False) -> None:
        """Raise UniqueViolation or IntegrityViolation if there are lost claims.

        `within_change`: the claims are lost to other objects of the change.
        """
        if self.uniques:
            violations = tuple((claim.reference, claim.constraint.unique) for claim in self.uniques)
            raise UniqueViolation(violations, within_change=within_change)
        if self.exclusives:
            raise IntegrityViolation([claim.violation for claim in self.exclusives])


def unique_claims(constraints: Iterable[UniqueConstraint], entity: Entity | None) -> dict[Key, UniqueClaim]:
    """Return an object's claims for unique values, by the key of the guard.

    If several constraints have the same guard, the last one wins.
    """
    if entity is None:
        return {}
    found = ((constraint.guard_key(entity.state), constraint) for constraint in constraints)
    return {key: UniqueClaim(entity.reference, constraint) for key, constraint in found if key is not None}


def exclusive_claims(
    associations: Associations, reference: Reference, entity: Entity | None
) -> dict[Key, ExclusiveClaim]:
    """Return the claims of an object's foreign keys by the key of their guard."""
    return {
        keys.one_to_one_guard(foreign_key.role, target): ExclusiveClaim(reference, foreign_key, target)
        for foreign_key in associations.exclusive_keys(reference.class_name)
        if (target := foreign_key.target_of(entity)) is not None
    }


def _lost_claims(lost: Iterable[Claim]) -> LostClaims:
    all_ = tuple(lost)
    return LostClaims(
        tuple(each for each in all_ if isinstance(each, UniqueClaim)),
        tuple(each for each in all_ if isinstance(each, ExclusiveClaim)),
    )


ReadObject = Callable[[Reference], Entity | None]


ConstraintsOf = Callable[[str], Sequence[UniqueConstraint]]
"""Returns the uniqueness constraints of the class of that name."""


class GuardWrites:
    """The guards that a change takes and releases, with one action for each.

    The constructor raises UniqueViolation or IntegrityViolation if two objects of the change need the same
    guard, and UniqueNotBuilt if it sets values of a constraint that is not built yet.
    """

    def __init__(
        self, change: Change, constraints: ConstraintsOf, read: ReadObject, associations: Associations
    ) -> None:
        self._constraints = constraints
        self._read = read
        self._associations = associations
        self._instant = change.instant
        self._after: dict[Reference, Entity | None] = {}
        self._taken: dict[Key, Claim] = {}
        self._taken_twice: list[Claim] = []
        self._released: dict[Key, str] = {}
        self.other_heads: dict[Key, Check] = {}
        """By key: checks of heads that the change does not write.

        The change takes over guards of these objects, because they do not need them. It expects that this
        stays so.
        """
        self.violated_constraints: dict[UniqueConstraint, None] = {}
        """The constraints that the change violates, and that only other processes' models have. A set."""
        for effect in change.object_effects():
            self._add(effect)
        if self._taken_twice:
            _lost_claims(self._taken_twice).raise_refusal(within_change=True)
        if unbuilt := [claim for claim in self._taken.values() if _is_unbuilt(claim)]:
            raise UniqueNotBuilt([(claim.reference, claim.constraint.unique) for claim in unbuilt])
        self._expected_holders: dict[Key, str | None] = dict.fromkeys(self._taken) | self._released

    def _add(self, effect: ObjectEffect) -> None:
        reference = reference_of(effect)
        constraints = self._constraints(reference.class_name)
        if effect.before is not None and effect.after is not None:
            # Values that stay need the same guard as before.
            before, after = effect.before.state, effect.after.state
            constraints = [each for each in constraints if differ(before, after, each.unique.attributes)]
        self._after[reference] = effect.after
        if not constraints and not self._associations.exclusive_keys(reference.class_name):
            return
        old = self._claims(constraints, reference, effect.before)
        new = self._claims(constraints, reference, effect.after)
        self._take({key: claim for key, claim in new.items() if key not in old})
        self._released |= {key: reference.id for key in old if key not in new}

    def _claims(
        self, constraints: Iterable[UniqueConstraint], reference: Reference, entity: Entity | None
    ) -> dict[Key, Claim]:
        """Return an object's claims, by guard: for its unique values, and for its one-to-one targets."""
        if entity is None:
            return {}
        claims: dict[Key, Claim] = {**unique_claims(constraints, entity)}
        if self._associations.exclusive_keys(reference.class_name):
            claims |= exclusive_claims(self._associations, reference, entity)
        return claims

    def _take(self, wanted: Mapping[Key, Claim]) -> None:
        if self._taken.keys().isdisjoint(wanted):  # nearly always
            self._taken.update(wanted)
            return
        # Two objects of the change need the same guard. If the model of this process has the constraint,
        # refuse the change. Otherwise the first object gets the guard, and the violation is recorded.
        twice = {key: claim for key, claim in wanted.items() if key in self._taken}
        allowed = {key: claim.constraint for key, claim in twice.items() if _is_of_other_models(claim)}
        self._taken_twice += (claim for key, claim in twice.items() if key not in allowed)
        self.violated_constraints |= dict.fromkeys(allowed.values())
        self._taken |= {key: claim for key, claim in wanted.items() if key not in twice}

    def actions(self) -> tuple[Action, ...]:
        """Return the actions on guards for the next attempt."""
        taken = [self._put(key, claim) for key, claim in self._taken.items()]
        released = [
            DeleteItem(key, _expect_holder(id_)) for key, id_ in self._released.items() if self.releases(key)
        ]
        return (*taken, *released)

    def releases(self, key: Key) -> bool:
        """Return whether a guard has no holder after the change, as far as the transaction knows."""
        return (
            key in self._released
            and key not in self._taken
            and self._expected_holders[key] == self._released[key]
        )

    def was_own(self, key: Key) -> bool:
        """Return whether the object that releases a guard holds it, as far as the transaction knows."""
        return self._expected_holders[key] == self._released.get(key)

    def _put(self, key: Key, claim: Claim) -> Put:
        start = self._instant if isinstance(claim, ExclusiveClaim) else None
        return Put(guard_item(key, claim.reference.id, start), _expect_holder(self._expected_holders[key]))

    def covers(self, key: Key) -> bool:
        """Return whether this change takes or releases the guard with this key."""
        return key in self._expected_holders

    def learn(self, failures: Sequence[Failure]) -> LostClaims:
        """Adopt the holders that a refused attempt found; return the claims that are lost to other objects.

        Raises Conflict if a failure is not on a guard of this change.
        """
        found = {failure.action.key: failure.found for failure in failures}
        if not found.keys() <= self._expected_holders.keys():
            raise Conflict
        self._expected_holders |= {key: guard_holder(item) for key, item in found.items()}
        lost = [key for key in found if key in self._taken and self._is_held_by_another(key)]
        # Other models do not refuse values: the object gets no guard, and the violation is recorded.
        for key in lost:
            claim = self._taken[key]
            if _is_of_other_models(claim):
                del self._taken[key]
                self.violated_constraints[claim.constraint] = None
        return _lost_claims(self._taken[key] for key in lost if key in self._taken)

    def _is_held_by_another(self, key: Key) -> bool:
        """Return whether another object holds a guard and needs it after the change."""
        reference = self._taken[key].reference
        holder = self._expected_holders[key]
        if holder is None or holder == reference.id:
            return False
        rival = Reference(reference.class_name, holder)
        constraints = self._constraints(rival.class_name)
        return key in self._claims(constraints, rival, self._state_to_be(rival))

    def _state_to_be(self, reference: Reference) -> Entity | None:
        """Return an object as it will be after the change.

        If the change does not write the object, read it, and add a check that it does not change until the
        commit.
        """
        if reference in self._after:
            return self._after[reference]
        entity = self._read(reference)
        key = keys.head(reference)
        self.other_heads[key] = Check(key, OBJECT_ABSENT if entity is None else expect_unchanged(entity))
        return entity


def _is_of_other_models(claim: Claim) -> TypeGuard[UniqueClaim]:
    return isinstance(claim, UniqueClaim) and not claim.constraint.in_model


def _is_unbuilt(claim: Claim) -> TypeGuard[UniqueClaim]:
    return isinstance(claim, UniqueClaim) and claim.constraint.in_model and not claim.constraint.built


def _expect_holder(id_: str | None) -> Expectation:
    return (
        NOT_EXISTS
        if id_ is None
        else Expectation(conditions=(Condition(HOLDER, ConditionOperator.EQUALS, id_),))
    )
