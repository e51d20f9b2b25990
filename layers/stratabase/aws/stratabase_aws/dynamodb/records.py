"""Converts between items and records, which are items in DynamoDB's typed JSON."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.core.store.engine.port import INDEX_NAMES, IndexKey, Item, Key, Value
from stratabase_aws.dynamodb.table import (
    PARTITION,
    PLACE_ATTRIBUTES,
    RESERVED_NAMES,
    SORT,
    STATE,
    attribute_name,
    stored_name,
)

TypedValue = dict[str, Any]
"""A value in DynamoDB's format: one entry from its type (S, N, BOOL, NULL, L) to its content."""

Record = dict[str, TypedValue]
"""By name of the attribute in the table: its value."""

_MAX_DIGITS = 38
"""The precision of DynamoDB's numbers."""


def record_of(item: Item) -> Record:
    """Return the record of an item."""
    own = {STATE: item.state, **place_attributes(item.places)}
    return (
        key_record(item.key)
        | {name: {"S": text} for name, text in own.items() if text is not None}
        | {stored_name(name): typed_value(value) for name, value in item.attributes.items()}
    )


def key_record(key: Key) -> Record:
    """Return the attributes of a key."""
    return {PARTITION: {"S": key.partition}, SORT: {"S": key.sort}}


def place_attributes(places: Mapping[str, IndexKey | None]) -> dict[str, str | None]:
    """Return the attributes of index positions, by name in the table; None for a position to remove."""
    if not places.keys() <= PLACE_ATTRIBUTES.keys():
        raise ValueError(f"The indexes are {', '.join(INDEX_NAMES)}, but an item has places in {[*places]}.")
    return {
        name: text
        for index, place in places.items()
        for name, text in zip(PLACE_ATTRIBUTES[index], place or (None, None), strict=True)
    }


class _RecordItem(Item):
    """The item of a record. Its attributes and places are converted when they are used for the first time."""

    __slots__ = ("_attributes", "_places", "_record", "partition")

    partition: str
    state: str | None

    def __init__(self, record: Record) -> None:
        # Every read passes here for each item.
        self._record = record
        self.partition = record[PARTITION]["S"]
        self.state = record[STATE]["S"] if STATE in record else None

    @property
    def key(self) -> Key:
        return Key(self.partition, self._record[SORT]["S"])

    @property
    def attributes(self) -> Mapping[str, Value]:
        try:
            return self._attributes
        except AttributeError:
            self._attributes: Mapping[str, Value] = _attributes_of(self._record)
            return self._attributes

    @property
    def places(self) -> Mapping[str, IndexKey]:
        try:
            return self._places
        except AttributeError:
            self._places: Mapping[str, IndexKey] = _places_of(self._record)
            return self._places

    def sort_in(self, index: str) -> str:
        sort: str = self._record[PLACE_ATTRIBUTES[index][1]]["S"]
        return sort


def _attributes_of(record: Record) -> dict[str, Value]:
    attributes: dict[str, Value] = {}
    for name, value in record.items():
        if name not in RESERVED_NAMES:
            ((type_, content),) = value.items()
            attributes[attribute_name(name)] = content if type_ in _SAME else _PLAIN[type_](content)
    return attributes


def _places_of(record: Record) -> dict[str, IndexKey]:
    return {
        index: IndexKey(record[partition]["S"], record[sort]["S"])
        for index, partition, sort in _PLACES
        if partition in record
    }


_PLACES = tuple((index, *names) for index, names in PLACE_ATTRIBUTES.items())


def item_of(record: Record) -> Item:
    """Return the item of a record."""
    return _RecordItem(record)


def items_of(records: Iterable[Record]) -> list[Item]:
    """Return the items of records, in their order."""
    return list(map(_RecordItem, records))


def key_of(record: Record) -> Key:
    """Return the key of a record."""
    return Key(record[PARTITION]["S"], record[SORT]["S"])


def typed_value(value: Value) -> TypedValue:
    """Return a value in DynamoDB's format. Raises ValueError for a number that DynamoDB would round."""
    return _TYPED[type(value)](value)


def _number(value: int) -> TypedValue:
    if len(str(abs(value)).rstrip("0")) > _MAX_DIGITS:
        raise ValueError(f"DynamoDB keeps {_MAX_DIGITS} digits, but {value} has more.")
    return {"N": str(value)}


_TYPED: Mapping[type[Any], Callable[[Any], TypedValue]] = {
    str: lambda value: {"S": value},
    int: _number,
    bool: lambda value: {"BOOL": value},
    type(None): lambda _: {"NULL": True},
    list: lambda value: {"L": [{"S": text} for text in value]},
}


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # DynamoDB may write 1E+2
        return int(Decimal(text))


_SAME = frozenset({"S", "BOOL"})
"""The types whose content is the value."""

_PLAIN: Mapping[str, Callable[[Any], Value]] = {
    "N": _integer,
    "NULL": lambda _: None,
    "L": lambda content: [each["S"] for each in content],
}
