"""The table: its keys, its indexes, and the names of its attributes."""

from typing import Any

from stratabase.core.store.engine.capacity import PROJECTED_ATTRIBUTES
from stratabase.core.store.engine.port import INDEX_NAMES, TIME_TO_LIVE
from stratabase_aws.dynamodb.client import Client, Rejected

PARTITION, SORT, STATE = "pk", "sk", "state"

PLACE_ATTRIBUTES = {name: (f"p{number}", f"s{number}") for number, name in enumerate(INDEX_NAMES, 1)}
"""By secondary index: the attributes with an item's position in it, as (partition, sort)."""

BLANK = "blank"
"""An attribute that a patch sets if it creates an item without setting anything else."""

RESERVED_NAMES = frozenset(
    {PARTITION, SORT, STATE, BLANK, *(name for pair in PLACE_ATTRIBUTES.values() for name in pair)}
)
"""Names that the table itself uses. An attribute of an item with such a name is stored with a prefix."""

MAX_PARTITION_BYTES = 2048
"""DynamoDB's maximum length of a partition key."""
MAX_SORT_BYTES = 1024
"""DynamoDB's maximum length of a sort key."""

_MARK = "="
_TIME_TO_LIVE = {"AttributeName": TIME_TO_LIVE, "Enabled": True}


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
    """Return the name in the table for an attribute of an item."""
    return _MARK + attribute if attribute in RESERVED_NAMES or attribute.startswith(_MARK) else attribute


def attribute_name(stored: str) -> str:
    """Return the attribute of an item for a name in the table that is not reserved."""
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
    """Create the table if it does not exist. This is for emulators; on AWS, the template creates it.

    Raises Rejected, Unanswered.
    """
    try:
        client.call("CreateTable", table_definition(name))
        client.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": _TIME_TO_LIVE})
    except Rejected as error:
        if error.code != "ResourceInUseException":
            raise


def index_size(client: Client, table: str, index: str) -> tuple[int, int]:
    """Return the number of items in an index and their bytes, as DynamoDB knows them: up to six hours old.

    Raises Rejected, Unanswered.
    """
    described = client.call("DescribeTable", {"TableName": table})["Table"]
    for each in described.get("GlobalSecondaryIndexes", ()):
        if each["IndexName"] == index:
            return int(each.get("ItemCount", 0)), int(each.get("IndexSizeBytes", 0))
    return 0, 0
