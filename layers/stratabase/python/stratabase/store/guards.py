"""The items that hold unique values for one object each, and objects that only one key may lead to.

A change believes that what it takes is free, or held by the object of the same change that gives it up.
Where that was wrong, the guard that was found decides: it may be the object's own, or truly another's, or
left behind by an object that was written while the model did not have the constraint.

What the process's own model does not name is guarded all the same, for models that do. But it refuses nobody
a value: an object whose values another one holds gets no guard, and the constraint is violated.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from stratabase.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.domain.objects.commit_refusals import Conflict, UniqueNotBuilt
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.store import keys
from stratabase.store.associations import Associations
from stratabase.store.claims import HOLDER, Claim, Constraint, Hold, Lost, claims, holder, holds, lost
from stratabase.store.engine.port import (
    NOT_EXISTS,
    Action,
    Check,
    Condition,
    ConditionOperator,
    Delete,
    Expectation,
    Failure,
    Item,
    Key,
    Put,
    Value,
)
from stratabase.store.heads import as_read
from stratabase.store.links import START
from stratabase.store.presence import GONE

Read = Callable[[Reference], Entity | None]
Constraints = Callable[[str], Sequence[Constraint]]
"""Tells the uniqueness constraints of a class."""


class Guards:
    """The guards that a change takes and gives up, merged to one action on each.

    Raises Taken, Broken; NotBuilt when it sets values that are not all guarded yet.
    """

    def __init__(
        self, change: Change, constraints: Constraints, read: Read, associations: Associations
    ) -> None:
        self._constraints = constraints
        self._read = read
        self._associations = associations
        self._instant = change.instant
        self._after: dict[Reference, Entity | None] = {}
        self._taken: dict[Key, Claim | Hold] = {}
        self._given_up: dict[Key, str] = {}
        self.bystanders: dict[Key, Check] = {}
        """What the change expects of heads that it does not write."""
        self.violated: dict[Constraint, None] = {}
        """What the model does not name, and the change breaks."""
        for effect in change.object_effects():
            self._add(effect)
        if unbuilt := [claim for claim in self._taken.values() if _is_unbuilt(claim)]:
            raise UniqueNotBuilt([(claim.reference, claim.constraint.unique) for claim in unbuilt])
        self._believed: dict[Key, str | None] = dict.fromkeys(self._taken) | self._given_up

    def _add(self, effect: ObjectEffect) -> None:
        reference = reference_of(effect)
        old, new = self._needed(reference, effect.before), self._needed(reference, effect.after)
        self._after[reference] = effect.after
        self._take({key: claim for key, claim in new.items() if key not in old})
        self._given_up |= {key: reference.id for key in old if key not in new}

    def _needed(self, reference: Reference, entity: Entity | None) -> dict[Key, Claim | Hold]:
        needed: dict[Key, Claim | Hold] = {**claims(self._constraints(reference.class_name), entity)}
        if self._associations.keyed(reference.class_name):
            needed |= holds(self._associations, reference, entity)
        return needed

    def _take(self, wanted: Mapping[Key, Claim | Hold]) -> None:
        twice = {key: claim for key, claim in wanted.items() if key in self._taken}
        allowed = {key: claim.constraint for key, claim in twice.items() if _is_unnamed(claim)}
        lost(claim for key, claim in twice.items() if key not in allowed).refuse()
        self.violated |= dict.fromkeys(allowed.values())
        self._taken |= {key: claim for key, claim in wanted.items() if key not in allowed}

    def actions(self) -> tuple[Action, ...]:
        """Return what to do to the guards under the present belief."""
        taken = [self._put(key, claim) for key, claim in self._taken.items()]
        given_up = [Delete(key, _held_by(id_)) for key, id_ in self._given_up.items() if self.gives_up(key)]
        return (*taken, *given_up)

    def gives_up(self, key: Key) -> bool:
        """Return whether a guard is left to nobody; not when it was not the object's own after all."""
        return key in self._given_up and key not in self._taken and self._believed[key] == self._given_up[key]

    def was_held(self, key: Key) -> bool:
        """Return whether a guard that the change gives up was the object's own, as is believed."""
        return self._believed[key] == self._given_up.get(key)

    def _put(self, key: Key, claim: Claim | Hold) -> Put:
        began: dict[str, Value] = {START: self._instant} if isinstance(claim, Hold) else {}
        return Put(Item(key, {HOLDER: claim.reference.id, **began}), _held_by(self._believed[key]))

    def knows(self, key: Key) -> bool:
        """Return whether a key is that of one of these guards."""
        return key in self._believed

    def learn(self, failures: Sequence[Failure]) -> Lost:
        """Believe what a refused commit found. Raises Conflict when not only these guards failed."""
        found = {failure.action.key: failure.found for failure in failures}
        if not found.keys() <= self._believed.keys():
            raise Conflict
        self._believed |= {key: holder(item) for key, item in found.items()}
        anothers = [key for key in found if key in self._taken and self._is_anothers(key)]
        for key in anothers:
            claim = self._taken[key]
            if _is_unnamed(claim):
                del self._taken[key]
                self.violated[claim.constraint] = None
        return lost(self._taken[key] for key in anothers if key in self._taken)

    def _is_anothers(self, key: Key) -> bool:
        """Return whether another object than the claimant has what a guard stands for."""
        reference = self._taken[key].reference
        held_by = self._believed[key]
        if held_by is None or held_by == reference.id:
            return False
        rival = Reference(reference.class_name, held_by)
        return key in self._needed(rival, self._state_to_be(rival))

    def _state_to_be(self, reference: Reference) -> Entity | None:
        """Return an object as it is after the change; one that the change leaves alone must then stay so."""
        if reference in self._after:
            return self._after[reference]
        entity = self._read(reference)
        key = keys.head(reference)
        self.bystanders[key] = Check(key, GONE if entity is None else as_read(entity))
        return entity


def _is_unnamed(claim: Claim | Hold) -> TypeGuard[Claim]:
    return isinstance(claim, Claim) and not claim.constraint.named


def _is_unbuilt(claim: Claim | Hold) -> TypeGuard[Claim]:
    return isinstance(claim, Claim) and claim.constraint.named and not claim.constraint.built


def _held_by(id_: str | None) -> Expectation:
    return (
        NOT_EXISTS
        if id_ is None
        else Expectation(conditions=(Condition(HOLDER, ConditionOperator.EQUALS, id_),))
    )
