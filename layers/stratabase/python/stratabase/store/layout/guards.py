"""Guards: the items that hold an object's unique values, or the only holder of a one-to-one foreign key.

The key of a guard is made of the values, or of the target; the item names its holder.
"""

from typing import NamedTuple

from stratabase.domain.objects.entity import State
from stratabase.model.model import Class, Unique
from stratabase.store.engine.port import Item, Key
from stratabase.store.layout import keys
from stratabase.store.layout.access_path import Column, columns_of

HOLDER = "holder"
"""The attribute of a guard with the id of the object that holds it."""


class UniqueConstraint(NamedTuple):
    """A uniqueness constraint of a class, as the registry lists it."""

    class_name: str
    unique: Unique
    columns: tuple[Column, ...]
    """In the order of their names."""
    number: int = 0
    """Its number in the registry."""
    in_model: bool = True
    """The model of this process has it. Otherwise guards are written, but nobody is refused a value."""
    built: bool = True
    """Every object holds its guard, so that a free guard means a free value."""

    def guard_key(self, state: State) -> Key | None:
        """Return the key of a state's guard; None where a value is null, or counts as null."""
        values = {column.attribute: column.value(state.get(column.attribute)) for column in self.columns}
        return keys.guard(self.class_name, self.unique, values)


def unique_constraint(class_: Class, unique: Unique) -> UniqueConstraint:
    """Return a uniqueness constraint of a model, as if it were built."""
    return UniqueConstraint(class_.name, unique, columns_of(class_, tuple(sorted(unique.attributes))))


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of a state's guard; None where a value is null, or counts as null."""
    return unique_constraint(class_, unique).guard_key(state)


def guard_holder(item: Item | None) -> str | None:
    """Return the id of the object that holds a guard; None if there is no guard."""
    return None if item is None else str(item.attributes[HOLDER])
