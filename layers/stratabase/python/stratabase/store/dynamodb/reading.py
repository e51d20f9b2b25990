"""Items by their keys, up to a hundred with one request."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratabase.store.dynamodb.insistence import Insistent
from stratabase.store.dynamodb.record import item_of, items_of, key_record
from stratabase.store.dynamodb.table import LONGEST_PARTITION, LONGEST_SORT
from stratabase.store.engine import Item, Key

MOST_KEYS = 100
"""What one request reads."""


def look_up(client: Insistent, table: str, keys: Sequence[Key]) -> list[Item | None]:
    """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
    different = [key for key in dict.fromkeys(keys) if _is_possible(key)]
    if len(different) == 1:
        item = _one(client, table, different[0])
        return [item if key == different[0] else None for key in keys]
    found: dict[Key, Item] = {}
    for at in range(0, len(different), MOST_KEYS):
        found |= {item.key: item for item in _several(client, table, different[at : at + MOST_KEYS])}
    return [found.get(key) for key in keys]


def _is_possible(key: Key) -> bool:
    """Return whether something may be under a key. DynamoDB refuses to look under others."""
    partition, sort = (len(text.encode()) for text in key)
    return 0 < partition <= LONGEST_PARTITION and 0 < sort <= LONGEST_SORT


def _one(client: Insistent, table: str, key: Key) -> Item | None:
    answer = client.read("GetItem", {"TableName": table, "Key": key_record(key), "ConsistentRead": True})
    return item_of(answer["Item"]) if "Item" in answer else None


def _several(client: Insistent, table: str, keys: Sequence[Key]) -> list[Item]:
    """Return the items that there are, asking again for those that an answer left out."""
    wanted: Mapping[str, Any] = {table: {"Keys": list(map(key_record, keys)), "ConsistentRead": True}}
    found: list[Item] = []
    attempts = client.attempts()
    while True:
        answer = client.read("BatchGetItem", {"RequestItems": wanted})
        items = items_of(answer.get("Responses", {}).get(table, ()))
        found += items
        wanted = answer.get("UnprocessedKeys") or {}
        if not wanted:
            return found
        if items:  # it goes on, however slowly
            attempts = client.attempts()
        attempts.again()
