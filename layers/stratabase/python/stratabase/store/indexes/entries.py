"""What a new model needs built from the data that is there: indexes, uniqueness, and required roles.

To add a kind: a child of Built, its part of the Registry, and a builder in store/reindex.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Self

from stratabase.domain.objects.entity import RoleName
from stratabase.model.model import Index, Unique
from stratabase.store.layout import access_path
from stratabase.store.layout.access_path import Column
from stratabase.store.layout.associations import Requirement

INDEX = "index"
UNIQUE = "unique"
REQUIRED = "required"
REQUIRED_ROLE = "required role"
"""What the names that people know required roles by begin with."""

_DIRECTIVES = {Index: INDEX, Unique: UNIQUE}


class BuildState(Enum):
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
class RegistryEntry:
    """What the registry knows of one of them."""

    directive: ClassVar[str]
    """What asks for it in a model."""

    columns: tuple[Column, ...]
    number: int
    """Never given twice, so that what is left of an earlier one is not taken for this one."""
    state: BuildState
    since: int
    """When it got its state, in milliseconds."""

    def with_state(self, state: BuildState, now: int) -> Self:
        """Return it in a state, since now unless it is in that state already."""
        return self if self.state is state else replace(self, state=state, since=now)


@dataclass(frozen=True, slots=True)
class IndexSlot(RegistryEntry):
    """An index that a class has a slot for."""

    directive: ClassVar[str] = INDEX

    index_name: str


@dataclass(frozen=True, slots=True)
class UniqueEntry(RegistryEntry):
    """A uniqueness constraint; its columns are in the order of their names, as in the keys of its guards."""

    directive: ClassVar[str] = UNIQUE

    violated: bool = False
    """Since the last build began, a process whose model does not name it has written a duplicate."""


@dataclass(frozen=True, slots=True)
class RequiredRoleEntry(RegistryEntry):
    """A required role of which the holders are linked and counted. It has no columns."""

    directive: ClassVar[str] = REQUIRED

    requirement: Requirement
    violated: bool = False
    """Since the last build began, a process whose model does not keep it so has changed it."""

    @property
    def label(self) -> str:
        """How a person knows it."""
        return f"{REQUIRED_ROLE} {self.requirement.role.role_name}"


def directive_label(asked: Index | Unique | RoleName) -> str:
    """Return how a person knows what a model asks for: `@unique(last_name, first_name)`."""
    if isinstance(asked, RoleName):
        return f"one-to-one role {asked}"
    return f"@{_DIRECTIVES[type(asked)]}({', '.join(asked.attributes)})"


def serialize_entry(built: RegistryEntry) -> dict[str, Any]:
    """Return how the registry writes it.

    Earlier versions of the service do not know ENFORCED. To them it is BUILDING.
    """
    enforced = built.state is BuildState.ENFORCED
    return {
        **({"columns": access_path.serialize_columns(built.columns)} if built.columns else {}),
        "number": built.number,
        "state": (BuildState.BUILDING if enforced else built.state).value,
        "since": built.since,
        **({"enforced": True} if enforced else {}),
        **({"index": built.index_name} if isinstance(built, IndexSlot) else {}),
        **(
            {"violated": True}
            if isinstance(built, UniqueEntry | RequiredRoleEntry) and built.violated
            else {}
        ),
        **(_spelled_requirement(built.requirement) if isinstance(built, RequiredRoleEntry) else {}),
    }


def _spelled_requirement(requirement: Requirement) -> dict[str, Any]:
    role, other, key, opposite, kept = requirement
    named = None if key is None else [*key]
    return {"role": [*role], "other": other, "key": named, "opposite": opposite, "kept": kept}


def parse_required_role(kept: dict[str, Any]) -> RequiredRoleEntry:
    """Return a required role that the registry wrote."""
    key = None if kept["key"] is None else RoleName(*kept["key"])
    requirement = Requirement(RoleName(*kept["role"]), kept["other"], key, kept["opposite"], kept["kept"])
    return RequiredRoleEntry(*_read(kept), requirement, kept.get("violated", False))


def parse_slot(kept: dict[str, Any]) -> IndexSlot:
    """Return a slot that the registry wrote."""
    return IndexSlot(*_read(kept), kept["index"])


def parse_unique(kept: dict[str, Any]) -> UniqueEntry:
    """Return a uniqueness constraint that the registry wrote."""
    return UniqueEntry(*_read(kept), kept.get("violated", False))


def _read(kept: dict[str, Any]) -> tuple[tuple[Column, ...], int, BuildState, int]:
    state = BuildState.ENFORCED if kept.get("enforced") else BuildState(kept["state"])
    return access_path.parse_columns(kept.get("columns", [])), kept["number"], state, kept["since"]
