"""What a patch changes, as an expression that DynamoDB carries out."""

from collections.abc import Iterable

from stratabase.store.dynamodb.expression import Placeholders
from stratabase.store.dynamodb.record import Typed, placed, typed
from stratabase.store.dynamodb.table import BLANK, STATE, stored_name
from stratabase.store.engine import Patch


def update_text(patch: Patch, placeholders: Placeholders) -> str:
    """Return the expression; an empty text for a patch that can only leave an item as it is."""
    places = placed(patch.places)
    added = {stored_name(name): typed(number) for name, number in patch.add.items()}
    removed = [
        *map(stored_name, sorted(patch.remove)),
        *(name for name, text in places.items() if text is None),
    ]
    changed = _changed(patch, places)
    if not changed and not added and patch.expect.exists is not True:
        changed = {BLANK: typed(None)}  # since removing alone makes no item
    clauses = {
        "SET": [
            f"{placeholders.name(name)} = {placeholders.value(value)}" for name, value in changed.items()
        ],
        "ADD": [f"{placeholders.name(name)} {placeholders.value(value)}" for name, value in added.items()],
        "REMOVE": [placeholders.name(name) for name in removed],
    }
    return " ".join(_clause(keyword, parts) for keyword, parts in clauses.items() if parts)


def _changed(patch: Patch, places: dict[str, str | None]) -> dict[str, Typed]:
    own = {**places} if patch.state is None else {STATE: patch.state, **places}
    return {stored_name(name): typed(value) for name, value in patch.set.items()} | {
        name: typed(text) for name, text in own.items() if text is not None
    }


def _clause(keyword: str, parts: Iterable[str]) -> str:
    return f"{keyword} {', '.join(parts)}"
