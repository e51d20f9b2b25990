"""A row of the table of inputs: what is given of an object, and in what."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from stratabase.domain.issues.issue import Path
from stratabase.domain.write.commands import RoleCommand
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class, Role

if TYPE_CHECKING:
    from stratabase.schema.inputs.command_reader import CommandReader

from collections.abc import Mapping

from stratabase.schema.inputs import role_commands

ReadRole = Callable[["CommandReader", Class, Any, Path], RoleCommand | None]
"""From what is given of a role that leads to a class, and its path, to a command; None: nothing is asked."""


class IdField(Enum):
    """Whether an input has the `_id` of the object."""

    NONE = "none"
    OPTIONAL = "ID"
    REQUIRED = "ID!"


@dataclass(frozen=True, slots=True)
class RoleInput:
    """What is given of a role: an input of a family of the class that it leads to, or ids (no family)."""

    family: GeneratedType | None
    read: ReadRole
    listed: bool = False
    demanding: bool = False
    """It must be given where the role is required."""
    about: str = ""
    """What clients should know of it, beside what the model says of the role."""


@dataclass(frozen=True, slots=True)
class InputTypeSpec:
    """What an input of a family has."""

    id: IdField
    client_id: bool
    demanding: bool
    """Required attributes must be given."""
    one: RoleInput
    """An association that leads to one."""
    many: RoleInput
    """An association that leads to many."""
    part: RoleInput
    parts: RoleInput

    def role_input(self, role: Role) -> RoleInput:
        """Return what is given of a role."""
        if role.composition:
            return self.parts if role.many else self.part
        return self.many if role.many else self.one


_ID = RoleInput(None, role_commands.read_id)


_IDS = RoleInput(None, role_commands.read_ids, listed=True)


_DEMANDED_ID = RoleInput(None, role_commands.read_id, demanding=True)


_DEMANDED_IDS = RoleInput(None, role_commands.read_ids, listed=True, demanding=True)


_REF = RoleInput(GeneratedType.ROLE_REF, role_commands.read_role_ref)


_REFS = RoleInput(GeneratedType.ROLE_REFS, role_commands.read_role_refs)


_DRAFT_REFS = RoleInput(GeneratedType.DRAFT_ROLE_REFS, role_commands.read_role_refs)


_ONE_SAVED = "The part with its `_id` to change it; without, to make it, if there is none yet."


_NEW = role_commands.NewParts(GeneratedType.CREATE)


_NEW_DRAFT = role_commands.NewParts(GeneratedType.DRAFT_CREATE)


_CHANGED = role_commands.ChangedParts(GeneratedType.CREATE, GeneratedType.UPDATE)


_CHANGED_DRAFT = role_commands.ChangedParts(GeneratedType.DRAFT_CREATE, GeneratedType.DRAFT_UPDATE)


_UPDATED = (
    _REF,
    _REFS,
    RoleInput(GeneratedType.ROLE_OBJECT, _CHANGED.read_one),
    RoleInput(GeneratedType.ROLE_OBJECTS, _CHANGED.read_many),
)


_UPDATED_DRAFT = (
    _REF,
    _REFS,
    RoleInput(GeneratedType.DRAFT_UPDATE_ROLE_OBJECT, _CHANGED_DRAFT.read_one),
    RoleInput(GeneratedType.DRAFT_UPDATE_ROLE_OBJECTS, _CHANGED_DRAFT.read_many),
)


INPUT_TABLE: Mapping[GeneratedType, InputTypeSpec] = {
    GeneratedType.CREATE: InputTypeSpec(
        IdField.NONE,
        client_id=True,
        demanding=True,
        one=_DEMANDED_ID,
        many=_DEMANDED_IDS,
        part=RoleInput(GeneratedType.CREATE, _NEW.read_one, demanding=True),
        parts=RoleInput(GeneratedType.CREATE, _NEW.read_many, listed=True),
    ),
    GeneratedType.UPDATE: InputTypeSpec(IdField.REQUIRED, False, False, *_UPDATED),
    GeneratedType.UPDATE_BULK: InputTypeSpec(IdField.NONE, False, False, *_UPDATED),
    GeneratedType.DRAFT: InputTypeSpec(
        IdField.OPTIONAL,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_DRAFT_REFS,
        part=RoleInput(GeneratedType.DRAFT, role_commands.read_saved_part, about=_ONE_SAVED),
        parts=RoleInput(GeneratedType.DRAFT_ROLE_OBJECTS, role_commands.read_saved_parts),
    ),
    GeneratedType.DRAFT_CREATE: InputTypeSpec(
        IdField.NONE,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_IDS,
        part=RoleInput(GeneratedType.DRAFT_CREATE, _NEW_DRAFT.read_one),
        parts=RoleInput(GeneratedType.DRAFT_CREATE, _NEW_DRAFT.read_many, listed=True),
    ),
    GeneratedType.DRAFT_UPDATE: InputTypeSpec(IdField.REQUIRED, False, False, *_UPDATED_DRAFT),
    GeneratedType.DRAFT_UPDATE_BULK: InputTypeSpec(IdField.NONE, False, False, *_UPDATED_DRAFT),
}
