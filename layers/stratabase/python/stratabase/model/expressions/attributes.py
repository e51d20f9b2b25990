"""How values are read from objects: from their own, and from those that roles lead to."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import BOOLEAN, FILE, INT, REAL, ValueKind
from stratabase.model.expressions.meaning import Run
from stratabase.model.expressions.paths import Path
from stratabase.model.types import STORAGES

_Of = Callable[[Any], Any]
"""From what is stored to a value. What another type has left there counts as null, as in filters."""


def _whole(stored: Any) -> int | None:
    return stored if type(stored) is int else None


def _boolean(stored: Any) -> bool | None:
    return stored if type(stored) is bool else None


def _text(stored: Any) -> str | None:
    return stored if type(stored) is str else None


def _mapping(stored: Any) -> Mapping[str, Any] | None:
    return stored if isinstance(stored, Mapping) else None


_is_decimal = STORAGES["decimal"].fits


def _decimal(stored: Any) -> Decimal | None:
    return Decimal(stored) if stored is not None and _is_decimal(stored) else None


_READERS: Mapping[ValueKind, _Of] = {INT: _whole, BOOLEAN: _boolean, REAL: _decimal, FILE: _mapping}
"""All other kinds are stored as text."""


def reader(path: Path, kind: ValueKind) -> Run:
    """Return what reads an attribute."""
    *roles, name = path
    read = _READERS.get(kind, _text)
    return _own(name, read) if not roles else _reached(tuple(roles), name, read)


def _own(name: str, read: _Of) -> Run:
    return lambda environment: read(environment.values.get(name))


def _reached(roles: Path, name: str, read: _Of) -> Run:
    def value(environment: Environment) -> Any:
        reached = environment.reached.get(roles)
        return None if reached is None else read(reached.get(name))

    return value


def role_reader(path: Path) -> Run:
    """Return what finds the object to which a path leads."""
    return lambda environment: environment.reached.get(path)
