"""The base classes of attribute types, and the parsing of integers and texts that several types share.

The storage class of a type says how its values are stored as JSON, and how they are ordered in indexes.
`Renames` are names under which some things are stored, in both directions.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_AGGREGATES,
    ORDER_OPERATORS,
    ORDER_TOTALS,
    Aggregate,
    Operator,
    Total,
)
from stratabase.values.cel.kinds import ValueKind
from stratabase.values.folding import Folding
from stratabase.values.formats.buckets import Bucket
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

_LEFTOVER = "\0"
"""The beginning of what stands for a leftover name. No name contains it, and it is never stored."""


class Renames:
    """Some names with their stored names, such as the attributes of a class, or the values of an enum.

    A store may also have names that the model removed. If such a leftover name equals a present name that is
    stored under another one, it must not be taken for that: it becomes a marked name, and itself again when
    it is stored.
    """

    def __init__(self, stored_names: Mapping[str, str] = MappingProxyType({})) -> None:
        """`stored_names`: by name, for all names, also for those that are stored as they are."""
        stored = set(stored_names.values())
        leftovers = {f"{_LEFTOVER}{name}": name for name in stored_names if name not in stored}
        both = {**stored_names, **leftovers}
        self.to_stored: Mapping[str, str] = {name: each for name, each in both.items() if name != each}
        """By name: its stored name, if that is another one."""
        self.from_stored: Mapping[str, str] = {each: name for name, each in self.to_stored.items()}
        """By stored name: its name, if that is another one."""


_MIDDLE = 500
"""Added to an exponent, so that every exponent of a stored number becomes a number of three digits."""
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_HIGHEST = "~"
"""Greater than every digit. So of two negative numbers, the one with more digits comes first."""


@frozen
class StorageClass:
    """A way to store values.

    An attribute whose type changes keeps its values and indexes if both types have the same storage class.
    """

    name: str
    """The name in the registry of index slots. It must never change."""
    python_type: type
    """The type of the values in Python, after they are parsed as JSON."""
    accepts: Callable[[Any], bool]
    """Returns whether a value, which is not null, has this form.

    Values of another form, left by an earlier model, count as null.
    """
    index_text: Callable[[Any], str]
    """Maps a value to a text. Texts have the order of their values. Only equal values have the same text."""
    from_index_text: Callable[[str], Any] | None = None
    """Maps such a text to its value. None if a text can stand for several values, which count as equal."""


def number_text(number: Decimal) -> str:
    """Return a text that orders a number among others: its sign, its exponent, and its digits."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return _ordered("".join(map(str, digits)), exponent, is_negative=bool(sign))


def integer_text(number: int) -> str:
    """Return what `number_text` returns, in a fraction of the time."""
    return _ordered(str(abs(number)), 0, is_negative=number < 0)


def _ordered(digits: str, exponent: int, *, is_negative: bool) -> str:
    significant = digits.rstrip("0")
    if not significant:
        return "1"
    size = f"{exponent + len(digits) - 1 + _MIDDLE:03}{significant}"
    return f"0{size.translate(_COMPLEMENT)}{_HIGHEST}" if is_negative else f"2{size}"


def number_of_text(text: str) -> Decimal:
    """Return the number that has an index text."""
    is_negative = text.startswith("0")
    size = text[1:-1].translate(_COMPLEMENT) if is_negative else text[1:]
    if not size:
        return Decimal(0)
    digits = size[3:]
    return Decimal((is_negative, tuple(map(int, digits)), int(size[:3]) - _MIDDLE - len(digits) + 1))


TEXT_STORAGE = StorageClass("text", str, lambda value: type(value) is str, str, str)
INTEGER_STORAGE = StorageClass(
    "whole", int, lambda value: type(value) is int, integer_text, lambda text: int(number_of_text(text))
)
BOOLEAN_STORAGE = StorageClass(
    "boolean",
    bool,
    lambda value: type(value) is bool,
    lambda value: "1" if value else "0",
    lambda text: text == "1",
)

