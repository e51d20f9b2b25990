"""Reads all items of an engine."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.table import COLUMNS, item_of
from tests.aws.dynamodb import table_operations
from tests.contract.engine.dynamodb import TemporaryTable
from tests.contract.engine.reference import ReferenceEngine

Items = Mapping[Key, Item]


def all_items(engine: object) -> Items:
    """Return all items of an engine."""
    return next(look(engine) for kind, look in _LOOKS.items() if isinstance(engine, kind))


def object_items(items: Items) -> Items:
    """Return the items without the registry and the serial counters, which are never deleted."""
    return {
        key: item
        for key, item in items.items()
        if key != keys.REGISTRY and not key.partition.startswith("N#")
    }


def serial_numbers(items: Items) -> Mapping[str, int]:
    """Return the last number of each serial counter."""
    return {
        key.partition: int(str(item.attributes["last"]))
        for key, item in items.items()
        if key.partition.startswith("N#")
    }


def _in_file(engine: SqliteEngine) -> Items:
    statement = f"SELECT {', '.join(COLUMNS)} FROM items"
    items = engine._readers.read(lambda connection: [*map(item_of, connection.execute(statement))])
    return {item.key: item for item in items}


_LOOKS: Mapping[type[Any], Callable[[Any], Items]] = {
    ReferenceEngine: lambda engine: dict(engine._items),
    SqliteEngine: _in_file,
    TemporaryTable: table_operations.table_items,
}
