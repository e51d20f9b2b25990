"""The distributed engine: one DynamoDB table, shared by any number of processes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratabase.store.dynamodb.client import Client
from stratabase.store.dynamodb.commit import commit_batch
from stratabase.store.dynamodb.range_query import range_query
from stratabase.store.dynamodb.records import item_of, items_of, key_record
from stratabase.store.dynamodb.retry import RetryingClient, RetryPolicy
from stratabase.store.dynamodb.table import MAX_PARTITION_BYTES, MAX_SORT_BYTES
from stratabase.store.engine.port import UNBOUNDED, Batch, Bounds, Item, Key

DEFAULT_RETRY_POLICY = RetryPolicy()


class DynamoDBEngine:
    """Keeps items in one table (see table_definition).

    A `get` of several keys may see a part of a batch that is being committed; each item is seen whole.

    One write by itself whose answer is lost is done twice where what it expects is true again: if it expects
    nothing, so that it also covers what came in between; or if it puts an item where none is, and others
    have deleted that in between. Conditional deletes and several writes together have a token against it.
    """

    def __init__(self, client: Client, table: str, patience: RetryPolicy = DEFAULT_RETRY_POLICY) -> None:
        self._client = client
        self._insistent = RetryingClient(client, patience)
        self._table = table

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
        return get_items(self._insistent, self._table, keys)

    def range(  # noqa: PLR0913 - as the port has it
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        found = range_query(index, partition, bounds, backward=backward, exact=exact)
        return found.pages(self._insistent, self._table, limit)

    def commit(self, batch: Batch) -> None:
        """Do all actions or none. Raises ExpectationFailed, Unavailable."""
        commit_batch(self._insistent, self._table, batch)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


MAX_KEYS_PER_REQUEST = 100
"""What one request reads."""


def get_items(client: RetryingClient, table: str, keys: Sequence[Key]) -> list[Item | None]:
    """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
    different = [key for key in dict.fromkeys(keys) if _is_possible(key)]
    if len(different) == 1:
        item = _one(client, table, different[0])
        return [item if key == different[0] else None for key in keys]
    found: dict[Key, Item] = {}
    for at in range(0, len(different), MAX_KEYS_PER_REQUEST):
        found |= {
            item.key: item for item in _several(client, table, different[at : at + MAX_KEYS_PER_REQUEST])
        }
    return [found.get(key) for key in keys]


def _is_possible(key: Key) -> bool:
    """Return whether something may be under a key. DynamoDB refuses to look under others."""
    partition, sort = (len(text.encode()) for text in key)
    return 0 < partition <= MAX_PARTITION_BYTES and 0 < sort <= MAX_SORT_BYTES


def _one(client: RetryingClient, table: str, key: Key) -> Item | None:
    answer = client.read("GetItem", {"TableName": table, "Key": key_record(key), "ConsistentRead": True})
    return item_of(answer["Item"]) if "Item" in answer else None


def _several(client: RetryingClient, table: str, keys: Sequence[Key]) -> list[Item]:
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
        attempts.wait()