MAPPING_STORAGE = StorageClass("mapping", dict, lambda value: isinstance(value, dict), str)
"""The storage class of files, which have no order."""
Stored = str | int | bool | None | list[str] | Mapping[str, "Stored"]
"""A value as the store keeps it: JSON in the canonical form of its type.

A list has the IDs of an object's parts, which are stored beside its attributes.
"""


EVERY_VALUE: Final = "every value"
"""Says that a type reads all values of another."""


class NumberRange(NamedTuple):
    """The numbers that a type has. None means no limit that another type of numbers passes."""

    minimum: int | None = None
    maximum: int | None = None
    whole: bool = True


class AttributeType(ABC):
    """An attribute type. Types are immutable.

    There is one instance of each type, and one for each enum of the model. A type has everything about its
    values: other packages ask these attributes and methods, and compare no names of types.
    """

    # The model language and the API.

    name: str
    """The name in the model language and in GraphQL. For `File`, GraphQL uses other types."""
    foreign_names: ClassVar[tuple[str, ...]] = ()
    """Names of the type in other languages, for which errors in a model suggest it."""
    model_description: ClassVar[str | None] = None
    """What the values are, for the scalar in the model language. None: GraphQL itself has the type."""
    api_description: ClassVar[str | None] = None
    """How clients write values, for the scalar in the API. None: the API has the type without a scalar."""
    kind: ValueKind
    """The kind of the values in expressions."""
    operators: ClassVar[frozenset[Operator]]
    """The filter operators for attributes of the type."""
    lists_null: ClassVar[bool] = False
    """Whether the list of the operator `in` can contain null."""
    aggregates: ClassVar[frozenset[Aggregate]]
    """The aggregates of attributes of the type."""
    sum_types: ClassVar[tuple[str, ...]] = ()
    """The types that can hold the sum of values, the most suitable first."""
    totals: ClassVar[tuple[Total, ...]] = ()
    """The totals of attributes of the type, over many objects."""
    groups_by_value: ClassVar[bool] = False
    """Whether objects can be grouped by the values themselves."""
    buckets: ClassVar[tuple[Bucket, ...]] = ()
    """The periods by which objects can be grouped."""
    takes_format: ClassVar[bool] = False
    """The GraphQL field has an argument `format`."""
    grouped: ClassVar[bool] = False
    """Whether people write values with separators, as in 1,234.5."""

    # What the values are, and how they are stored.

    storage: ClassVar[StorageClass] = TEXT_STORAGE
    """How values are stored and ordered in indexes."""
    unrestricted: ClassVar[bool] = False
    """Whether each value of the Python type is one of this type, as each text is one of Text."""
    numbers: ClassVar[NumberRange | None] = None
    """The numbers that the type has. None: its values are not numbers."""
    numbered: ClassVar[bool] = False
    """Whether Stratabase assigns the values, and clients can't."""
    holds_file: ClassVar[bool] = False
    """Whether a value refers to bytes that are uploaded and stored apart."""
    equality_field: ClassVar[str | None] = None
    """For values that are mappings: the field that `eq` and `ne` compare. The operand is a value of it."""
    order_field: ClassVar[str | None] = None
    """For values that are mappings: the field, a text, that orders compare and cursors contain."""
    folding: ClassVar[Folding | None] = None
    """For texts: how they are folded before they are compared. None: values are compared as they are.

    Folded texts that are equal have an order, too: that of what was written, after everything else by which
    objects are ordered.
    """
    distinct_values: int | None = None
    """The number of different values, None if there are many."""
    renames: Renames = Renames()
    """The values that have other stored names."""

    @property
    def full_name(self) -> str:
        """The name that no other type has: types that fold texts have the names of those that don't."""
        return self.name if self.folding is None else f"{self.name} {self.folding.name}"

    # What the type reads of values that another type has stored.

    reading: ClassVar[str]
    """The name of a type that reads the same values of each text. Types with one reading share indexes.

    Indexes are stored with this name, so it must never change.
    """
    readable_texts: str | None = None
    """Which texts are texts of its values, to be read after "reads only these values:". None: no text."""
    unlike: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """By name of a type that one might expect to convert: why the two have no value in common."""

    @property
    def indexable(self) -> bool:
        """Whether the attributes of an index or a uniqueness constraint can be of the type."""
        return self.storage is not MAPPING_STORAGE

    @abstractmethod
    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the canonical stored form of a JSON value that a client sent, which is never None.

        Raises InvalidValue, which says what is right, for a value that is not of the type.
        """

    def read_stored(self, raw: Any) -> Stored:
        """Return the value of this type for a value that an attribute of any type has stored.

        Two stored values are the same value if they have the same text (`text_of`). A type reads the values
        whose text is that of one of its own values. Returns None for all others, which count as null.
        """
        text = text_of(raw)
        return None if text is None else self.value_of(text)

    def is_own_value(self, raw: Any) -> bool:
        """Return whether `read_stored` reads a stored value as it is: nearly every one, in every object.

        `raw` has the Python type of the storage class. Types whose objects have many different values
        override this by a faster test.
        """
        return bool(self.read_stored(raw) == raw)

    @abstractmethod
    def value_of(self, text: str) -> Stored:
        """Return the value of this type with exactly this text, None if there is none."""

    def sort_key(self, stored: Any, /) -> Any:
        """Return the key by which a stored value is compared with others of its type (`<`, `==`)."""
        return stored

    @property
    def has_sort_key(self) -> bool:
        """Whether stored values are compared by a key, and not themselves: the type overrides `sort_key`."""
        return type(self).sort_key is not AttributeType.sort_key

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return a function from stored values to JSON. `pattern` is "default", "iso" or a Java pattern.

        Raises InvalidValue for a pattern that Java rejects.
        """
        del pattern, formats
        return _as_it_is

    def likely_pattern(self, pattern: str) -> str | None:
        """Return the pattern that was probably meant if a valid pattern is probably a mistake, else None."""
        del pattern
        return None

    @property
    def has_serializer(self) -> bool:
        """Whether the JSON of a value differs from its stored form: the type overrides `serializer`."""
        return type(self).serializer is not AttributeType.serializer

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a stored value as messages to a member show it."""
        del formats
        return describe_value(stored)


class OrderedType(AttributeType):
    """A type whose values have an order, such as numbers and times."""

    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS
    lists_null = True
    aggregates: ClassVar[frozenset[Aggregate]] = ORDER_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = ORDER_TOTALS


def _as_it_is(stored: Any) -> Any:
    return stored


def text_of(raw: Any) -> str | None:
    """Return the text of a stored value, None for null, for files, and for lists of parts."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool):
        return "true" if raw else "false"
    return str(raw) if isinstance(raw, int) else None


