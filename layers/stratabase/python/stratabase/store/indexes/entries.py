"""The entries of the registry: what a model needs built from the data that is there.

To add a kind: a child of RegistryEntry, its part of the Registry, and a backfill in
store/backfill/reindex.py.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Self

from stratabase.domain.objects.entity import RoleName
from stratabase.model.model import Index, Unique
from stratabase.store.layout import access_path
from stratabase.store.layout.access_path import Column
from stratabase.store.layout.associations import RequiredRoleStorage

INDEX = "index"
UNIQUE = "unique"
REQUIRED = "required"
REQUIRED_ROLE = "required role"
"""What the names that people know required roles by begin with."""

_DIRECTIVES = {Index: INDEX, Unique: UNIQUE}


class BuildState(Enum):
    """How far an entry is built. Objects are written with it, whatever the state."""

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
    """What the registry knows of something that a model needs built."""

    directive: ClassVar[str]
    """The directive that asks for it in a model."""

    columns: tuple[Column, ...]
    number: int
    """Never given twice, so that what is left of an earlier entry is not taken for this one's."""
    state: BuildState
    since: int
    """When it got its state, in milliseconds since 1970."""

    def with_state(self, state: BuildState, now: int) -> Self:
        """Return the entry in a state, since now unless it is in that state already."""
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

    requirement: RequiredRoleStorage
    violated: bool = False
    """Since the last build began, a process whose model does not keep it so has changed it."""

    @property
    def label(self) -> str:
        """How a person knows it."""
        return f"{REQUIRED_ROLE} {self.requirement.role.role_name}"


def directive_label(asked: Index | Unique | RoleName) -> str:
    """Return what a model asks for as a person knows it: `@unique(last_name, first_name)`."""
    if isinstance(asked, RoleName):
        return f"one-to-one role {asked}"
    return f"@{_DIRECTIVES[type(asked)]}({', '.join(asked.attributes)})"


def serialize_entry(built: RegistryEntry) -> dict[str, Any]:
    """Return an entry as the registry writes it.

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
        **(_serialize_requirement(built.requirement) if isinstance(built, RequiredRoleEntry) else {}),
    }


def _serialize_requirement(requirement: RequiredRoleStorage) -> dict[str, Any]:
    role, other, key, opposite, kept = requirement
    named = None if key is None else [*key]
    return {"role": [*role], "other": other, "key": named, "opposite": opposite, "kept": kept}


def parse_required_role(content: dict[str, Any]) -> RequiredRoleEntry:
    """Return a required role that the registry wrote."""
    key = None if content["key"] is None else RoleName(*content["key"])
    requirement = RequiredRoleStorage(
        RoleName(*content["role"]), content["other"], key, content["opposite"], content["kept"]
    )
    return RequiredRoleEntry(*_common_fields(content), requirement, content.get("violated", False))


def parse_slot(content: dict[str, Any]) -> IndexSlot:
    """Return a slot that the registry wrote."""
    return IndexSlot(*_common_fields(content), content["index"])


def parse_unique(content: dict[str, Any]) -> UniqueEntry:
    """Return a uniqueness constraint that the registry wrote."""
    return UniqueEntry(*_common_fields(content), content.get("violated", False))


def _common_fields(content: dict[str, Any]) -> tuple[tuple[Column, ...], int, BuildState, int]:
    state = BuildState.ENFORCED if content.get("enforced") else BuildState(content["state"])
    return access_path.parse_columns(content.get("columns", [])), content["number"], state, content["since"]
