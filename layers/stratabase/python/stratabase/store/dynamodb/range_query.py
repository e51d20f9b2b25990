"""Reads a range of one partition of an index, query by query.

A query names the range with one condition on the sort key. It takes two ends only with BETWEEN, which
includes both, and no end may be longer than a key. So the condition may let in a little more, which is left
out here.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stratabase.store.dynamodb.expressions import Placeholders
from stratabase.store.dynamodb.records import items_of, typed_value
from stratabase.store.dynamodb.retry import RetryingClient
from stratabase.store.dynamodb.table import (
    MAX_PARTITION_BYTES,
    MAX_SORT_BYTES,
    PARTITION,
    PLACE_ATTRIBUTES,
    SORT,
)
from stratabase.store.engine.port import ITEMS, Bounds, Item

_INDEXES = {ITEMS: (PARTITION, SORT), **PLACE_ATTRIBUTES}
"""For each index, the attributes of its partition and its sort key."""

_FIRST_PAGE = 64
_MAX_PAGE = 1024
_LAST_CHARACTER = "\U0010ffff"


class KeyCondition(NamedTuple):
    """A condition on a sort key: at least `low`, and below `high` or, if it is included, at most."""

    low: str | None
    """None is open."""
    high: str | None
    """None is open."""
    high_included: bool

    @property
    def admits_everything(self) -> bool:
        """Whether there is no need to ask for a condition."""
        return self.low is None and self.high is None

    @property
    def admits_nothing(self) -> bool:
        """Whether no key meets it; no key is an empty text."""
        return self.high == "" or (self.low is not None and self.high is not None and self.low > self.high)

    def expression(self, placeholders: Placeholders) -> str:
        """Return the condition as it follows the name of the sort key in an expression."""
        low, high = (end and placeholders.value(typed_value(end)) for end in (self.low, self.high))
        if low and high:
            return f"BETWEEN {low} AND {high}"
        return f">= {low}" if low else f"<{'=' * self.high_included} {high}"


def key_condition(bounds: Bounds) -> KeyCondition:
    """Return the condition that all keys within bounds meet, and as few others as possible."""
    low, high = bounds.low, bounds.high
    if low and not bounds.low_included:
        low += "\0"  # the very next text
    lowest = _shorten(low) if low else None
    highest = None if high is None else _shorten(high)
    if highest != high:
        highest = f"{highest}{_LAST_CHARACTER}"
    return KeyCondition(lowest, highest, bounds.high_included or highest != high or lowest is not None)


def _shorten(text: str) -> str:
    """Return a text, or as much of it as leaves room for one character more in a key."""
    encoded = text.encode()
    if len(encoded) <= MAX_SORT_BYTES:
        return text
    return encoded[: MAX_SORT_BYTES - len(_LAST_CHARACTER.encode())].decode(errors="ignore")


class RangeQuery(NamedTuple):
    """What is read, and in which direction."""

    index_name: str
    partition: str
    bounds: Bounds
    condition: KeyCondition
    backward: bool
    exact: bool

    def pages(self, client: RetryingClient, table: str, limit: int | None) -> Iterator[Sequence[Item]]:
        """Yield the items, page by page, at most `limit` in all."""
        # DynamoDB refuses to look where nothing can be.
        if self.condition.admits_nothing or not 0 < len(self.partition.encode()) <= MAX_PARTITION_BYTES:
            return
        query = self._parameters(table)
        # Without a limit, little is asked for at first, since most callers want little.
        size, left = _FIRST_PAGE, limit
        while left != 0:
            answer = client.read("Query", {**query, "Limit": size if left is None else left + self._extra})
            items = [item for item in items_of(answer["Items"]) if self._is_within(item)][:left]
            if items:
                yield items
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            size, left = min(2 * size, _MAX_PAGE), None if left is None else left - len(items)

    @property
    def _extra(self) -> int:
        """How many items to read besides: the first one may be left out, and cause another query."""
        return 1 if self.backward and self.condition.high_included and not self.bounds.high_included else 0

    def _parameters(self, table: str) -> dict[str, Any]:
        placeholders = Placeholders()
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
        partition, sort = _INDEXES[self.index_name]
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
    """Return the query for a range of an index. Raises ValueError when there is no such index."""
    if index not in _INDEXES:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(_INDEXES)}.")
    return RangeQuery(index, partition, bounds, key_condition(bounds), backward, exact)
