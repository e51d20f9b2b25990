"""Walking a path: from a class over roles to an attribute."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratabase.model.class_ import PlatformAttribute
from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.types import TYPES
from stratabase.model.types.base import AttributeType

_PLATFORM = {attribute.value: attribute for attribute in PlatformAttribute}


@dataclass(frozen=True, slots=True)
class Walk:
    """How far a path leads: the names that were found, and where the last of them is."""

    steps: tuple[tuple[str, str], ...]
    """The name of each step, before it the class it was taken from."""
    at: str
    """The class that was reached."""
    many: bool
    """A role to many was walked."""
    type: AttributeType | None = None
    """The type of the attribute at the end; None where it is a role."""


def walk(manuscript: Manuscript, class_name: str, names: Sequence[str]) -> Walk:
    """Return how far `names` lead from a class."""
    steps: list[tuple[str, str]] = []
    at, many = class_name, False
    for name in names:
        if kind := attribute_type(manuscript, at, name):
            return Walk((*steps, (at, name)), at, many, kind)
        if not (way := _role(manuscript, at, name)):
            break
        steps.append((at, name))
        at, many = way[0], many or way[1]
    return Walk(tuple(steps), at, many)


def attribute_type(manuscript: Manuscript, class_name: str, name: str) -> AttributeType | None:
    """Return the type of an attribute, platform attributes included."""
    one = manuscript.classes.get(class_name)
    if one and name in one.members:
        return one.members[name].type
    recorded = _PLATFORM.get(name)
    return platform_type(recorded) if one and recorded and recorded in one.platform else None


def platform_type(attribute: PlatformAttribute) -> AttributeType:
    """Return the type of a platform attribute: who is a text, when is a moment."""
    return TYPES["Datetime" if attribute.name.endswith("_ON") else "String"]


def _role(manuscript: Manuscript, class_name: str, name: str) -> tuple[str, bool] | None:
    """Return the class that a role leads to and whether to many, or None where there is no such role."""
    one = manuscript.classes.get(class_name)
    member = one.members.get(name) if one else None
    if member:
        return (member.target, member.many) if _leads(manuscript, member.target) else None
    backs = manuscript.backs.get(class_name, ())
    return next(((back.composition.owner, False) for back in backs if back.name == name), None)


def _leads(manuscript: Manuscript, type_name: str) -> bool:
    return type_name in manuscript.classes or type_name in manuscript.unread.difference(manuscript.types)


def names_at(manuscript: Manuscript, class_name: str) -> list[str]:
    """Return the names that a path can go on with."""
    one = manuscript.classes.get(class_name)
    if not one:
        return []
    backs = [back.name for back in manuscript.backs.get(class_name, ())]
    return [*one.members, *backs, *(attribute.value for attribute in one.platform)]
