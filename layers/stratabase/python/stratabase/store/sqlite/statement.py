"""What an action that may go ahead writes: one statement each."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from stratabase.store.engine import Action, Delete, Item, Patch, Put
from stratabase.store.sqlite.patch import patched
from stratabase.store.sqlite.table import COLUMNS, PLACE_COLUMNS, attributes_text, row_of

Statement = tuple[str, Sequence[str | None]]
"""SQL and its parameters."""

_PUT = (
    f"INSERT INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608 - own names
    "ON CONFLICT (partition, sort) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS[2:])
)
_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"


def statements(actions: Sequence[Action], found: Mapping[Any, Item]) -> list[Statement]:
    """Return what the actions write, given the items that were found; a check writes nothing."""
    return [
        _WRITTEN[type(action)](action, found.get(action.key))
        for action in actions
        if type(action) in _WRITTEN
    ]


def _put(put: Put, _: Item | None) -> Statement:
    return _PUT, row_of(put.item)


def _patch(patch: Patch, found: Item | None) -> Statement:
    after = patched(patch, found)
    if found is None:
        return _PUT, row_of(after)
    state = () if patch.state is None else (patch.state,)
    names = tuple(sorted(patch.places))
    places = [text for name in names for text in after.places.get(name, (None, None))]
    return _update(bool(state), names), (attributes_text(after.attributes), *state, *places, *patch.key)


def _delete(delete: Delete, _: Item | None) -> Statement:
    return _DELETE, delete.key


@cache
def _update(state: bool, places: tuple[str, ...]) -> str:  # noqa: FBT001 - part of the key of a cache
    # Only what changes: SQLite rewrites every index of which a column is named, whatever its value.
    changed = [
        "attributes",
        *["state"] * state,
        *(column for name in places for column in PLACE_COLUMNS[name]),
    ]
    assignments = ", ".join(f"{column} = ?" for column in changed)
    return f"UPDATE items SET {assignments} WHERE partition = ? AND sort = ?"  # noqa: S608 - own names


_WRITTEN: Mapping[type[Action], Callable[[Any, Item | None], Statement]] = {
    Put: _put,
    Patch: _patch,
    Delete: _delete,
}
