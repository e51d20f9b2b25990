"""An object's state as a client would have it: what was given, read by the attributes' types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stratabase.domain.entity import Entity, State
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.subject import Subject
from stratabase.model.attribute import Stored
from stratabase.model.formats import DEFAULT_FORMATS, Formats
from stratabase.model.types.base import Malformed


@dataclass(frozen=True, slots=True)
class Draft:
    """A state that is to be checked. In `state`, what could not be read is null.

    `before` is the object that is changed, None for one that the write makes. `changed` holds what the client
    gave and could be read.
    """

    subject: Subject
    before: Entity | None
    state: State
    changed: Mapping[str, Stored]
    malformed: tuple[Issue, ...] = ()
    formats: Formats = DEFAULT_FORMATS
    """In which messages show values."""

    def issue(self, type_: IssueType, name: str, message: str) -> Issue:
        """Return an issue about one attribute of this object."""
        return self.subject.attribute_issue(type_, f"{self.subject.class_.name}.{name}: {message}", name)

    def unreadable(self, name: str) -> bool:
        """Return whether what was given for an attribute could not be read."""
        return any(name in issue.attribute_names for issue in self.malformed)


def drafted(subject: Subject, before: Entity | None, given: Mapping[str, Any], formats: Formats) -> Draft:
    """Return the state of an object, None for a new one, with the values `given` in a member's formats."""
    changed: dict[str, Stored] = {}
    unreadable: dict[str, None] = {}
    malformed: list[Issue] = []
    for name, value in given.items():
        try:
            changed[name] = (
                None if value is None else subject.class_.attributes[name].type.read(value, formats)
            )
        except Malformed as mistake:
            message = f"{subject.class_.name}.{name}: {mistake}"
            malformed.append(subject.attribute_issue(IssueType.DATA_TYPE, message, name))
            unreadable[name] = None
    state = {} if before is None else before.state
    return Draft(subject, before, {**state, **unreadable, **changed}, changed, tuple(malformed), formats)
