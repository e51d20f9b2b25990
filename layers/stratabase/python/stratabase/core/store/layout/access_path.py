r"""Access paths: the indexes of a class as they are stored, and the positions of objects in them.

A position is an index text: an order-preserving encoding of several values as one text. Comparing two texts
by code point gives the same order as comparing the values one by one, with nulls first.

- Each value ends with VALUE_END, which is below all other characters. So no text is a prefix of another.
- Null is empty. All other values start with NOT_NULL. The characters \x00 to \x02 are escaped.
- UTF-8 preserves the order of code points, so engines that compare bytes have the same order.
- A text is truncated at the first character boundary from byte 897 on. The cut depends only on the characters
  before it. So truncated texts are in order too, but may be equal for different values.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from stratabase.core.domain.attributes import is_column, type_of
from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.core.model.attribute import ABSENT, KEPT, stored_value
from stratabase.core.model.model import Class
from stratabase.core.model.types import FOLDED_TYPES, ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType, StorageClass, Stored
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.store.engine.port import IndexKey
from stratabase.core.store.layout import keys

VALUE_END = "\x01"
NOT_NULL = "."
ABOVE_NOT_NULL = chr(ord(NOT_NULL) + 1)
_MAX_BYTES = 897
"""The last character may exceed this by three bytes. With the id, a sort key stays below DynamoDB's 1,024."""

SHORTEST_TRUNCATED = _MAX_BYTES // 4
"""No truncated text has fewer characters, because a character has at most 4 bytes."""

_ESCAPES = {0: "\x02\x02", 1: "\x02\x03", 2: "\x02\x04"}
_UNESCAPED = {escape: chr(code) for code, escape in _ESCAPES.items()}
_ESCAPED = re.compile("\x02.")
_LAST = chr(0x10FFFF)
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


def value_text(text: str | None) -> str:
    """Return the encoding of one value. `text`: the index text of its type; None for null."""
    return VALUE_END if text is None else f"{not_null_text(text)}{VALUE_END}"


def not_null_text(text: str) -> str:
    """Return the common prefix of the encodings of all values that start with a text."""
    # Most texts are printable, and it takes little time to see that.
    if text.isprintable() or min(text) > "\x02":
        return NOT_NULL + text
    return NOT_NULL + text.translate(_ESCAPES)


def truncate(text: str) -> str:
    """Return an index text, cut to the length that an index stores."""
    if len(text) < SHORTEST_TRUNCATED:
        return text
    encoded = text.encode()
    end = _MAX_BYTES
    while end < len(encoded) and encoded[end] & 0xC0 == 0x80:  # in the middle of a character
        end += 1
    return encoded[:end].decode()


def is_truncated(text: str) -> bool:
    """Return whether an index text is truncated, or would be."""
    return len(text) >= SHORTEST_TRUNCATED and len(text.encode()) >= _MAX_BYTES


def prefix_end(text: str) -> str:
    """Return the least text that is greater than all texts with a prefix."""
    kept = text.rstrip(_LAST)
    last = kept[-1]
    return kept[:-1] + (_AFTER_SURROGATES if last == _BEFORE_SURROGATES else chr(ord(last) + 1))


def first_values(text: str, values: int) -> str:
    """Return the encoding of the first `values` values of an index text; all of it if it has fewer."""
    at = -1
    for _ in range(values):
        at = text.find(VALUE_END, at + 1)
        if at < 0:
            return text
    return text[: at + 1]


def read_values(text: str) -> list[str | None]:
    """Return the texts of the values of which an index text has the whole encoding."""
    found: list[str | None] = []
    for value in text.split(VALUE_END)[:-1]:
        escaped = "\x02" in value
        found.append((_ESCAPED.sub(_unescape, value) if escaped else value)[1:] if value else None)
    return found


def _unescape(found: re.Match[str]) -> str:
    return _UNESCAPED[found[0]]


def values_text(texts: Iterable[str | None]) -> str:
    """Return the encoding of several values, not truncated."""
    return "".join(map(value_text, texts))


ENUM = EnumType.reading
"""The reading of all enums. A column also has the values of its enum."""


