"""Items by their keys, many with one statement."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache

from stratabase.store.engine import Item, Key
from stratabase.store.sqlite.table import COLUMNS, item_of

MOST_KEYS = 256
"""What one statement looks up."""

_ONE = f"SELECT {', '.join(COLUMNS)} FROM items WHERE partition = ? AND sort = ?"  # noqa: S608 - own names


def look_up(connection: sqlite3.Connection, keys: Sequence[Key]) -> list[Item | None]:
    """Return the items in the order of `keys`, None where there is none, all as of one moment."""
    if len(keys) == 1:
        row = connection.execute(_ONE, keys[0]).fetchall()
        return [item_of(row[0]) if row else None]
    found = found_under(connection, list(dict.fromkeys(keys)))
    return [found.get(key) for key in keys]


def found_under(connection: sqlite3.Connection, keys: Sequence[Key]) -> Mapping[Key, Item]:
    """Return what lies under different keys, all as of one moment."""
    if len(keys) <= MOST_KEYS:
        return _found(connection, keys)
    connection.execute("BEGIN")
    with connection:
        parts = [_found(connection, keys[at : at + MOST_KEYS]) for at in range(0, len(keys), MOST_KEYS)]
    return {key: item for part in parts for key, item in part.items()}


def _found(connection: sqlite3.Connection, keys: Sequence[Key]) -> dict[Key, Item]:
    if not keys:
        return {}
    # Statements come in a few sizes, so that they stay prepared; the key that fills up is under nothing.
    size = 1 << (len(keys) - 1).bit_length()
    asked = [text for key in keys for text in key] + [None, None] * (size - len(keys))
    items = map(item_of, connection.execute(_many(size), asked).fetchall())
    return {item.key: item for item in items}


@cache
def _many(size: int) -> str:
    # CROSS JOIN, because SQLite may not turn it round: it must look up each key, not scan the table for them.
    wanted = ", ".join(["(?, ?)"] * size)
    return (
        f"SELECT {', '.join(COLUMNS)} FROM (VALUES {wanted}) AS wanted "  # noqa: S608 - own names
        "CROSS JOIN items ON partition = wanted.column1 AND sort = wanted.column2"
    )
