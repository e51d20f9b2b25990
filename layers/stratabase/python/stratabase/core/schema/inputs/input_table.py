"""The table of the families of inputs: which fields each has for ids, attributes, and roles.

For each form of a role, it names the function that reads the role to a command.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.write.commands import (
    Create,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Action, Class, Role
from stratabase.values.frozen import frozen

if TYPE_CHECKING:
    from stratabase.core.schema.inputs.service_arguments import CommandReader


InputObject = Mapping[str, Any]
_DELETE_ALL = PartsCommand(delete_all=True)


def read_id(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToOneCommand:
    """Read the id of the object that a to-one association is to lead to."""
    return ToOneCommand(value)


def read_id_list(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToManyCommand | None:
    """Read the ids that a new object's to-many association is to lead to."""
    return None if value is None else ToManyCommand(add=_without_nulls(value))


def read_role_ref(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToOneCommand | None:
    """Read the change `{set, remove}` of a to-one association."""
    if value is None:
        return ToOneCommand()
    remove = bool(value.get("remove"))
    return ToOneCommand(value.get("set"), remove) if remove or "set" in value else None


def read_role_refs(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToManyCommand:
    """Read the change `{add, remove, removeAll}` of a to-many association."""
    if value is None:
        return ToManyCommand(remove_all=True)
    return ToManyCommand(
        _without_nulls(value.get("add")), _without_nulls(value.get("remove")), bool(value.get("removeAll"))
    )


class NewParts:
    """Reads the parts of a new object."""

    def __init__(self, family: GeneratedType) -> None:
        self._family = family

    def read_one(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand | None:
        """Read the part of a to-one composition."""
        return None if value is None else PartsCommand([reader.create(self._family, part, value, path)])

    def read_many(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand | None:
        """Read the parts of a to-many composition."""
        creates = [
            reader.create(self._family, part, each, part_path) for each, part_path in _elements(value, path)
        ]
        return PartsCommand(creates) if creates else None


class ChangedParts:
    """Reads the changes to the parts of an existing object."""

    def __init__(self, create: GeneratedType, update: GeneratedType) -> None:
        self._create = create
        self._update = update

    def read_one(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
        """Read the change `{create, update, delete}` to the part of a to-one composition."""
        return (
            _DELETE_ALL
            if value is None
            else PartsCommand(
                self._read_creates(reader, part, _single(value, "create", path)),
                self._read_updates(reader, part, _single(value, "update", path)),
                delete_all=bool(value.get("delete")),
            )
        )

    def read_many(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
        """Read the changes `{create, update, delete, deleteAll}` to the parts of a to-many composition."""
        return (
            _DELETE_ALL
            if value is None
            else PartsCommand(
                self._read_creates(reader, part, _elements(value.get("create"), (*path, "create"))),
                self._read_updates(reader, part, _elements(value.get("update"), (*path, "update"))),
                _without_nulls(value.get("delete")),
                bool(value.get("deleteAll")),
            )
        )

    def _read_creates(
        self, reader: "CommandReader", part: Class, elements: Iterator[tuple[InputObject, Path]]
    ) -> list[Create]:
        return [reader.create(self._create, part, each, path) for each, path in elements]

    def _read_updates(
        self, reader: "CommandReader", part: Class, elements: Iterator[tuple[InputObject, Path]]
    ) -> list[Update]:
        return [reader.update(self._update, part, each, path) for each, path in elements]


def read_saved_part(reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
    """Read the part of a to-one composition in a draft: an update if it has an id, else a create."""
    if value is None:
        return _DELETE_ALL
    command = reader.save(part, value, path)
    return PartsCommand(update=[command]) if isinstance(command, Update) else PartsCommand([command])


def read_saved_parts(reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
    """Read the changes `{save, delete, deleteAll}` to the parts of a to-many composition in a draft."""
    if value is None:
        return _DELETE_ALL
    commands = [
        reader.save(part, each, part_path)
        for each, part_path in _elements(value.get("save"), (*path, "save"))
    ]
    return PartsCommand(
        [command for command in commands if isinstance(command, Create)],
        [command for command in commands if isinstance(command, Update)],
        _without_nulls(value.get("delete")),
        bool(value.get("deleteAll")),
    )


def _without_nulls(values: Sequence[Any] | None) -> list[Any]:
    return [each for each in values or () if each is not None]


def _elements(values: Sequence[Any] | None, path: Path) -> Iterator[tuple[InputObject, Path]]:
    return ((each, (*path, place)) for place, each in enumerate(values or ()) if each is not None)


def _single(input_object: InputObject, name: str, path: Path) -> Iterator[tuple[InputObject, Path]]:
    if input_object.get(name) is not None:
        yield input_object[name], (*path, name)


ReadRole = Callable[["CommandReader", Class, Any, Path], RoleCommand | None]
"""Reads the value of a role's field to a command, with its path. None if nothing changes."""


class IdField(Enum):
    """Whether an input has the `_id` of the object."""

    NONE = "none"
    OPTIONAL = "ID"
    REQUIRED = "ID!"


@frozen
class RoleInput:
    """The field for a role: its value is an input of a family, or ids if `family` is None."""

    family: GeneratedType | None
    read: ReadRole
    is_list: bool = False
    enforces_required: bool = False
    """The field is required if the role is required."""
    description: str = ""
    """A description for clients, besides that of the role in the model."""


@frozen
class InputTypeSpec:
    """The fields of the inputs of a family, and the actions for which clients send them."""

    actions: frozenset[Action]
    id: IdField
    client_id: bool
    enforces_required: bool
    """The fields of required attributes are required."""
    to_one: RoleInput
    """The field for a to-one association."""
    to_many: RoleInput
    """The field for a to-many association."""
    part: RoleInput
    """The field for a to-one composition."""
    parts: RoleInput
    """The field for a to-many composition."""

    def role_input(self, role: Role) -> RoleInput:
        """Return the field for a role."""
        if role.composition:
            return self.parts if role.many else self.part
        return self.to_many if role.many else self.to_one


_ID = RoleInput(None, read_id)
_IDS = RoleInput(None, read_id_list, is_list=True)
_REQUIRED_ID = RoleInput(None, read_id, enforces_required=True)
_REQUIRED_IDS = RoleInput(None, read_id_list, is_list=True, enforces_required=True)
_REF = RoleInput(GeneratedType.ROLE_REF, read_role_ref)
_REFS = RoleInput(GeneratedType.ROLE_REFS, read_role_refs)
_DRAFT_REFS = RoleInput(GeneratedType.DRAFT_ROLE_REFS, read_role_refs)
_SAVED_PART_DESCRIPTION = "With `_id`, update the part. Without `_id`, create it if there is none yet."
_NEW_PARTS = NewParts(GeneratedType.CREATE)
_NEW_DRAFT_PARTS = NewParts(GeneratedType.DRAFT_CREATE)
_CHANGED_PARTS = ChangedParts(GeneratedType.CREATE, GeneratedType.UPDATE)
_CHANGED_DRAFT_PARTS = ChangedParts(GeneratedType.DRAFT_CREATE, GeneratedType.DRAFT_UPDATE)

_UPDATE_ROLES = (
    _REF,
    _REFS,
    RoleInput(GeneratedType.ROLE_OBJECT, _CHANGED_PARTS.read_one),
    RoleInput(GeneratedType.ROLE_OBJECTS, _CHANGED_PARTS.read_many),
)
"""The fields for roles in the order of `InputTypeSpec`: to_one, to_many, part, parts."""

_DRAFT_UPDATE_ROLES = (
    _REF,
    _REFS,
    RoleInput(GeneratedType.DRAFT_UPDATE_ROLE_OBJECT, _CHANGED_DRAFT_PARTS.read_one),
    RoleInput(GeneratedType.DRAFT_UPDATE_ROLE_OBJECTS, _CHANGED_DRAFT_PARTS.read_many),
)

_CREATE, _EDIT = frozenset({Action.CREATE}), frozenset({Action.EDIT})

INPUT_TABLE: Mapping[GeneratedType, InputTypeSpec] = {
    GeneratedType.CREATE: InputTypeSpec(
        _CREATE,
        IdField.NONE,
        client_id=True,
        enforces_required=True,
        to_one=_REQUIRED_ID,
        to_many=_REQUIRED_IDS,
        part=RoleInput(GeneratedType.CREATE, _NEW_PARTS.read_one, enforces_required=True),
        parts=RoleInput(GeneratedType.CREATE, _NEW_PARTS.read_many, is_list=True),
    ),
    GeneratedType.UPDATE: InputTypeSpec(_EDIT, IdField.REQUIRED, False, False, *_UPDATE_ROLES),
    GeneratedType.UPDATE_BULK: InputTypeSpec(_EDIT, IdField.NONE, False, False, *_UPDATE_ROLES),
    GeneratedType.DRAFT: InputTypeSpec(
        _CREATE | _EDIT,
        IdField.OPTIONAL,
        client_id=True,
        enforces_required=False,
        to_one=_ID,
        to_many=_DRAFT_REFS,
        part=RoleInput(GeneratedType.DRAFT, read_saved_part, description=_SAVED_PART_DESCRIPTION),
        parts=RoleInput(GeneratedType.DRAFT_ROLE_OBJECTS, read_saved_parts),
    ),
    GeneratedType.DRAFT_CREATE: InputTypeSpec(
        _CREATE,
        IdField.NONE,
        client_id=True,
        enforces_required=False,
        to_one=_ID,
        to_many=_IDS,
        part=RoleInput(GeneratedType.DRAFT_CREATE, _NEW_DRAFT_PARTS.read_one),
        parts=RoleInput(GeneratedType.DRAFT_CREATE, _NEW_DRAFT_PARTS.read_many, is_list=True),
    ),
    GeneratedType.DRAFT_UPDATE: InputTypeSpec(_EDIT, IdField.REQUIRED, False, False, *_DRAFT_UPDATE_ROLES),
    GeneratedType.DRAFT_UPDATE_BULK: InputTypeSpec(_EDIT, IdField.NONE, False, False, *_DRAFT_UPDATE_ROLES),
}
