"""Counts the items in ranges of one partition of an index, with one Query request for each megabyte.

Counting needs as many read units as reading. But if DynamoDB counts by itself (`Select=COUNT`), the response
has a number instead of the items. Otherwise the keys are read and counted here: if an item may count only
once, or if DynamoDB has no condition that matches exactly the keys within the bounds.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from stratabase.core.store.engine.capacity import READ_UNIT_BYTES
from stratabase.core.store.engine.port import ITEMS, Bounds, Counted, Key
from stratabase_aws.dynamodb.expressions import Placeholders
from stratabase_aws.dynamodb.range_query import INDEX_KEYS, RangeQuery, range_query
from stratabase_aws.dynamodb.records import Record, key_of
from stratabase_aws.dynamodb.retry import RetryingClient
from stratabase_aws.dynamodb.table import MAX_SORT_BYTES, PARTITION, SORT

_LAST_CHARACTERS = ("", "\x7f", "\u07ff", "\uffff", "\U0010ffff")
"""By number of bytes in UTF-8: the last character."""
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


class CountQuery:
    """The query that counts several ranges. `distinct`: count an item that is in several of them once."""

    def __init__(self, index: str, partition: str, ranges: Sequence[Bounds], *, distinct: bool) -> None:
        """Raise ValueError if there is no such index."""
        self._queries = [
            (bounds, range_query(index, partition, _with_included_ends(bounds), backward=False))
            for bounds in ranges
        ]
        self._index = index
        self._counted: set[Key] | None = set() if distinct else None
        # A read of an index is never strongly consistent, and costs half.
        self._bytes_of_unit = READ_UNIT_BYTES * (1 if index == ITEMS else 2)

    def pages(self, client: RetryingClient, table: str) -> Iterator[Counted]:
        """Yield the number of items on each page."""
        for bounds, query in self._queries:
            if query.matches_nothing:
                continue
            parameters = self._parameters(query, table)
            while True:
                answer = client.read("Query", parameters)
                yield Counted(self._items(answer, bounds), self._bytes_read(answer))
                if "LastEvaluatedKey" not in answer:
                    break
                parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _parameters(self, query: RangeQuery, table: str) -> dict[str, Any]:
        placeholders = Placeholders()
        if self._counted is None and query.is_exact:
            selected = {"Select": "COUNT"}
        else:
            wanted = dict.fromkeys((PARTITION, SORT, INDEX_KEYS[self._index][1]))
            selected = {"ProjectionExpression": ", ".join(map(placeholders.name, wanted))}
        return {**query.parameters(table, placeholders), **selected, "ReturnConsumedCapacity": "TOTAL"}

    def _items(self, answer: Any, bounds: Bounds) -> int:
        """Return the number of items on a page."""
        if "Items" not in answer:
            return int(answer["Count"])
        keys = [key_of(record) for record in answer["Items"] if self._is_within(record, bounds)]
        if self._counted is None:
            return len(keys)
        before = len(self._counted)
        self._counted.update(keys)
        return len(self._counted) - before

    def _is_within(self, record: Record, bounds: Bounds) -> bool:
        return bounds.admits(record[INDEX_KEYS[self._index][1]]["S"])

    def _bytes_read(self, answer: Any) -> int:
        units = answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0)
        return int(units * self._bytes_of_unit)


def _with_included_ends(bounds: Bounds) -> Bounds:
    """Return bounds that include their ends and admit the same keys, as far as ends fit in a key."""
    low, high = bounds.low or None, bounds.high
    if low and not bounds.low_included:
        low += "\0"  # the next text in the order of code points
    if high and not bounds.high_included and len(high.encode()) <= MAX_SORT_BYTES:
        return Bounds(low, _last_key_before(high))
    return Bounds(low, high, high_included=bounds.high_included)


def _last_key_before(text: str) -> str:
    """Return the greatest key before a text that is not longer than a key."""
    last = text[-1]
    if last == "\0":
        return text[:-1]
    before = text[:-1] + (_BEFORE_SURROGATES if last == _AFTER_SURROGATES else chr(ord(last) - 1))
    characters, rest = divmod(MAX_SORT_BYTES - len(before.encode()), 4)
    return before + _LAST_CHARACTERS[4] * characters + _LAST_CHARACTERS[rest]
