"""What objects hold for themselves alone: unique values, and objects that only one key may lead to."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.domain.objects.commit_refusals import (
    AlreadyAssociated,
    IntegrityViolation,
    RoleViolation,
    UniqueViolation,
)
from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.model.class_ import Class, Unique
from stratabase.store import keys
from stratabase.store.association import Keyed
from stratabase.store.associations import Associations
from stratabase.store.engine.port import Item, Key
from stratabase.store.indexes.access_path import Column, columns_of

HOLDER = "holder"
"""The attribute of a guard that names the object that holds its values."""


class Constraint(NamedTuple):
    """A uniqueness constraint that a class's guards are kept for, as the registry lists it."""

    class_name: str
    unique: Unique
    columns: tuple[Column, ...]
    """In the order of their names."""
    number: int = 0
    """Under which the registry knows it."""
    named: bool = True
    """The model of this process names it. Otherwise guards are kept, but nobody is refused a value."""
    built: bool = True
    """Every value that an object has is guarded, so that a free guard means a free value."""

    def key(self, state: State) -> Key | None:
        """Return the key of the guard that a state needs; None where a value is null, or counts as null."""
        values = {column.attribute: column.value(state.get(column.attribute)) for column in self.columns}
        return keys.guard(self.class_name, self.unique, values)


def constraint_of(class_: Class, unique: Unique) -> Constraint:
    """Return a uniqueness constraint of a model as one that is built."""
    return Constraint(class_.name, unique, columns_of(class_, tuple(sorted(unique.attributes))))


class Claim(NamedTuple):
    """Values that an object has and no other may have."""

    reference: Reference
    constraint: Constraint


class Hold(NamedTuple):
    """An object that another one's key leads to, and no other key of that role may."""

    reference: Reference
    keyed: Keyed
    target: str

    @property
    def breach(self) -> RoleViolation:
        """What it is that another object's key leads there."""
        return AlreadyAssociated(self.keyed.role, self.target)


class Lost(NamedTuple):
    """What a change wants and others have."""

    claims: tuple[Claim, ...] = ()
    holds: tuple[Hold, ...] = ()

    def refuse(self) -> None:
        """Raise Taken, Broken if anything is lost."""
        if self.claims:
            raise UniqueViolation(tuple((claim.reference, claim.constraint.unique) for claim in self.claims))
        if self.holds:
            raise IntegrityViolation([hold.breach for hold in self.holds])


def claims(constraints: Iterable[Constraint], entity: Entity | None) -> dict[Key, Claim]:
    """Return the guards that an object needs. Of constraints with the same key, the last one counts."""
    if entity is None:
        return {}
    found = ((constraint.key(entity.state), constraint) for constraint in constraints)
    return {key: Claim(entity.reference, constraint) for key, constraint in found if key is not None}


def holds(associations: Associations, reference: Reference, entity: Entity | None) -> dict[Key, Hold]:
    """Return the guards that an object's keys need."""
    return {
        keys.couple(keyed.role, target): Hold(reference, keyed, target)
        for keyed in associations.keyed(reference.class_name)
        if keyed.exclusive and (target := keyed.key(entity)) is not None
    }


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard that a state needs; None where a value is null, or counts as null."""
    return constraint_of(class_, unique).key(state)


def lost(wanted: Iterable[Claim | Hold]) -> Lost:
    """Return what is wanted and others have."""
    all_ = tuple(wanted)
    return Lost(
        tuple(each for each in all_ if isinstance(each, Claim)),
        tuple(each for each in all_ if isinstance(each, Hold)),
    )


def holder(item: Item | None) -> str | None:
    """Return who holds a guard."""
    return None if item is None else str(item.attributes[HOLDER])