class Column(NamedTuple):
    """A column of an index or a uniqueness constraint: an attribute, and how its stored values are read.

    The column of a role contains the ID of its target, which states have under the role's name.

    What a column contains depends on the stored state alone, whatever the model of the process is. If a model
    reads the attribute in another way, it needs another column.
    """

    attribute: str
    reading: str
    """The name of the type that reads the stored values (`AttributeType.reading`)."""
    values: tuple[str, ...] = ()
    """The values of an enum, sorted."""
    default: Stored = None
    """The value of an object that has none."""

    @property
    def type(self) -> AttributeType:
        """The type that reads the stored values."""
        return _type_of(self.reading, self.values)

    @property
    def storage(self) -> StorageClass:
        """The storage class of the values."""
        return self.type.storage

    def value(self, state: State) -> Stored:
        """Return the value of an object, as guards have it. `state`: as stored, or as any model shows it.

        A folded text is no text of another column: models may differ in how they compare an attribute.
        """
        stored = stored_value(state, self.attribute)
        if stored is ABSENT:
            stored = self.default
        type_ = self.type
        is_own = type_.unrestricted and stored.__class__ is type_.storage.python_type
        value: Stored = stored if stored is None or is_own else type_.read_stored(stored)
        folding = type_.folding
        return value if folding is None or value is None else [self.reading, folding.fold(str(value))]

    def text(self, value: Stored) -> str | None:
        """Return the index text of a value of the column, None for null."""
        return None if value is None else self.type.storage.index_text(value)

    @property
    def encode(self) -> Callable[[State], str]:
        """A function that encodes the value of an object, as `value_text(text(value(state)))` does."""
        attribute, default, type_ = self.attribute, value_text(self.text(self.default)), self.type
        read, to_text, python_type = type_.read_stored, type_.storage.index_text, type_.storage.python_type
        is_own_value = None if type_.unrestricted else type_.is_own_value

        def encode(state: State) -> str:
            stored: Any = state.get(attribute)
            if KEPT in state:
                stored = stored_value(state, attribute)
            elif stored is None:
                stored = ABSENT
            if stored is ABSENT:
                return default
            if stored.__class__ is python_type and (is_own_value is None or is_own_value(stored)):
                value = stored  # nearly always
            else:
                value = None if stored is None else read(stored)
            if value is None:
                return VALUE_END
            text = to_text(value)
            # Most texts are printable. `not_null_text` then returns the same.
            return f"{NOT_NULL}{text}{VALUE_END}" if text.isprintable() else value_text(text)

        return encode


@lru_cache(maxsize=1024)
def _type_of(reading: str, values: tuple[str, ...]) -> AttributeType:
    if reading == ENUM:
        return EnumType(ENUM, values)
    if reading == ID_TYPE.name:
        return ID_TYPE
    known = _TYPES_BY_READING.get(_EARLIER_READINGS.get(reading, reading))
    if known is None:
        raise StoreRefused(
            f"The store has an index or a uniqueness constraint of the kind {reading!r}, which a later "
            "version of Stratabase has created. Use that version."
        )
    return known


_TYPES_BY_READING: Mapping[str, AttributeType] = {
    **TYPES,
    **{each.reading: each for each in FOLDED_TYPES.values()},
}