INTEGER_SPELLING: Final = 'such as "42", but not "042" or "+42"'
"""Says which texts `integer_of` reads."""
_CANONICAL_INTEGER = re.compile(r"-?[1-9][0-9]{0,18}|0")


def integer_of(text: str, minimum: int, maximum: int) -> int | None:
    """Return the integer in a range with exactly this text (`007` and `-0` have none), or None."""
    if not _CANONICAL_INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if minimum <= number <= maximum else None


_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


def parse_integer(value: Any) -> int | None:
    """Return the integer that a JSON value represents (`3`, `3.0`, `"3"`), or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return None


def parse_text(value: Any, type_name: str) -> str:
    """Return a JSON value if it is a text of Unicode characters. Raises InvalidValue for any other."""
    if not isinstance(value, str):
        message = _(
            "{value} is not a valid {type}. Use text in double quotes.",
            value=describe_value(value),
            type=type_name,
        )
        raise InvalidValue(message)
    if not value.isascii():
        _refuse_surrogates(value, type_name)
    return value


def _refuse_surrogates(text: str, type_name: str) -> None:
    """Raise InvalidValue for a text with a lone surrogate, which can't be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as half:
        message = _(
            "The text is not a valid {type}. The character at position {position} is a lone surrogate "
            "({code}). Use both halves of the surrogate pair.",
            type=type_name,
            position=str(half.start),
            code=f"U+{ord(text[half.start]):04X}",
        )
        raise InvalidValue(message) from None
