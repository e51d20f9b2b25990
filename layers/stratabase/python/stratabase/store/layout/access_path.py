"""Access paths: the indexes of a class as they are stored, and the positions of objects in them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from stratabase.domain.attributes import is_derived, type_of
from stratabase.domain.objects.entity import Entity, State, differ
from stratabase.model.model import Class
from stratabase.model.types import STORAGE_CLASSES
from stratabase.model.types.storage import StorageClass
from stratabase.store.engine.port import IndexKey
from stratabase.store.layout.index_text import truncate, values_text


class Column(NamedTuple):
    """A column of an index: an attribute, and the storage type of its values when the index was created."""

    attribute: str
    storage: StorageClass

    def value(self, value: Any) -> Any:
        """Return a value, or None if it has another storage type: it then counts as null."""
        return value if value is not None and self.storage.accepts(value) else None

    def text(self, value: object) -> str | None:
        """Return the index text of a value, None for null and for a value of another storage type."""
        return self.storage.index_text(value) if value is not None and self.storage.accepts(value) else None


@dataclass(frozen=True, slots=True)
class AccessPath:
    """One index of a class."""

    index_name: str
    """The generic secondary index (slot) of the engine."""
    partition: str
    """The partition of this index in the slot."""
    columns: tuple[Column, ...]
    ready: bool = True
    """Whether the index contains every object of the class, so that pages may be read from it."""

    def index_text(self, state: State) -> str:
        """Return the index text of the values in a state, not truncated."""
        return values_text(column.text(state.get(column.attribute)) for column in self.columns)

    def place(self, entity: Entity) -> IndexKey:
        """Return the position of an object in the index."""
        return IndexKey(self.partition, truncate(self.index_text(entity.state)) + entity.reference.id)

    def is_moved(self, before: Entity, after: Entity) -> bool:
        """Return whether an object lies in another place after a change."""
        # Most changes leave most indexes alone, which is cheaper to see by the values than by the places.
        names = (column.attribute for column in self.columns)
        return differ(before.state, after.state, names) and self.place(before) != self.place(after)

    def is_usable_for(self, class_: Class) -> bool:
        """Return whether pages of a class may be read from the index.

        It must be ready, and the model must still have its attributes with the same storage types.
        """
        return self.ready and all(
            column.attribute in class_.attributes
            and not is_derived(class_, column.attribute)
            and type_of(class_, column.attribute).storage is column.storage
            for column in self.columns
        )

    @property
    def label(self) -> str:
        """The attributes, for messages: `last_name, first_name`."""
        return ", ".join(column.attribute for column in self.columns)


def columns_of(class_: Class, attributes: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns of an index by attributes of a class."""
    return tuple(Column(name, type_of(class_, name).storage) for name in attributes)


def serialize_columns(columns: tuple[Column, ...]) -> list[str]:
    """Return columns in the format of the registry: `last_name:text`."""
    return [f"{column.attribute}:{column.storage.name}" for column in columns]


def parse_columns(texts: list[str]) -> tuple[Column, ...]:
    """Parse columns in the format of the registry."""
    return tuple(
        Column(attribute, STORAGE_CLASSES[storage])
        for attribute, storage in (text.split(":") for text in texts)
    )
