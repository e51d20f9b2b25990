"""An object's new state as the client requests it, the files that it takes, and the checks that it must pass.

One rule applies to required attributes and roles: a write must fill them in the objects that it creates, and
cannot empty those that have a value. It ignores what it does not touch and what was empty before, because a
model can require what older objects lack. Serials are exempt, because the service numbers objects itself.

To add a check, write a function from a draft to its issues, and add it to `CHECKS`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.domain.files.pending_file import FileTarget, PendingFile, is_file_id
from stratabase.core.domain.files.stored_file import stored_file
from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.objects.entity import Entity, State, is_unwritten
from stratabase.core.domain.write.request import WriteRequest
from stratabase.core.model.attribute import overwrite
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.file import PENDING_ID
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _


def still_empty(name: str) -> Message:
    """Return the message of a validation for a required attribute or role that the write leaves empty."""
    return _("{name} is required, but it is still empty. You can still save other changes.", name=name)


@frozen
class Draft:
    """A state to check.

    `before` is the object as it was read, None for a new one. In `state`, values that could not be read are
    null. `changes` has the client's values that could be read.
    """

    subject: Subject
    before: Entity | None
    state: State
    changes: Mapping[str, Stored]
    unreadable_issues: tuple[Issue, ...] = ()
    formats: Formats = DEFAULT_FORMATS
    """The formats in which messages show values."""

    def issue(self, type_: IssueType, name: str, message: Message) -> Issue:
        """Return an issue about one attribute of the object."""
        labeled = _("{attribute}: {message}", attribute=self.full_name(name), message=message)
        return self.subject.attribute_issue(type_, labeled, name)

    def full_name(self, name: str) -> str:
        """Return an attribute's name with its class, for messages."""
        return f"{self.subject.class_.name}.{name}"

    def is_unreadable(self, name: str) -> bool:
        """Return whether the client's value for an attribute could not be read."""
        return any(name in issue.attribute_names for issue in self.unreadable_issues)


def read_draft(subject: Subject, before: Entity | None, values: Mapping[str, Any], formats: Formats) -> Draft:
    """Return the draft of an object with new values, which are read in a member's formats."""
    changed: dict[str, Stored] = {}
    unreadable: dict[str, None] = {}
    malformed: list[Issue] = []
    native = subject.class_.attributes
    for name, value in values.items():
        try:
            changed[name] = None if value is None else native[name].type.read(value, formats)
        except InvalidValue as mistake:
            attribute = f"{subject.class_.name}.{name}"
            message = _("{attribute}: {message}", attribute=attribute, message=mistake.message)
            malformed.append(subject.attribute_issue(IssueType.DATA_TYPE, message, name))
            unreadable[name] = None
    state = _defaults(subject, values) if before is None else before.state
    after = overwrite(state, changed, native)
    if unreadable:
        after |= unreadable
    return Draft(subject, before, after, changed, tuple(malformed), formats)


def _defaults(subject: Subject, values: Mapping[str, Any]) -> dict[str, Stored]:
    """Return the defaults of the attributes that a client has left out of a new object."""
    defaults = subject.class_.defaults
    return {name: value for name, value in defaults.items() if name not in values}


