"""The entries of the registry: indexes, uniqueness constraints and roles, with their build states.

To add a kind of entry, write a subclass of RegistryEntry, a field of Registry for it, and a backfill in
evolution/backfill/reindex.py.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any, ClassVar, Self

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Index, Unique
from stratabase.core.model.stored_names import ClassNames
from stratabase.core.store.layout import access_path
from stratabase.core.store.layout.access_path import Column
from stratabase.core.store.layout.associations import StoredRole
from stratabase.values.frozen import frozen

DELETED_OBJECTS = "deleted objects"
INDEX = "index"
UNIQUE = "unique"
ROLE_ENTRY = "role"
REQUIRED_ROLE = "required role"
"""The prefix of the labels of required roles."""

_DIRECTIVES = {Index: INDEX, Unique: UNIQUE}


class BuildState(Enum):
    """The build state of an entry. Every write maintains the entry, whatever its state."""

    BUILDING = "BUILDING"
    """Objects that were written before the entry was created may lack it."""
    ENFORCED = "ENFORCED"
    """A uniqueness constraint that holds for new values, although some objects have duplicates."""
    READY = "READY"
    """All objects have it."""
    RETIRED = "RETIRED"
    """The model no longer has the index, or another slot has replaced it. A later reindex frees its slot."""
    CLEARING = "CLEARING"
    """Another slot has replaced the index. No process reads or maintains it, and a reindex empties it."""


class MoveStage(Enum):
    """How far a build has come that moves associations to where an entry of a role keeps them."""

    WAITING = "WAITING"
    """No build has begun. All associations are elsewhere."""
    CLEARING = "CLEARING"
    """A build removes links that an earlier model left there. All associations are elsewhere."""
    BEGUN = "BEGUN"
    """A build moves associations there, or has moved them, or they were always there."""


@frozen
class RegistryEntry:
    """Something that a model requires to be built for all objects of a class."""

    directive: ClassVar[str]
    """The directive of the model that requires it."""

    columns: tuple[Column, ...]
    number: int
    """A number that is never reused, so that items of an earlier entry are not mistaken for this one's."""
    state: BuildState
    since: int
    """The instant at which it entered its state, in milliseconds since 1970."""
    has_unread: bool = field(default=False, kw_only=True)
    """Whether objects may have texts that an enum column does not read, so that it cannot get more values."""

    def with_state(self, state: BuildState, now: int) -> Self:
        """Return the entry in a state. If it already is in this state, `since` does not change."""
        return self if self.state is state else replace(self, state=state, since=now)


@frozen
class IndexSlot(RegistryEntry):
    """An index of a class, in one of the generic indexes of the engine.

    While the number of shards changes, two slots have the same columns.
    """

    directive: ClassVar[str] = INDEX

    index_name: str
    shards: int = field(default=1, kw_only=True)
    """The number of partitions over which the objects are spread."""

    @property
    def is_listing(self) -> bool:
        """Whether it is a listing of the class, which has no columns."""
        return not self.columns


@frozen
class UniqueEntry(RegistryEntry):
    """A uniqueness constraint. Its columns are sorted by name, as in the keys of its guards."""

    directive: ClassVar[str] = UNIQUE

    violated: bool = False
    """Whether a process without this constraint has written a duplicate since the last build began."""


@frozen
class RoleEntry(RegistryEntry):
    """A role, and how it is stored: as a key, links, guards or parts, and with which counts. No columns.

    A role may have several entries, if models of different processes store it differently, or if it was
    stored differently before. So the entries also remember how roles were stored.
    """

    directive: ClassVar[str] = ROLE_ENTRY

    stored: StoredRole
    violated: bool = False
    """Whether a process that does not keep these items has changed the role since the last build began."""
    past_from: Instant | None = 0
    """The instant from which all former links are kept. None: from the end of the next build."""
    moved_at: Instant | None = 0
    """When the associations were moved to where they are; 0: never. None: the next build moves them."""
    stage: MoveStage = MoveStage.BEGUN

    def label(self, names: ClassNames | None = None) -> str:
        """Return the name of the entry in messages. `names`: the names to show instead of stored ones."""
        kind = REQUIRED_ROLE if self.stored.is_required else ROLE_ENTRY
        role = self.stored.role.role_name
        return f"{kind} {role if names is None else names.from_stored.get(role, role)}"

    @property
    def is_whole(self) -> bool:
        """Whether every association of the role has the items of the entry."""
        return self.state is BuildState.READY and not self.violated


@frozen
class DeletedEntry(RegistryEntry):
    """The listing of the deleted objects of a versioned class. No columns."""

    directive: ClassVar[str] = DELETED_OBJECTS

    shards: int = 1
    """The number of partitions over which the deleted objects are spread."""


