"""The ends of a range as DynamoDB can be asked for them: in one condition, which may let in a little more.

One condition takes two ends only with BETWEEN, which lets in both; and no end may be longer than a key.
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

_LAST = "\U0010ffff"


class KeyCondition(NamedTuple):
    """The least and the greatest text to ask for; None is open. `let_in_high`: ask for the greatest, too."""

    low: str | None
    high: str | None
    high_included: bool

    @property
    def matches_everything(self) -> bool:
        """Whether there is nothing to ask for: every key will do."""
        return self.low is None and self.high is None

    @property
    def matches_nothing(self) -> bool:
        """Whether no key lies between them; none is an empty text."""
        return self.high == "" or (self.low is not None and self.high is not None and self.low > self.high)

    def expression(self, placeholders: Placeholders) -> str:
        """Return what must be true of a sort key, to follow its name."""
        low, high = (end and placeholders.value(typed_value(end)) for end in (self.low, self.high))
        if low and high:
            return f"BETWEEN {low} AND {high}"
        return f">= {low}" if low else f"<{'=' * self.high_included} {high}"


def key_condition(bounds: Bounds) -> KeyCondition:
    """Return what to ask for, so that nothing within the bounds is missed."""
    low, high = bounds.low, bounds.high
    if low and not bounds.low_included:
        low += "\0"  # the very next text
    least = _cut(low) if low else None
    greatest = None if high is None else _cut(high)
    if greatest != high:
        greatest = f"{greatest}{_LAST}"
    return KeyCondition(least, greatest, bounds.high_included or greatest != high or least is not None)


def _cut(text: str) -> str:
    """Return a text, or as much of it as leaves room for one character more in a key."""
    encoded = text.encode()
    if len(encoded) <= MAX_SORT_BYTES:
        return text
    return encoded[: MAX_SORT_BYTES - len(_LAST.encode())].decode(errors="ignore")


_INDEXES = {ITEMS: (PARTITION, SORT), **PLACE_ATTRIBUTES}
_FIRST_PAGE = 64
_LARGEST_PAGE = 1024


class RangeQuery(NamedTuple):
    """What is to be read, and in which direction."""

    index_name: str
    partition: str
    bounds: Bounds
    ends: KeyCondition
    backward: bool
    exact: bool

    def pages(self, client: RetryingClient, table: str, limit: int | None) -> Iterator[Sequence[Item]]:
        """Yield its items, page by page, `limit` in all."""
        query = self._query(table)
        size, left = _FIRST_PAGE, limit
        while left != 0 and not self._is_empty():
            answer = client.read("Query", {**query, "Limit": size if left is None else left + self._spare})
            items = self._within(items_of(answer["Items"]))[:left]
            if items:
                yield items
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            size, left = min(2 * size, _LARGEST_PAGE), None if left is None else left - len(items)

    def _is_empty(self) -> bool:
        """Return whether nothing can lie in it. DynamoDB refuses to look there."""
        return self.ends.matches_nothing or not 0 < len(self.partition.encode()) <= MAX_PARTITION_BYTES

    @property
    def _spare(self) -> int:
        """How many to read besides, lest the first one be left out and another query be needed."""
        return 1 if self.backward and self.ends.high_included and not self.bounds.high_included else 0

    def _query(self, table: str) -> dict[str, Any]:
        placeholders = Placeholders()
        index = {"ConsistentRead": self.exact} if self.index_name == ITEMS else {"IndexName": self.index_name}
        condition = self._condition(placeholders)
        return {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ScanIndexForward": not self.backward,
            **index,
            **placeholders.parameters(),
        }

    def _condition(self, placeholders: Placeholders) -> str:
        partition, sort = _INDEXES[self.index_name]
        within = f"{placeholders.name(partition)} = {placeholders.value(typed_value(self.partition))}"
        if self.ends.matches_everything:
            return within
        return f"{within} AND {placeholders.name(sort)} {self.ends.expression(placeholders)}"

    def _within(self, items: list[Item]) -> list[Item]:
        return [item for item in items if self._has(self._sort(item))]

    def _has(self, sort: str) -> bool:
        low, high, low_included, high_included = self.bounds
        above = low is None or sort > low or (low_included and sort == low)
        return above and (high is None or sort < high or (high_included and sort == high))

    def _sort(self, item: Item) -> str:
        return item.key.sort if self.index_name == ITEMS else item.places[self.index_name].sort


def range_query(
    index: str, partition: str, bounds: Bounds, *, backward: bool, exact: bool = True
) -> RangeQuery:
    """Return a range of an index. Raises ValueError when there is no such index."""
    if index not in _INDEXES:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(_INDEXES)}.")
    return RangeQuery(index, partition, bounds, key_condition(bounds), backward, exact)