def check_required_values(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each required attribute that is null in a new object, or that the client clears."""
    class_, get = draft.subject.class_, draft.state.get
    for name in [name for name in class_.required_attributes if get(name) is None]:
        is_made = draft.before is None or is_unwritten(class_, draft.before)
        if (is_made or name in draft.changes) and not draft.is_unreadable(name):
            message = _("{attribute} is required.", attribute=draft.full_name(name))
            yield draft.subject.attribute_issue(IssueType.ATTRIBUTE_REQUIRED, message, name)


def check_constraints(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each domain constraint that a changed value violates."""
    attributes = draft.subject.class_.attributes
    for name, value in draft.changes.items():
        if value is None:
            continue
        type_ = attributes[name].type
        for constraint in attributes[name].constraints:
            for violation in constraint.violations(value, type_, draft.formats):
                yield draft.issue(IssueType[violation.issue], name, violation.message)


CHECKS = (
    check_required_values,
    check_constraints,
)


def check_draft(draft: Draft) -> Iterator[Issue]:
    """Yield everything that is wrong with a draft."""
    yield from draft.unreadable_issues
    for check in CHECKS:
        yield from check(draft)


def report_missing_values(draft: Draft) -> Iterator[Issue]:
    """Yield a report, which stops no write, for each required attribute that the write leaves empty."""
    if draft.before is None or is_unwritten(draft.subject.class_, draft.before):
        return
    for name in draft.subject.class_.required_attributes:
        is_empty = draft.before.state.get(name) is None
        if is_empty and name not in draft.changes and not draft.is_unreadable(name):
            message = still_empty(draft.full_name(name))
            yield draft.subject.attribute_issue(IssueType.ATTRIBUTE_REQUIRED, message, name).as_report()


_COMPARED: Mapping[str, IssueType] = {
    "fileId": IssueType.MALFORMED_REQUEST,
    "name": IssueType.MALFORMED_REQUEST,
    "mimeType": IssueType.ATTRIBUTE_FILE_TYPE,
    "size": IssueType.ATTRIBUTE_FILE_SIZE,
}
"""By field of a reference that must be as the upload returned it: the type of the issue if it is not."""


def take_files(request: WriteRequest, draft: Draft) -> dict[str, Stored]:
    """Return the values of File attributes that a draft sets by references to pending files.

    Add the pending files to the request, or issues if the object can't take them.
    """
    taken: dict[str, Stored] = {}
    for name, reference in draft.changes.items():
        if isinstance(reference, Mapping):
            pending = _find(request, draft, name, reference)
            issues = [] if pending is None else [*_contradictions(request, draft, name, reference, pending)]
            request.issues += issues
            if pending is not None and not issues:
                request.files[pending.id] = pending
            taken[name] = None if pending is None else _bound(request, draft, name, pending)
    return taken


def _bound(request: WriteRequest, draft: Draft, name: str, pending: PendingFile) -> Stored:
    """Return the value of an attribute that takes a pending file."""
    replaced = None if draft.before is None else stored_file(draft.before.state.get(name))
    return pending.file.bound(request.context.now, replaced).stored()


def _find(request: WriteRequest, draft: Draft, name: str, reference: Mapping[str, Any]) -> PendingFile | None:
    """Return the pending file that a reference names. If there is none for the caller, add an issue."""
    context, id_ = request.context, reference[PENDING_ID]
    pending = context.snapshot.upload(id_) if is_file_id(id_) else None
    if id_ in context.snapshot.missing.uploads:
        return None  # The plan is made again when the file has been read.
    is_own = pending is not None and (pending.member_id == context.caller.id or context.caller.administrator)
    target = FileTarget(draft.subject.class_.name, name)
    # The issue is the same in all cases, so that nobody can find out about the files of others.
    if pending is None or not is_own or pending.target != target or not pending.is_pending(context.now):
        message = _(
            "The pending file {id} does not exist. It may have expired, or an object may have it now. "
            "Upload the file, then use the reference that the upload returns.",
            id=describe_value(id_),
        )
        request.issues.append(draft.issue(IssueType.ENTITY_NOT_FOUND, name, message))
        return None
    return pending


def _contradictions(
    request: WriteRequest, draft: Draft, name: str, reference: Mapping[str, Any], pending: PendingFile
) -> Iterator[Issue]:
    """Yield an issue for each field of a reference that is not as uploaded, or if it is used twice."""
    uploaded = pending.file.stored()
    for field, issue_type in _COMPARED.items():
        if reference[field] != uploaded[field]:
            message = _(
                "{field} must be {expected}, as the upload returned it, not {value}.",
                field=field,
                expected=describe_value(uploaded[field]),
                value=describe_value(reference[field]),
            )
            yield draft.issue(issue_type, name, message)
    if pending.id in request.files:
        message = _(
            "The request uses the pending file {id} more than once. Upload the file once for each use.",
            id=describe_value(pending.id),
        )
        yield draft.issue(IssueType.MALFORMED_REQUEST, name, message)
