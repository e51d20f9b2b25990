"""The names of a model as it is written, for its expressions."""

from collections.abc import Iterable, Mapping

from stratabase.model.class_ import PlatformAttribute
from stratabase.model.expressions.kinds import kind_of
from stratabase.model.expressions.scope import ID, NOT_KNOWN, Found, Names, Value, Way
from stratabase.model.reading.manuscript import Manuscript, Written
from stratabase.model.reading.walk import names_at, walk
from stratabase.model.types import ID_TYPE
from stratabase.model.types.base import AttributeType
from stratabase.model.types.enumeration import EnumType

_PLATFORM = frozenset(attribute.value for attribute in PlatformAttribute)


class WrittenNames(Names):
    """The names of a manuscript; what another rule complains of is there, and nothing is known of it."""

    def __init__(self, manuscript: Manuscript) -> None:
        self._manuscript = manuscript

    def find(self, class_name: str, name: str) -> Found | None:
        """Return what a name means in a class."""
        one = self._manuscript.classes.get(class_name)
        if one is None or _is_unclear(one, name):
            return NOT_KNOWN
        if name == ID:
            return Value(kind_of(ID_TYPE))
        walked = walk(self._manuscript, class_name, (name,))
        if walked.type:
            return _attribute(walked.type)
        if walked.steps:
            return Way(walked.at, walked.many)
        return NOT_KNOWN if name in one.members else None

    def near(self, class_name: str) -> Iterable[str]:
        """Return the names of attributes and roles."""
        return names_at(self._manuscript, class_name)

    @property
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum."""
        return {
            name: tuple(value.name.value for value in node.values or ())
            for name, node in self._manuscript.enumerations.items()
        }


def _attribute(type_: AttributeType) -> Found:
    """Return an attribute of a type; nothing can be said of an enum without values."""
    kind = kind_of(type_)
    return NOT_KNOWN if isinstance(type_, EnumType) and not kind.values else Value(kind)


def _is_unclear(one: Written, name: str) -> bool:
    """Return whether a mistake elsewhere leaves open what a name means."""
    member, use = one.members.get(name), one.use("class")
    if member is None:
        return name in _PLATFORM and use is not None and not use.sound
    return member.type is not None and member.many
