"""A range of one partition of an index, read query by query."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stratabase.store.dynamodb.ends import Ends, ends_of
from stratabase.store.dynamodb.expression import Placeholders
from stratabase.store.dynamodb.insistence import Insistent
from stratabase.store.dynamodb.record import items_of, typed
from stratabase.store.dynamodb.table import LONGEST_PARTITION, PARTITION, PLACES, SORT
from stratabase.store.engine import ITEMS, Bounds, Item

_INDEXES = {ITEMS: (PARTITION, SORT), **PLACES}
_FIRST_PAGE = 64
_LARGEST_PAGE = 1024


class Span(NamedTuple):
    """What is to be read, and in which direction."""

    index_name: str
    partition: str
    bounds: Bounds
    ends: Ends
    backward: bool
    exact: bool

    def pages(self, client: Insistent, table: str, limit: int | None) -> Iterator[Sequence[Item]]:
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
        return self.ends.are_turned or not 0 < len(self.partition.encode()) <= LONGEST_PARTITION

    @property
    def _spare(self) -> int:
        """How many to read besides, lest the first one be left out and another query be needed."""
        return 1 if self.backward and self.ends.let_in_high and not self.bounds.high_included else 0

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
        within = f"{placeholders.name(partition)} = {placeholders.value(typed(self.partition))}"
        if self.ends.are_open:
            return within
        return f"{within} AND {placeholders.name(sort)} {self.ends.text(placeholders)}"

    def _within(self, items: list[Item]) -> list[Item]:
        return [item for item in items if self._has(self._sort(item))]

    def _has(self, sort: str) -> bool:
        low, high, low_included, high_included = self.bounds
        above = low is None or sort > low or (low_included and sort == low)
        return above and (high is None or sort < high or (high_included and sort == high))

    def _sort(self, item: Item) -> str:
        return item.key.sort if self.index_name == ITEMS else item.places[self.index_name].sort


def span(index: str, partition: str, bounds: Bounds, *, backward: bool, exact: bool = True) -> Span:
    """Return a range of an index. Raises ValueError when there is no such index."""
    if index not in _INDEXES:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(_INDEXES)}.")
    return Span(index, partition, bounds, ends_of(bounds), backward, exact)
