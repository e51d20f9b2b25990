"""Reads a range of one partition of an index, with one Query request for each page.

A Query takes one condition on the sort key. For a range with two ends, this is BETWEEN, which includes both
ends. And no value may be longer than a key. So the condition may match a few more items, which are filtered
out here.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stratabase.core.store.engine.capacity import READ_UNIT_BYTES
from stratabase.core.store.engine.port import ITEMS, Bounds, Counted, Item, Key
from stratabase_aws.dynamodb.expressions import Placeholders
from stratabase_aws.dynamodb.records import Record, items_of, key_of, typed_value
from stratabase_aws.dynamodb.retry import RetryingClient
from stratabase_aws.dynamodb.table import (
    MAX_PARTITION_BYTES,
    MAX_SORT_BYTES,
    PARTITION,
    PLACE_ATTRIBUTES,
    SORT,
)

INDEX_KEYS = {ITEMS: (PARTITION, SORT), **PLACE_ATTRIBUTES}
"""By index: the attributes with its partition and its sort key."""

_FIRST_PAGE = 64
"""The number of items in the first page of a range without a limit. Each page is twice as long as before."""
_MAX_PAGE = 1024
"""The maximum number of items in a page."""
_LAST_CHARACTER = "\U0010ffff"


_LAST_CHARACTERS = ("", "\x7f", "\u07ff", "\uffff", "\U0010ffff")
"""By number of bytes in UTF-8: the last character."""
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


class KeyCondition(NamedTuple):
    """A condition on a sort key, in a form that DynamoDB supports."""

    low: str | None
    """The lower end, which is included. None if it is open."""
    high: str | None
    """The upper end. None if it is open."""
    high_included: bool

    @property
    def admits_everything(self) -> bool:
        """Whether a query needs no condition."""
        return self.low is None and self.high is None

    @property
    def admits_nothing(self) -> bool:
        """Whether no key meets the condition. Keys are never empty."""
        return self.high == "" or (self.low is not None and self.high is not None and self.low > self.high)

    def expression(self, placeholders: Placeholders) -> str:
        """Return the text of the condition, which follows the name of the sort key in an expression."""
        low, high = (end and placeholders.value(typed_value(end)) for end in (self.low, self.high))
        if low and high:
            return f"BETWEEN {low} AND {high}"
        return f">= {low}" if low else f"<{'=' * self.high_included} {high}"


def key_condition(bounds: Bounds) -> KeyCondition:
    """Return a condition that all keys within bounds meet, and as few others as possible."""
    low, high = bounds.low, bounds.high
    if low and not bounds.low_included:
        low += "\0"  # the next text in the order of code points
    lowest = _shorten(low) if low else None
    highest = None if high is None else _shorten(high)
    if highest != high:
        highest = f"{highest}{_LAST_CHARACTER}"
    return KeyCondition(lowest, highest, bounds.high_included or highest != high or lowest is not None)


def _shorten(text: str) -> str:
    """Return a text, shortened if it is longer than a key, so that one more character fits in a key."""
    encoded = text.encode()
    if len(encoded) <= MAX_SORT_BYTES:
        return text
    return encoded[: MAX_SORT_BYTES - len(_LAST_CHARACTER.encode())].decode(errors="ignore")


class RangeQuery(NamedTuple):
    """A range to read, and how to read it."""

    index_name: str
    partition: str
    bounds: Bounds
    condition: KeyCondition
    backward: bool
    exact: bool

    def pages(self, client: RetryingClient, table: str, limit: int | None) -> Iterator[Sequence[Item]]:
        """Yield the items, page by page, at most `limit` in all."""
        if self.matches_nothing:
            return
        query = self.parameters(table, Placeholders())
        # Without a limit, start with small pages, because most callers need only few items.
        size, left = _FIRST_PAGE, limit
        while left != 0:
            answer = client.read("Query", {**query, "Limit": size if left is None else left + self._extra})
            items = items_of(answer["Items"])
            if not self.is_exact:
                items = [item for item in items if self._is_within(item)][:left]
            if items:
                yield items
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            size, left = min(2 * size, _MAX_PAGE), None if left is None else left - len(items)

    @property
    def matches_nothing(self) -> bool:
        """Whether the query cannot match anything. DynamoDB rejects such queries."""
        return self.condition.admits_nothing or not 0 < len(self.partition.encode()) <= MAX_PARTITION_BYTES

    @property
    def is_exact(self) -> bool:
        """Whether the condition matches only keys within the bounds."""
        condition, bounds = self.condition, self.bounds
        includes_end = condition.high_included and not bounds.high_included
        return (condition.low, condition.high) == bounds[:2] and bounds.low_included and not includes_end

    @property
    def _extra(self) -> int:
        """The number of additional items to read, because the first one may be filtered out."""
        return 1 if self.backward and self.condition.high_included and not self.bounds.high_included else 0

    def parameters(self, table: str, placeholders: Placeholders) -> dict[str, Any]:
        """Return the parameters of the request. `placeholders`: those of its other expressions."""
        index = {"ConsistentRead": self.exact} if self.index_name == ITEMS else {"IndexName": self.index_name}
        condition = self._key_expression(placeholders)
        return {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ScanIndexForward": not self.backward,
            **index,
            **placeholders.parameters(),
        }

    def _key_expression(self, placeholders: Placeholders) -> str:
        partition, sort = INDEX_KEYS[self.index_name]
        within = f"{placeholders.name(partition)} = {placeholders.value(typed_value(self.partition))}"
        if self.condition.admits_everything:
            return within
        return f"{within} AND {placeholders.name(sort)} {self.condition.expression(placeholders)}"

    def _is_within(self, item: Item) -> bool:
        sort = item.key.sort if self.index_name == ITEMS else item.places[self.index_name].sort
        return self.bounds.admits(sort)


def range_query(
    index: str, partition: str, bounds: Bounds, *, backward: bool, exact: bool = True
) -> RangeQuery:
    """Return the query for a range of an index. Raises ValueError if there is no such index."""
    if index not in INDEX_KEYS:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(INDEX_KEYS)}.")
    return RangeQuery(index, partition, bounds, key_condition(bounds), backward, exact)


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
