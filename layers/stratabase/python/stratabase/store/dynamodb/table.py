"""The one table: its keys and indexes, and what its attributes are called."""

from typing import Any

from stratabase.store.engine import INDEX_NAMES

PARTITION, SORT, STATE = "pk", "sk", "state"

PLACES = {name: (f"p{number}", f"s{number}") for number, name in enumerate(INDEX_NAMES, 1)}
"""For each secondary index, the attributes that hold an item's place in it."""

BLANK = "blank"
"""An attribute that a patch sets when it makes an item without setting anything else."""

OWN = frozenset({PARTITION, SORT, STATE, BLANK, *(name for pair in PLACES.values() for name in pair)})
"""The table's own names of attributes. An item's attribute that is called so is stored with a mark."""

PROJECTED = ("state", "commitIds", "versionStart")
"""What an index carries of an item: what a page needs. Not the lock: so locking leaves the indexes alone.

An index cannot be told later to carry more; a new one would have to be built.
"""

LONGEST_PARTITION = 2048
"""Bytes that a partition may have in its key."""
LONGEST_SORT = 1024
"""Bytes that a place in a partition may have in its key."""

_MARK = "="


def table_definition(name: str) -> dict[str, Any]:
    """Return the parameters of CreateTable."""
    keys = ((PARTITION, SORT), *PLACES.values())
    texts = [{"AttributeName": attribute, "AttributeType": "S"} for pair in keys for attribute in pair]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": texts,
        "KeySchema": _key_schema(PARTITION, SORT),
        "GlobalSecondaryIndexes": [_index(index, *places) for index, places in PLACES.items()],
    }


def stored_name(attribute: str) -> str:
    """Return what an item's attribute is called in the table."""
    return _MARK + attribute if attribute in OWN or attribute.startswith(_MARK) else attribute


def attribute_name(stored: str) -> str:
    """Return what an attribute of the table, which is none of its own, is called in the item."""
    return stored.removeprefix(_MARK)


def _index(name: str, partition: str, sort: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": _key_schema(partition, sort),
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(PROJECTED)},
    }


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]
