"""A client of DynamoDB that answers reads from a copy of a store, in memory.

Emulators sort all items of a partition for each query, which takes seconds among 100,000. This client finds
the items of a query by binary search. It returns at most a megabyte of them, as DynamoDB does.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.core.store.engine.capacity import PROJECTED_ATTRIBUTES, range_bytes
from stratabase.core.store.engine.port import ITEMS, Item, Key
from stratabase_aws.dynamodb.records import Record, record_of
from stratabase_aws.dynamodb.table import PARTITION, PLACE_ATTRIBUTES, SORT

MAX_BYTES = 1024 * 1024
"""The maximum size of the items that a query reads."""

_CONDITION = re.compile(
    r"#\d+ = (?P<partition>:\d+)( AND #\d+ (BETWEEN (?P<low>:\d+) AND (?P<high>:\d+)"
    r"|>= (?P<from>:\d+)|<= (?P<to>:\d+)|< (?P<below>:\d+)))?"
)
"""The key conditions that range queries have."""
_LAST = "\U0010ffff"

_Position = tuple[str, Key]
"""The sort key of an entry, and the key of its item, which orders entries with the same sort key."""


class _Entry(NamedTuple):
    """An item in an index: its position, its record there, and its size in bytes."""

    position: _Position
    record: Record
    size: int


class StoredTable:
    """The client of a table with some items."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._records: dict[Key, Record] = {}
        self._partitions: dict[tuple[str, str], list[_Entry]] = defaultdict(list)
        for item in items:
            record = self._records[item.key] = record_of(item)
            key, size = item.key, range_bytes(ITEMS, [item])
            self._partitions[ITEMS, key.partition].append(_Entry((key.sort, key), record, size))
            for index, place in item.places.items():
                names = (PARTITION, SORT, *PLACE_ATTRIBUTES[index], *PROJECTED_ATTRIBUTES)
                projected = {name: record[name] for name in names if name in record}
                entry = _Entry((place.sort, key), projected, range_bytes(index, [item]))
                self._partitions[index, place.partition].append(entry)
        for entries in self._partitions.values():
            entries.sort(key=lambda entry: entry.position)

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response to a read."""
        return {"GetItem": self._get, "BatchGetItem": self._get_several, "Query": self._query}[operation](
            parameters
        )

    def close(self) -> None:
        """Do nothing. There are no connections."""

    def _get(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        record = self._records.get(_key(parameters["Key"]))
        return {"Item": record} if record else {}

    def _get_several(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        ((table, request),) = parameters["RequestItems"].items()
        found = map(self._records.get, map(_key, request["Keys"]))
        return {"Responses": {table: [record for record in found if record]}}

    def _query(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        index = parameters.get("IndexName", ITEMS)
        condition = _CONDITION.fullmatch(parameters["KeyConditionExpression"])
        assert condition is not None, parameters["KeyConditionExpression"]
        values = {
            name: parameters["ExpressionAttributeValues"][placeholder]["S"]
            for name, placeholder in condition.groupdict().items()
            if placeholder
        }
        entries = _within(self._partitions[index, values["partition"]], values)
        forward = parameters["ScanIndexForward"]
        start = parameters.get("ExclusiveStartKey")
        if start is not None:
            sort = start[SORT if index == ITEMS else PLACE_ATTRIBUTES[index][1]]["S"]
            entries = _beyond(entries, (sort, _key(start)), forward=forward)
        return _page(entries if forward else entries[::-1], parameters, index)


def _key(record: Record) -> Key:
    return Key(record[PARTITION]["S"], record[SORT]["S"])


def _sort_key(entry: _Entry) -> str:
    return entry.position[0]


def _within(entries: Sequence[_Entry], values: Mapping[str, str]) -> Sequence[_Entry]:
    """Return the entries whose sort keys meet a condition. `values`: its ends, by name."""
    first = bisect_left(entries, values.get("low", values.get("from", "")), key=_sort_key)
    if "below" in values:
        return entries[first : bisect_left(entries, values["below"], key=_sort_key)]
    return entries[first : bisect_right(entries, values.get("high", values.get("to", _LAST)), key=_sort_key)]


def _beyond(entries: Sequence[_Entry], position: _Position, *, forward: bool) -> Sequence[_Entry]:
    """Return the entries after a position, or those before it."""
    if forward:
        return entries[bisect_right(entries, position, key=lambda entry: entry.position) :]
    return entries[: bisect_left(entries, position, key=lambda entry: entry.position)]


def _page(entries: Sequence[_Entry], parameters: Mapping[str, Any], index: str) -> Mapping[str, Any]:
    """Return the response with the first entries."""
    end = size = 0
    limit = min(parameters.get("Limit", len(entries)), len(entries))
    while end < limit and size < MAX_BYTES:
        size += entries[end].size
        end += 1
    response: dict[str, Any] = {"Count": end}
    if parameters.get("Select") != "COUNT":
        response["Items"] = [entry.record for entry in entries[:end]]
    if end < len(entries):
        response["LastEvaluatedKey"] = entries[end - 1].record
    if "ReturnConsumedCapacity" in parameters:
        units = -(-size // 4096) / (1 if index == ITEMS else 2)
        response["ConsumedCapacity"] = {"CapacityUnits": units}
    return response
