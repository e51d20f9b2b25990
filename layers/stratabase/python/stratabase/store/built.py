"""What a new model needs built from the data that is there: index slots and uniqueness constraints.

To add a kind: a child of Built, its part of the Registry, and a builder in store/reindex.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Self

from stratabase.model.class_ import Index, Unique
from stratabase.store import access_path
from stratabase.store.access_path import Column

INDEX = "index"
UNIQUE = "unique"
_DIRECTIVES = {Index: INDEX, Unique: UNIQUE}


class State(Enum):
    """How far it is; objects are written with it, whatever the state."""

    BUILDING = "BUILDING"
    """Objects that were written before may lack it yet."""
    ENFORCED = "ENFORCED"
    """A uniqueness constraint that holds for what is written, but some older objects have the same values."""
    READY = "READY"
    """No object lacks it."""
    RETIRED = "RETIRED"
    """The model does not name its index any more: soon the slot is free for another."""


@dataclass(frozen=True, slots=True)
class Built:
    """What the registry knows of one of them."""

    directive: ClassVar[str]
    """What asks for it in a model."""

    columns: tuple[Column, ...]
    number: int
    """Never given twice, so that what is left of an earlier one is not taken for this one."""
    state: State
    since: int
    """When it got its state, in milliseconds."""

    def turned(self, state: State, now: int) -> Self:
        """Return it in a state, since now unless it is in that state already."""
        return self if self.state is state else replace(self, state=state, since=now)


@dataclass(frozen=True, slots=True)
class Slot(Built):
    """An index that a class has a slot for."""

    directive: ClassVar[str] = INDEX

    index_name: str


@dataclass(frozen=True, slots=True)
class Uniqueness(Built):
    """A uniqueness constraint; its columns are in the order of their names, as in the keys of its guards."""

    directive: ClassVar[str] = UNIQUE

    violated: bool = False
    """Since the last build began, a process whose model does not name it has written a duplicate."""


def shown(asked: Index | Unique) -> str:
    """Return how a person knows what a model asks for: `@unique(last_name, first_name)`."""
    return f"@{_DIRECTIVES[type(asked)]}({', '.join(asked.attributes)})"


def spelled(built: Built) -> dict[str, Any]:
    """Return how the registry writes it.

    Earlier versions of the service do not know ENFORCED. To them it is BUILDING.
    """
    enforced = built.state is State.ENFORCED
    return {
        "columns": access_path.spelled(built.columns),
        "number": built.number,
        "state": (State.BUILDING if enforced else built.state).value,
        "since": built.since,
        **({"enforced": True} if enforced else {}),
        **({"index": built.index_name} if isinstance(built, Slot) else {}),
        **({"violated": True} if isinstance(built, Uniqueness) and built.violated else {}),
    }


def slot_of(kept: dict[str, Any]) -> Slot:
    """Return a slot that the registry wrote."""
    return Slot(*_read(kept), kept["index"])


def uniqueness_of(kept: dict[str, Any]) -> Uniqueness:
    """Return a uniqueness constraint that the registry wrote."""
    return Uniqueness(*_read(kept), kept.get("violated", False))


def _read(kept: dict[str, Any]) -> tuple[tuple[Column, ...], int, State, int]:
    state = State.ENFORCED if kept.get("enforced") else State(kept["state"])
    return access_path.read(kept["columns"]), kept["number"], state, kept["since"]
