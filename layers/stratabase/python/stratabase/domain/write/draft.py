"""An object's new state as a client would have it, and the checks that it must pass.

One rule for required attributes and roles: a write must fill what is required of the objects that it makes,
and cannot empty what is set. It passes over what it does not touch and what was empty before, since a model
may come to require what older objects lack. Serials are exempt: the service numbers objects itself.

To add a check, write a function from a draft to its issues, and add it to `CHECKS`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stratabase.domain.issues.issue import Issue, IssueType, Subject
from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.objects.former_state import incompatible_attributes
from stratabase.domain.objects.identity import is_unwritten
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.messages import Message, _
from stratabase.model.attribute import Attribute
from stratabase.model.types.storage import Stored


def still_empty(name: str) -> Message:
    """Return what a validation says of a required attribute or role that the write passes over."""
    return _("{name} is required, but it is still empty. You can still save other changes.", name=name)


@dataclass(frozen=True, slots=True)
class Draft:
    """A state that is to be checked. In `state`, what could not be read is null.

    `before` is the object that is changed, None for one that the write makes. `changes` holds what the client
    gave and could be read.
    """

    subject: Subject
    before: Entity | None
    state: State
    changes: Mapping[str, Stored]
    unreadable_issues: tuple[Issue, ...] = ()
    formats: Formats = DEFAULT_FORMATS
    """In which messages show values."""

    def issue(self, type_: IssueType, name: str, message: Message) -> Issue:
        """Return an issue about one attribute of this object."""
        labeled = _("{attribute}: {message}", attribute=self.full_name(name), message=message)
        return self.subject.attribute_issue(type_, labeled, name)

    def full_name(self, name: str) -> str:
        """Return an attribute as messages name it, with its class."""
        return f"{self.subject.class_.name}.{name}"

    def is_unreadable(self, name: str) -> bool:
        """Return whether what was given for an attribute could not be read."""
        return any(name in issue.attribute_names for issue in self.unreadable_issues)


def read_draft(subject: Subject, before: Entity | None, values: Mapping[str, Any], formats: Formats) -> Draft:
    """Return the state of an object, None for a new one, with the values `given` in a member's formats."""
    changed: dict[str, Stored] = {}
    unreadable: dict[str, None] = {}
    malformed: list[Issue] = []
    for name, value in values.items():
        try:
            changed[name] = (
                None if value is None else subject.class_.attributes[name].type.read(value, formats)
            )
        except InvalidValue as mistake:
            attribute = f"{subject.class_.name}.{name}"
            message = _("{attribute}: {message}", attribute=attribute, message=mistake.message)
            malformed.append(subject.attribute_issue(IssueType.DATA_TYPE, message, name))
            unreadable[name] = None
    state = {} if before is None else before.state
    return Draft(subject, before, {**state, **unreadable, **changed}, changed, tuple(malformed), formats)


def check_required_values(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each required attribute that the write leaves or makes empty, and must not."""
    is_made = draft.before is None or is_unwritten(draft.subject.class_, draft.before)
    for name in _required(draft):
        is_empty = draft.state.get(name) is None and not draft.is_unreadable(name)
        if is_empty and (is_made or name in draft.changes):
            message = _("{attribute} is required.", attribute=draft.full_name(name))
            yield draft.subject.attribute_issue(IssueType.ATTRIBUTE_REQUIRED, message, name)


def check_domains(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each rule of a domain that a changed value breaks."""
    for name, value in draft.changes.items():
        if value is None:
            continue
        attribute = draft.subject.class_.attributes[name]
        for violation in attribute.violations(value, draft.formats):
            yield draft.issue(IssueType[violation.issue], name, violation.message)


def check_files(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each reference to a pending file that there is none of."""
    for name, value in draft.changes.items():
        if isinstance(value, Mapping):
            message = _(
                "The pending file {id} does not exist. "
                "Upload the file first, then use the reference that the upload returns.",
                id=describe_value(value.get("pendingFileId")),
            )
            yield draft.issue(IssueType.ENTITY_NOT_FOUND, name, message)


CHECKS = (
    check_required_values,
    check_domains,
    check_files,
)


def check_draft(draft: Draft) -> Iterator[Issue]:
    """Yield everything that is wrong with a draft."""
    yield from draft.unreadable_issues
    for check in CHECKS:
        yield from check(draft)


def report_missing_values(draft: Draft) -> Iterator[Issue]:
    """Yield a report, which stops no write, for each required attribute that the write passes over."""
    if draft.before is None or is_unwritten(draft.subject.class_, draft.before):
        return
    unreadable = {*incompatible_attributes(draft.subject.class_, draft.before.state)}
    for name in _required(draft):
        is_empty = draft.before.state.get(name) is None or name in unreadable
        if is_empty and name not in draft.changes and not draft.is_unreadable(name):
            message = still_empty(draft.full_name(name))
            yield draft.subject.attribute_issue(IssueType.ATTRIBUTE_REQUIRED, message, name).as_report()


def is_value_required(attribute: Attribute) -> bool:
    """Return whether clients must give an attribute a value."""
    return attribute.required and attribute.type.name != "Serial"


def _required(draft: Draft) -> Iterator[str]:
    attributes = draft.subject.class_.attributes.items()
    return (name for name, attribute in attributes if is_value_required(attribute))
