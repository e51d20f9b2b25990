"""Locks and versions that keep a caller from writing an object, as far as a plan knows them.

The store checks again, since a lock may begin after the plan was made: it writes each head on the condition
that no other member has locked it (`store/layout/locks.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.objects.entity import Reference, describe_object
from stratabase.domain.objects.instant import Instant, format_instant
from stratabase.domain.objects.lock import Lock, admits
from stratabase.domain.objects.version import describe_version_instant
from stratabase.domain.write.commands import AnyCommand, Delete, Update
from stratabase.domain.write.request import ObjectWrite, WriteRequest
from stratabase.formats.preferences import Formats
from stratabase.messages import _
from stratabase.model.types import TYPES

_DATETIME = TYPES["Datetime"]
IF_VERSION = "ifVersion"


def check_locks(request: WriteRequest, command: AnyCommand) -> None:
    """Note each object that another has locked, of those that the request names to write them, or changes.

    Then the object of the command, if it has another version than the one that the command relies on.
    """
    named = frozenset(request.context.ids.existing)
    for write in request.objects.values():
        if write.reference in named or write.is_written:
            request.issues += _held(request, write)
    root = request.objects.get(request.context.ids.root)
    if root is not None and isinstance(command, Update | Delete) and command.if_version is not None:
        _check_version(request, root, command.if_version)


def _check_version(request: WriteRequest, write: ObjectWrite, started: Sequence[Instant]) -> None:
    """Note it if an object has another version than one that began at one of some instants."""
    subject, before, caller = write.subject, write.before, request.context.caller
    if before is None or before.start in started:
        return
    named = describe_object(write.reference)
    if before.start is None:
        message = _("{object} has no versions because it hasn't been saved yet.", object=named)
    else:
        message = _(
            "{object} has changed. Its current version started at {instant}.",
            object=named,
            instant=describe_version_instant(before.start, caller.formats, IF_VERSION),
        )
    request.issues.append(subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, IF_VERSION))


def _held(request: WriteRequest, write: ObjectWrite) -> Iterator[Issue]:
    caller, lock = request.context.caller, None if write.before is None else write.before.lock
    if lock is not None and not admits(lock, caller.id, request.context.now):
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, issue_subject(request, write), lock, caller.formats)


def locked_issue(
    type_: IssueType, subject: Subject, lock: Lock, formats: Formats, path: Path | None = None
) -> Issue:
    """Return the issue of an object that is locked, in somebody's formats; a path if not the subject's.

    A subject without id is one of which its reader must not know which it is.
    """
    until = _DATETIME.serializer("default", formats)(format_instant(lock.until))
    class_name = subject.class_.name
    if subject.id is None:
        message = _(
            "Another {class_name} is locked by {username} until {instant}.",
            class_name=class_name,
            username=lock.name,
            instant=until,
        )
    else:
        message = _(
            "{object} is locked by {username} until {instant}.",
            object=describe_object(Reference(class_name, subject.id)),
            username=lock.name,
            instant=until,
        )
    return subject.issue(type_, message, *(subject.path if path is None else path))


def issue_subject(request: WriteRequest, write: ObjectWrite) -> Subject:
    """Return what a message is about; without its id, where that would be news."""
    return write.subject if request.may_identify(write.reference) else replace(write.subject, id=None)
