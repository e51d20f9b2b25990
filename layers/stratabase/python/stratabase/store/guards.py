"""The items that hold unique values for one object each.

A change believes that the values it takes are free, or held by the object of the same change that gives them
up. Where that was wrong, the guard that was found decides: it may be the object's own, or truly another's, or
left behind by an object that was written while the model did not have the constraint.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.attributes import value_of
from stratabase.domain.change import Change, Conflict, Effect, Taken, reference_of
from stratabase.domain.entity import Entity, Reference, State
from stratabase.model.class_ import Class, Unique
from stratabase.model.model import Model
from stratabase.store import keys
from stratabase.store.engine import (
    FREE,
    Action,
    Check,
    Condition,
    Delete,
    Expectation,
    Failure,
    Item,
    Key,
    Put,
    Test,
)
from stratabase.store.heads import as_read

HOLDER = "holder"
"""The attribute of a guard that names the object that holds its values."""

Read = Callable[[Reference], Entity | None]


class Claim(NamedTuple):
    """Values that an object has and no other may have."""

    reference: Reference
    unique: Unique


def claims(class_: Class, entity: Entity | None) -> dict[Key, Claim]:
    """Return the guards that an object needs."""
    if entity is None:
        return {}
    found = ((guard_key(class_, unique, entity.state), unique) for unique in class_.uniques)
    return {key: Claim(entity.reference, unique) for key, unique in found if key is not None}


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard that a state needs; None where a value is null, or counts as null."""
    values = {name: value_of(class_, name)(state) for name in unique.attributes}
    return keys.guard(class_.name, unique, values)


class Guards:
    """The guards that a change takes and gives up, merged to one action on each. Raises Taken."""

    def __init__(self, change: Change, model: Model, read: Read) -> None:
        self._model = model
        self._read = read
        self._after: dict[Reference, Entity | None] = {}
        self._taken: dict[Key, Claim] = {}
        self._given_up: dict[Key, str] = {}
        self._bystanders: dict[Key, Check] = {}
        for effect in change.effects:
            self._add(effect)
        self._believed: dict[Key, str | None] = dict.fromkeys(self._taken) | self._given_up

    def _add(self, effect: Effect) -> None:
        reference = reference_of(effect)
        class_ = self._model.classes[reference.class_name]
        old, new = claims(class_, effect.before), claims(class_, effect.after)
        self._after[reference] = effect.after
        self._take({key: claim for key, claim in new.items() if key not in old})
        self._given_up |= {key: reference.id for key in old if key not in new}

    def _take(self, wanted: Mapping[Key, Claim]) -> None:
        twice = tuple(claim for key, claim in wanted.items() if key in self._taken)
        if twice:
            raise Taken(twice)
        self._taken |= wanted

    def actions(self) -> tuple[Action, ...]:
        """Return what to write under the present belief."""
        taken = [self._put(key, claim) for key, claim in self._taken.items()]
        given_up = [
            Delete(key, _held_by(id_))
            for key, id_ in self._given_up.items()
            if key not in self._taken and self._believed[key] == id_
        ]
        return (*taken, *given_up, *self._bystanders.values())

    def _put(self, key: Key, claim: Claim) -> Put:
        return Put(Item(key, {HOLDER: claim.reference.id}), _held_by(self._believed[key]))

    def learn(self, failures: Sequence[Failure]) -> None:
        """Believe what a refused commit found. Raises Conflict (not only guards failed), Taken."""
        found = {failure.action.key: failure.found for failure in failures}
        if not found.keys() <= self._believed.keys():
            raise Conflict
        self._believed |= {key: holder(item) for key, item in found.items()}
        lost = tuple(self._taken[key] for key in found if key in self._taken and self._is_anothers(key))
        if lost:
            raise Taken(lost)

    def _is_anothers(self, key: Key) -> bool:
        """Return whether another object than the claimant has a guard's values."""
        reference, _ = self._taken[key]
        held_by = self._believed[key]
        if held_by is None or held_by == reference.id:
            return False
        rival = Reference(reference.class_name, held_by)
        return key in claims(self._model.classes[rival.class_name], self._state_to_be(rival))

    def _state_to_be(self, reference: Reference) -> Entity | None:
        """Return an object as it is after the change; one that the change leaves alone must then stay so."""
        if reference in self._after:
            return self._after[reference]
        entity = self._read(reference)
        key = keys.head(reference)
        self._bystanders[key] = Check(key, FREE if entity is None else as_read(entity))
        return entity


def _held_by(id_: str | None) -> Expectation:
    return FREE if id_ is None else Expectation(conditions=(Condition(HOLDER, Test.EQUALS, id_),))


def holder(item: Item | None) -> str | None:
    """Return who holds a guard."""
    return None if item is None else str(item.attributes[HOLDER])
