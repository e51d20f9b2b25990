"""The table of the families of inputs: which fields each has for ids, attributes, and roles."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.write.commands import RoleCommand
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Action, Class, Role

if TYPE_CHECKING:
    from stratabase.core.schema.inputs.command_reader import CommandReader

from collections.abc import Mapping

from stratabase.core.schema.inputs import role_commands

ReadRole = Callable[["CommandReader", Class, Any, Path], RoleCommand | None]
"""Reads the value of a role's field to a command, with its path. None if nothing changes."""


class IdField(Enum):
    """Whether an input has the `_id` of the object."""

    NONE = "none"
    OPTIONAL = "ID"
    REQUIRED = "ID!"


@dataclass(frozen=True, slots=True)
class RoleInput:
    """The field for a role: its value is an input of a family, or ids if `family` is None."""

    family: GeneratedType | None
    read: ReadRole
    is_list: bool = False
    enforces_required: bool = False
    """The field is required if the role is required."""
    description: str = ""
    """A description for clients, besides that of the role in the model."""


@dataclass(frozen=True, slots=True)
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


_ID = RoleInput(None, role_commands.read_id)
_IDS = RoleInput(None, role_commands.read_ids, is_list=True)
_REQUIRED_ID = RoleInput(None, role_commands.read_id, enforces_required=True)
_REQUIRED_IDS = RoleInput(None, role_commands.read_ids, is_list=True, enforces_required=True)
_REF = RoleInput(GeneratedType.ROLE_REF, role_commands.read_role_ref)
_REFS = RoleInput(GeneratedType.ROLE_REFS, role_commands.read_role_refs)
_DRAFT_REFS = RoleInput(GeneratedType.DRAFT_ROLE_REFS, role_commands.read_role_refs)
_SAVED_PART_DESCRIPTION = "With `_id`, update the part. Without `_id`, create it if there is none yet."
_NEW_PARTS = role_commands.NewParts(GeneratedType.CREATE)
_NEW_DRAFT_PARTS = role_commands.NewParts(GeneratedType.DRAFT_CREATE)
_CHANGED_PARTS = role_commands.ChangedParts(GeneratedType.CREATE, GeneratedType.UPDATE)
_CHANGED_DRAFT_PARTS = role_commands.ChangedParts(GeneratedType.DRAFT_CREATE, GeneratedType.DRAFT_UPDATE)

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
        part=RoleInput(
            GeneratedType.DRAFT, role_commands.read_saved_part, description=_SAVED_PART_DESCRIPTION
        ),
        parts=RoleInput(GeneratedType.DRAFT_ROLE_OBJECTS, role_commands.read_saved_parts),
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
