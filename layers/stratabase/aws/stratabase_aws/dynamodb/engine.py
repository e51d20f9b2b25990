"""The DynamoDB engine: one table, which any number of processes share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratabase.core.store.engine.capacity import MAX_KEYS_PER_REQUEST
from stratabase.core.store.engine.port import UNBOUNDED, Batch, Bounds, Counted, Item, Key
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.commit import commit_batch, send_increment
from stratabase_aws.dynamodb.count_query import CountQuery
from stratabase_aws.dynamodb.range_query import range_query
from stratabase_aws.dynamodb.records import item_of, items_of, key_record
from stratabase_aws.dynamodb.retry import DEFAULT_RETRY_POLICY, RetryingClient, RetryPolicy
from stratabase_aws.dynamodb.table import MAX_PARTITION_BYTES, MAX_SORT_BYTES


class DynamoDBEngine:
    """An engine on one table (see `table_definition`).

    A `get` of several keys may see only a part of a batch that is being committed. Each item is complete.

    If the response to a single write is lost, the write is sent again. It can then be done twice, in two
    cases: it expects nothing, so it also overwrites writes in between; or it creates an item, and another
    process has deleted this item in between. Transactions and conditional deletes have a token that prevents
    this.
    """

    removes_expired = True
    is_embedded = False

    def __init__(self, client: Client, table: str, retry_policy: RetryPolicy = DEFAULT_RETRY_POLICY) -> None:
        self._client = client
        self._retrying = RetryingClient(client, retry_policy)
        self._table = table

    def get(
        self,
        keys: Sequence[Key],
        *,
        places: bool = True,  # noqa: ARG002 - DynamoDB charges for whole items
    ) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        distinct = [key for key in dict.fromkeys(keys) if _is_possible(key)]
        if len(distinct) == 1:
            item = self._get_one(distinct[0])
            return [item if key == distinct[0] else None for key in keys]
        found: dict[Key, Item] = {}
        for at in range(0, len(distinct), MAX_KEYS_PER_REQUEST):
            found |= {item.key: item for item in self._get_many(distinct[at : at + MAX_KEYS_PER_REQUEST])}
        return [found.get(key) for key in keys]

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,  # noqa: ARG002 - a projection would not make the read cheaper
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        query = range_query(index, partition, bounds, backward=backward, exact=exact)
        return query.pages(self._retrying, self._table, limit)

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, for each megabyte of them."""
        return CountQuery(index, partition, ranges, distinct=distinct).pages(self._retrying, self._table)

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        scan: dict[str, Any] = {"TableName": self._table, "ConsistentRead": True}
        start = None if after is None else key_record(after)
        while True:
            answer = self._retrying.read("Scan", {**scan, "ExclusiveStartKey": start} if start else scan)
            if items := items_of(answer["Items"]):
                yield items
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return

    def data_version(self) -> None:
        """Return None, because DynamoDB has no such value."""

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        commit_batch(self._retrying, self._table, batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum. A lost response can add it twice."""
        return send_increment(self._retrying, self._table, key, attribute, by)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _get_one(self, key: Key) -> Item | None:
        answer = self._retrying.read(
            "GetItem", {"TableName": self._table, "Key": key_record(key), "ConsistentRead": True}
        )
        return item_of(answer["Item"]) if "Item" in answer else None

    def _get_many(self, keys: Sequence[Key]) -> list[Item]:
        """Return the existing items. Request those again that a response left unprocessed."""
        wanted: Mapping[str, Any] = {
            self._table: {"Keys": list(map(key_record, keys)), "ConsistentRead": True}
        }
        found: list[Item] = []
        attempts = self._retrying.attempts()
        while True:
            answer = self._retrying.read("BatchGetItem", {"RequestItems": wanted})
            items = items_of(answer.get("Responses", {}).get(self._table, ()))
            found += items
            wanted = answer.get("UnprocessedKeys") or {}
            if not wanted:
                return found
            if items:  # there is progress, so the retries start over
                attempts = self._retrying.attempts()
            attempts.wait()


def _is_possible(key: Key) -> bool:
    """Return whether DynamoDB allows a key. It rejects reads of other keys."""
    partition, sort = (len(text.encode()) for text in key)
    return 0 < partition <= MAX_PARTITION_BYTES and 0 < sort <= MAX_SORT_BYTES
