"""How values are read from objects: from their own, and from those that roles lead to."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import BOOLEAN, FILE, INT, REAL, ValueKind
from stratabase.model.expressions.meaning import Run
from stratabase.model.expressions.paths import Path
from stratabase.model.member_names import NAMING, member_name
from stratabase.model.types import STORAGES

_Of = Callable[[Any], Any]
"""From what is stored to a value. What another type has left there counts as null, as in filters."""
_OfState = Callable[[Mapping[str, Any]], Any]
"""From an object's state to the value of an attribute."""


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
    of_state = _of_member(name) if name in NAMING else _of_attribute(name, _READERS.get(kind, _text))
    return _own(of_state) if not roles else _reached(tuple(roles), of_state)


def _of_attribute(name: str, read: _Of) -> _OfState:
    return lambda state: read(state.get(name))


def _of_member(name: str) -> _OfState:
    return lambda state: member_name(state, name)


def _own(of_state: _OfState) -> Run:
    return lambda environment: of_state(environment.values)


def _reached(roles: Path, of_state: _OfState) -> Run:
    def value(environment: Environment) -> Any:
        reached = environment.reached.get(roles)
        return None if reached is None else of_state(reached)

    return value


def role_reader(path: Path) -> Run:
    """Return what finds the object to which a path leads."""
    return lambda environment: environment.reached.get(path)
