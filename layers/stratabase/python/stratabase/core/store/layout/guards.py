"""Guards: the items that reserve unique values, or the target of a one-to-one foreign key, for one object.

The key of a guard contains a hash of the values, or the id of the target. The item has the id of its holder.
"""

from typing import NamedTuple

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Class, Unique
from stratabase.core.store.engine.port import (
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    Item,
    Key,
    Value,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import Column, columns_of
from stratabase.core.store.layout.links import START

HOLDER = "holder"
"""The attribute of a guard with the id of the object for which it is reserved."""


class UniqueConstraint(NamedTuple):
    """A uniqueness constraint of a class, with its status in the registry."""

    class_name: str
    unique: Unique
    columns: tuple[Column, ...]
    """The attributes, sorted by name."""
    number: int = 0
    """The number of the registry entry."""
    in_model: bool = True
    """Whether the model of this process has it. If not, guards are kept, but no value is refused."""
    built: bool = True
    """Whether the constraint is built, so that a free guard means that the values are free."""

    def guard_key(self, state: State) -> Key | None:
        """Return the key of the guard of a state, None if a value is null or not read."""
        values = {column.attribute: column.value(state) for column in self.columns}
        return keys.guard(self.class_name, self.unique, values)


def unique_constraint(class_: Class, unique: Unique) -> UniqueConstraint:
    """Return a uniqueness constraint of a model with the status of a built one."""
    return UniqueConstraint(class_.name, unique, columns_of(class_, tuple(sorted(unique.attributes))))


def guard_key(class_: Class, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard of a state, None if a value is null or not read."""
    return unique_constraint(class_, unique).guard_key(state)


def delete_guard(key: Key, holder: str) -> DeleteItem:
    """Return the action that deletes the guard of an object, if the object still holds it."""
    return DeleteItem(
        key, Expectation(exists=True, conditions=(Condition(HOLDER, ConditionOperator.EQUALS, holder),))
    )


def guard_item(key: Key, holder: str, start: Instant | None = None) -> Item:
    """Return a guard. `start`: when the association began, None for unique values."""
    started: dict[str, Value] = {} if start is None else {START: start}
    return Item(key, {HOLDER: holder, **started})


def guard_holder(item: Item | None) -> str | None:
    """Return the id of the object that holds a guard, None if there is no guard."""
    return None if item is None else str(item.attributes[HOLDER])