@dataclass(frozen=True)
class AccessPath:
    """One index of a class. An index without columns is a listing of the class, in the order of ids."""

    index_name: str
    """The generic secondary index (slot) of the engine."""
    partition: str
    """The partition of this index in the slot, and the prefix of its shards."""
    columns: tuple[Column, ...]
    ready: bool = True
    """Whether the index contains every object of the class, so that pages may be read from it."""
    shards: int = 1
    """The number of partitions over which the objects are spread."""

    @cached_property
    def partitions(self) -> tuple[str, ...]:
        """The partitions of the shards."""
        return keys.shards_of(self.partition, self.shards)

    @property
    def is_listing(self) -> bool:
        """Whether the index is a listing of the class."""
        return not self.columns

    def index_text(self, state: State) -> str:
        """Return the index text of the values in a state, not truncated."""
        return "".join([encode(state) for encode in self._encoders])

    @cached_property
    def _encoders(self) -> tuple[Callable[[State], str], ...]:
        """For each column: the function that encodes its value."""
        return tuple(column.encode for column in self.columns)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The attributes and roles of the columns."""
        return tuple(column.attribute for column in self.columns)

    @cached_property
    def folded(self) -> frozenset[str]:
        """The attributes of which the index has a folded form, so that it doesn't order what was written."""
        return frozenset(column.attribute for column in self.columns if column.type.folding is not None)

    def place(self, entity: Entity) -> IndexKey:
        """Return the position of an object in the index."""
        id_, partition = entity.reference.id, self.partition
        if self.shards > 1:
            partition = keys.shard_of(partition, self.shards, id_)
        if not self.columns:
            return IndexKey(partition, id_)
        text = self.index_text(entity.state)
        return IndexKey(partition, (text if len(text) < SHORTEST_TRUNCATED else truncate(text)) + id_)

    def is_usable_for(self, class_: Class) -> bool:
        """Return whether a filter or an order of a class may be answered from the index.

        It must have columns and be ready, and the model must still have its attributes and keys and read them
        in the same way.
        """
        return (
            self.ready
            and not self.is_listing
            and all(
                is_column(class_, column.attribute) and column_of(class_, column.attribute) == column
                for column in self.columns
            )
        )

    def names(self, attributes: Collection[str]) -> bool:
        """Return whether the index has a column for one of these attributes or roles."""
        return any(name in attributes for name in self.attributes)

    @property
    def label(self) -> str:
        """The attributes, for messages: `last_name, first_name`."""
        return ", ".join(self.attributes)


def columns_of(class_: Class, attributes: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns of an index by attributes of a class."""
    return tuple(column_of(class_, name) for name in attributes)


def column_of(class_: Class, name: str) -> Column:
    """Return the column of an attribute of a class, or of a role whose key its objects hold."""
    type_, attribute = type_of(class_, name), class_.attributes.get(name)
    default = None if attribute is None else attribute.default
    if isinstance(type_, EnumType):
        return Column(name, type_.reading, tuple(sorted(type_.values)), default)
    return Column(name, type_.reading, (), default)


def serialize_columns(columns: tuple[Column, ...]) -> list[str]:
    """Return columns in the format of the registry: `last_name:text`.

    It has the storage class only, because earlier versions of the service know no more. `serialize_readings`
    returns the rest.
    """
    return [f"{column.attribute}:{column.storage.name}" for column in columns]


def serialize_readings(columns: tuple[Column, ...]) -> list[str]:
    """Return how columns read values in the format of the registry: `String`, `Enum(A|B)`, `Int = 5`."""
    return [
        column.reading
        + (f"({'|'.join(column.values)})" if column.reading == ENUM else "")
        + ("" if column.default is None else f" = {json.dumps(column.default)}")
        for column in columns
    ]


def adopted(column: Column, class_: Class) -> Column:
    """Return a column of an earlier version of the service with the reading that a model has for it.

    That version took all types of one storage class for the same. Other columns are returned as they are.
    """
    if column.reading not in _EARLIER_READINGS or not is_column(class_, column.attribute):
        return column
    now = column_of(class_, column.attribute)
    return now._replace(default=None) if now.storage.name == column.reading else column


_READING = re.compile(r"(\w+)(?:\(([\w|]*)\))?(?: = (.+))?", re.DOTALL)
_EARLIER_READINGS = {"text": "String", "whole": "Int", "boolean": "Boolean", "decimal": "Real"}
"""By the name of a storage class: the type that stands for it.

Earlier versions of the service wrote only storage classes to the registry. A column keeps this name as its
reading until a process with a model adopts it (`adopted`).
"""


def parse_columns(texts: list[str], readings: list[str] | None = None) -> tuple[Column, ...]:
    """Parse columns in the format of the registry. `readings`: None from earlier versions of the service."""
    pairs = [text.split(":") for text in texts]
    if readings is None:
        return tuple(Column(attribute, storage) for attribute, storage in pairs)
    return tuple(
        _parse_column(attribute, reading) for (attribute, _), reading in zip(pairs, readings, strict=True)
    )


def _parse_column(attribute: str, text: str) -> Column:
    found = _READING.fullmatch(text)
    assert found is not None, text
    reading, values, default = found.groups()
    return Column(
        attribute,
        reading,
        tuple(values.split("|")) if values else (),
        None if default is None else json.loads(default),
    )
