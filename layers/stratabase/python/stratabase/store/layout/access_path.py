"""Access paths: the indexes of a class as the store keeps them, and where objects lie in them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from stratabase.domain.attributes import is_derived, type_of
from stratabase.domain.objects.entity import Entity, State
from stratabase.model.model import Class
from stratabase.model.types import STORAGE_CLASSES
from stratabase.model.types.storage import StorageClass
from stratabase.store.engine.port import IndexKey
from stratabase.store.layout.index_text import truncate, values_text


class Column(NamedTuple):
    """An attribute that an index is by, and the storage type of its values when the index was made."""

    attribute: str
    storage: StorageClass

    def value(self, value: Any) -> Any:
        """Return a value; None for one of another storage type, which counts as null."""
        return value if value is not None and self.storage.accepts(value) else None

    def text(self, value: object) -> str | None:
        """Return the index text of a value; None for null and for a value of another storage type."""
        return self.storage.index_text(value) if value is not None and self.storage.accepts(value) else None


@dataclass(frozen=True, slots=True)
class AccessPath:
    """An index of a class: the slot and the partition that its objects lie in, and the columns it is by."""

    index_name: str
    partition: str
    columns: tuple[Column, ...]
    ready: bool = True
    """Every object of the class lies in it, so that pages may be read from it."""

    def index_text(self, state: State) -> str:
        """Return the text of the values of a state, not truncated."""
        return values_text(column.text(state.get(column.attribute)) for column in self.columns)

    def place(self, entity: Entity) -> IndexKey:
        """Return where an object lies."""
        return IndexKey(self.partition, truncate(self.index_text(entity.state)) + entity.reference.id)

    def is_moved(self, before: Entity, after: Entity) -> bool:
        """Return whether an object lies in another place after a change."""
        # Most changes leave most indexes alone, which is cheaper to see by the values than by the places.
        old, new = before.state, after.state
        is_changed = any(old.get(name) != new.get(name) for name, _ in self.columns)
        return is_changed and self.place(before) != self.place(after)

    def is_usable_for(self, class_: Class) -> bool:
        """Return whether pages of the class may be read from it: the model may have other attributes now."""
        return self.ready and all(
            column.attribute in class_.attributes
            and not is_derived(class_, column.attribute)
            and type_of(class_, column.attribute).storage is column.storage
            for column in self.columns
        )

    @property
    def label(self) -> str:
        """The index as a person knows it: `last_name, first_name`."""
        return ", ".join(column.attribute for column in self.columns)


def columns_of(class_: Class, attributes: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns of an index over attributes of a class."""
    return tuple(Column(name, type_of(class_, name).storage) for name in attributes)


def serialize_columns(columns: tuple[Column, ...]) -> list[str]:
    """Return columns as the registry writes them."""
    return [f"{column.attribute}:{column.storage.name}" for column in columns]


def parse_columns(texts: list[str]) -> tuple[Column, ...]:
    """Return columns that the registry wrote."""
    return tuple(
        Column(attribute, STORAGE_CLASSES[storage])
        for attribute, storage in (text.split(":") for text in texts)
    )
