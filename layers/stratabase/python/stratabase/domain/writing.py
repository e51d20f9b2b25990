"""The decisions of writing one object: from what is and what is asked to what shall be, or to issues."""

from stratabase.domain import platform
from stratabase.domain.access import Access
from stratabase.domain.access.reading import check_comparison
from stratabase.domain.checks import Draft, issues_of
from stratabase.domain.checks.draft import drafted
from stratabase.domain.command import Create, Update
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.domain.subject import Subject
from stratabase.domain.version import dated, instant_after
from stratabase.model.class_ import Class, Unique
from stratabase.model.formats import Formats
from stratabase.model.malformed import shown


class BadValues(Refused):
    """Values that the object cannot have."""


def created(class_: Class, command: Create, id_: str, caller: Caller, now: Instant) -> Entity:
    """Return the object that a command without roles makes. Raises BadValues."""
    subject = Subject(class_, client_id=command.client_id)
    draft = _checked(drafted(subject, None, command.given, caller.formats))
    state = {**draft.state, "_id": id_, **platform.at_creation(class_, caller, now)}
    return Entity(Reference(class_.name, id_), dated(class_, state, now), start=now)


def updated(class_: Class, before: Entity, command: Update, caller: Caller, now: Instant) -> Entity:
    """Return an object's new state; `before` itself when nothing changes. Raises BadValues."""
    subject = Subject(class_, before.reference.id, command.client_id)
    draft = _checked(drafted(subject, before, command.given, caller.formats))
    if all(before.state.get(name) == value for name, value in draft.changed.items()):
        return before
    instant = instant_after(now, [before.start])
    recorded = platform.at_update(class_, before, caller, instant)
    state = dated(class_, {**draft.state, **recorded}, instant)
    return Entity(before.reference, state, before.commit_ids, start=instant, lock=before.lock)


def _checked(draft: Draft) -> Draft:
    issues = tuple(issues_of(draft))
    if issues:
        raise BadValues(issues)
    return draft


def not_found(subject: Subject) -> Refused:
    """Return the refusal to write an object that is not there."""
    message = f"there is no {subject.class_.name} with _id {shown(subject.id)}"
    return Refused([subject.issue(IssueType.ENTITY_NOT_FOUND, message, *subject.path, "_id")])


def not_built(subject: Subject, unique: Unique) -> Issue:
    """Return the issue of values whose uniqueness constraint is not built yet for older objects."""
    class_ = subject.class_
    names = ", ".join(unique.attributes)
    message = (
        f"{class_.name} @unique({names}) is not built yet for older objects, so nobody can tell whether one "
        f"has the same {names}; run `stratabase reindex {class_.name}`"
    )
    return subject.attribute_issue(IssueType.ENTITY_UNIQUE, message, *unique.attributes)


def taken(
    subject: Subject, unique: Unique, state: State, formats: Formats, access: Access | None = None
) -> Issue:
    """Return the issue of values that must be unique and are another object's; it shows what may be read."""
    class_ = subject.class_
    hidden = [name for name in unique.attributes if access and check_comparison(access, class_, name, ())]
    values = ", ".join(
        f"the same {name}" if name in hidden else f"{name} {_displayed(class_, name, state, formats)}"
        for name in unique.attributes
    )
    message = f"another {class_.name} has {values}: no two may have the same"
    return subject.attribute_issue(IssueType.ENTITY_UNIQUE, message, *unique.attributes)


def _displayed(class_: Class, name: str, state: State, formats: Formats) -> str:
    """Return a value of an object as a message shows it."""
    value = state.get(name)
    return shown(None) if value is None else class_.attributes[name].type.display(value, formats)
