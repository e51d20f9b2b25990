"""A row of the table of inputs: what is given of an object, and in what."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from stratabase.domain.issue import Path
from stratabase.domain.write.commands import RoleCommand
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class, Role

if TYPE_CHECKING:
    from stratabase.schema.inputs.reading import Reading

Read = Callable[["Reading", Class, Any, Path], RoleCommand | None]
"""From what is given of a role that leads to a class, and its path, to a command; None: nothing is asked."""


class Id(Enum):
    """Whether an input has the `_id` of the object."""

    NONE = "none"
    OPTIONAL = "ID"
    REQUIRED = "ID!"


@dataclass(frozen=True, slots=True)
class Column:
    """What is given of a role: an input of a family of the class that it leads to, or ids (no family)."""

    family: GeneratedType | None
    read: Read
    listed: bool = False
    demanding: bool = False
    """It must be given where the role is required."""
    about: str = ""
    """What clients should know of it, beside what the model says of the role."""


@dataclass(frozen=True, slots=True)
class Row:
    """What an input of a family has."""

    id: Id
    client_id: bool
    demanding: bool
    """Required attributes must be given."""
    one: Column
    """An association that leads to one."""
    many: Column
    """An association that leads to many."""
    part: Column
    parts: Column

    def column(self, role: Role) -> Column:
        """Return what is given of a role."""
        if role.composition:
            return self.parts if role.many else self.part
        return self.many if role.many else self.one
