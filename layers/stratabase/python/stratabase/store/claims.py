"""What objects hold for themselves alone: unique values, and objects that only one key may lead to."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.domain.attributes import value_of
from stratabase.domain.change import Breach, Broken, Coupled, Taken
from stratabase.domain.entity import Entity, Reference, State
from stratabase.model.class_ import Class, Unique
from stratabase.store import keys
from stratabase.store.association import Keyed
from stratabase.store.associations import Associations
from stratabase.store.engine import Item, Key

HOLDER = "holder"
"""The attribute of a guard that names the object that holds its values."""


class Claim(NamedTuple):
    """Values that an object has and no other may have."""

    reference: Reference
    unique: Unique


class Hold(NamedTuple):
    """An object that another one's key leads to, and no other key of that role may."""

    reference: Reference
    keyed: Keyed
    target: str

    @property
    def breach(self) -> Breach:
        """What it is that another object's key leads there."""
        return Coupled(self.keyed.role, self.target)


class Lost(NamedTuple):
    """What a change wants and others have."""

    claims: tuple[Claim, ...] = ()
    holds: tuple[Hold, ...] = ()

    def refuse(self) -> None:
        """Raise Taken, Broken if anything is lost."""
        if self.claims:
            raise Taken(self.claims)
        if self.holds:
            raise Broken([hold.breach for hold in self.holds])


def claims(class_: Class, entity: Entity | None) -> dict[Key, Claim]:
    """Return the guards that an object needs."""
    if entity is None:
        return {}
    found = ((guard_key(class_, unique, entity.state), unique) for unique in class_.uniques)
    return {key: Claim(entity.reference, unique) for key, unique in found if key is not None}


def holds(associations: Associations, reference: Reference, entity: Entity | None) -> dict[Key, Hold]:
    """Return the guards that an object's keys need."""
    return {
        keys.couple(keyed.role, target): Hold(reference, keyed, target)
        for keyed in associations.keyed(reference.class_name)
        if keyed.exclusive and (target := keyed.key(entity)) is not None
    }


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard that a state needs; None where a value is null, or counts as null."""
    values = {name: value_of(class_, name)(state) for name in unique.attributes}
    return keys.guard(class_.name, unique, values)


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
