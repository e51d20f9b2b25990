"""The one table: its keys, its indexes, and the names of its attributes."""

from typing import Any

from stratabase.store.dynamodb.client import Client, Rejected
from stratabase.store.engine.port import INDEX_NAMES

PARTITION, SORT, STATE = "pk", "sk", "state"

PLACE_ATTRIBUTES = {name: (f"p{number}", f"s{number}") for number, name in enumerate(INDEX_NAMES, 1)}
"""For each secondary index, the attributes that hold an item's place in it: partition, sort."""

BLANK = "blank"
"""An attribute that a patch sets when it makes an item without setting anything else."""

RESERVED_NAMES = frozenset(
    {PARTITION, SORT, STATE, BLANK, *(name for pair in PLACE_ATTRIBUTES.values() for name in pair)}
)
"""The table's own names of attributes. An item's attribute of the same name is stored with a mark."""

PROJECTED_ATTRIBUTES = ("state", "commitIds", "versionStart")
"""What an index carries of an item: what a page needs. Not the lock: so locking leaves the indexes alone.

An index cannot be told later to carry more; a new one would have to be built.
"""

MAX_PARTITION_BYTES = 2048
"""How long the partition of a key may be."""
MAX_SORT_BYTES = 1024
"""How long the sort key may be."""

_MARK = "="


def table_definition(name: str) -> dict[str, Any]:
    """Return the parameters of CreateTable."""
    keys = ((PARTITION, SORT), *PLACE_ATTRIBUTES.values())
    attributes = [{"AttributeName": name, "AttributeType": "S"} for pair in keys for name in pair]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": _key_schema(PARTITION, SORT),
        "GlobalSecondaryIndexes": [_index(index, *places) for index, places in PLACE_ATTRIBUTES.items()],
    }


def stored_name(attribute: str) -> str:
    """Return the name in the table of an item's attribute."""
    return _MARK + attribute if attribute in RESERVED_NAMES or attribute.startswith(_MARK) else attribute


def attribute_name(stored: str) -> str:
    """Return the name in the item of a stored attribute that is none of the table's own."""
    return stored.removeprefix(_MARK)


def _index(name: str, partition: str, sort: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": _key_schema(partition, sort),
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(PROJECTED_ATTRIBUTES)},
    }


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def ensure_table(client: Client, name: str) -> None:
    """Create the table unless it is there: in an emulator. On AWS, the template creates it.

    Raises Rejected, Unanswered.
    """
    try:
        client.call("CreateTable", table_definition(name))
    except Rejected as error:
        if error.code != "ResourceInUseException":
            raise