def directive_label(directive: Index | Unique | RoleName, names: ClassNames | None = None) -> str:
    """Return the label of a directive for messages: `@unique(last_name, first_name)`.

    `names`: the names of the class to show instead of the stored names in the directive.
    """
    if isinstance(directive, RoleName):
        return f"role {directive}"
    shown = (
        directive.attributes if names is None else [names.from_stored[name] for name in directive.attributes]
    )
    return f"@{_DIRECTIVES[type(directive)]}({', '.join(shown)})"


_FLAGGED: Mapping[BuildState, tuple[BuildState, str]] = {
    BuildState.ENFORCED: (BuildState.BUILDING, "enforced"),
    BuildState.CLEARING: (BuildState.RETIRED, "clearing"),
}
"""The states that are stored as another state with a flag."""

_SHARDED_INDEX = "shardedIndex"
"""The field with the generic index of a listing, or of an index with shards."""


def serialize_entry(entry: RegistryEntry) -> dict[str, Any]:
    """Return an entry as JSON content of the registry item.

    Earlier versions of the service do not know ENFORCED and CLEARING. So these are stored as other states,
    each with a flag.
    """
    stored_state, flag = _FLAGGED.get(entry.state, (entry.state, None))
    return {
        **(_serialize_columns(entry) if entry.columns else {}),
        "number": entry.number,
        "state": stored_state.value,
        "since": entry.since,
        **({} if flag is None else {flag: True}),
        **(_serialize_slot(entry) if isinstance(entry, IndexSlot) else {}),
        **({"shards": entry.shards} if isinstance(entry, DeletedEntry) else {}),
        **({"violated": True} if isinstance(entry, UniqueEntry | RoleEntry) and entry.violated else {}),
        **(_serialize_role(entry) if isinstance(entry, RoleEntry) else {}),
    }


def _serialize_slot(slot: IndexSlot) -> dict[str, Any]:
    """Return the generic index of a slot, and its number of shards.

    Versions of the service that do not know shards require the field "index". So they fail on a registry with
    a changed listing or with shards. Otherwise they would write objects where no page finds them.
    """
    if slot.shards > 1:
        return {_SHARDED_INDEX: slot.index_name, "shards": slot.shards}
    return {_SHARDED_INDEX if slot.is_listing else "index": slot.index_name}


def _serialize_columns(entry: RegistryEntry) -> dict[str, Any]:
    return {
        "columns": access_path.serialize_columns(entry.columns),
        "readings": access_path.serialize_readings(entry.columns),
        **({"unread": True} if entry.has_unread else {}),
    }


def _serialize_role(entry: RoleEntry) -> dict[str, Any]:
    role, other, key, opposite, kept = entry.stored
    named = None if key is None else [*key]
    past = {} if entry.past_from == 0 else {"past": entry.past_from}
    moved = {} if entry.moved_at == 0 else {"moved": entry.moved_at}
    stage = {} if entry.stage is MoveStage.BEGUN else {"stage": entry.stage.value}
    return {
        "role": [*role],
        "other": other,
        "key": named,
        "opposite": opposite,
        "kept": kept,
        **past,
        **moved,
        **stage,
    }


def parse_role(content: dict[str, Any]) -> RoleEntry:
    """Parse the entry of a role."""
    key = None if content["key"] is None else RoleName(*content["key"])
    stored = StoredRole(
        RoleName(*content["role"]), content["other"], key, content["opposite"], content["kept"]
    )
    violated, past_from = content.get("violated", False), content.get("past", 0)
    moved_at, stage = content.get("moved", 0), MoveStage(content.get("stage", MoveStage.BEGUN))
    return RoleEntry(*_common_fields(content), stored, violated, past_from, moved_at, stage)


def parse_slot(content: dict[str, Any]) -> IndexSlot:
    """Parse the entry of an index."""
    return IndexSlot(
        *_common_fields(content),
        content[_SHARDED_INDEX] if _SHARDED_INDEX in content else content["index"],
        has_unread=_has_unread(content),
        shards=content.get("shards", 1),
    )


def parse_unique(content: dict[str, Any]) -> UniqueEntry:
    """Parse the entry of a uniqueness constraint."""
    return UniqueEntry(
        *_common_fields(content), content.get("violated", False), has_unread=_has_unread(content)
    )


def parse_deleted(content: dict[str, Any]) -> DeletedEntry:
    """Parse the entry of the deleted objects of a class."""
    return DeletedEntry(*_common_fields(content), content["shards"])


def _common_fields(content: dict[str, Any]) -> tuple[tuple[Column, ...], int, BuildState, int]:
    flagged = (state for state, (_, flag) in _FLAGGED.items() if content.get(flag))
    state = next(flagged, BuildState(content["state"]))
    columns = access_path.parse_columns(content.get("columns", []), content.get("readings"))
    return columns, content["number"], state, content["since"]


def _has_unread(content: dict[str, Any]) -> bool:
    unread: bool = content.get("unread", False)
    return unread
