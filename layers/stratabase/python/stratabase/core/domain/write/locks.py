"""Locks and versions that prevent a caller from writing an object, as far as a plan knows them.

The store checks locks again, because a lock can begin after the plan was made. It writes each head on the
condition that no other member has locked it (`core/store/layout/locks.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.objects.entity import Reference, describe_object
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.objects.lock import Lock, admits
from stratabase.core.domain.objects.version import format_version_instant
from stratabase.core.domain.write.commands import AnyCommand, Delete, Update
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.model.types import TYPES
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

_DATETIME = TYPES["Datetime"]
IF_VERSION = "ifVersion"


def check_locks(request: WriteRequest, command: AnyCommand) -> None:
    """Add an issue for each locked object that the request writes, or names in order to write it.

    Also add one if the object of the command does not have the version that the client expects.
    """
    locked = [write for write in request.objects.values() if write.before and write.before.lock is not None]
    named = frozenset(request.context.ids.existing) if locked else frozenset()
    for write in locked:
        if write.reference in named or write.is_written:
            request.issues += _lock_issues(request, write)
    root = request.objects.get(request.context.ids.root)
    if root is not None and isinstance(command, Update | Delete) and command.if_version is not None:
        _check_version(request, root, command.if_version)


def _check_version(request: WriteRequest, write: ObjectWrite, expected_starts: Sequence[Instant]) -> None:
    """Add an issue if the current version of an object began at none of the expected instants."""
    subject, before, caller = write.subject, write.before, request.context.caller
    if before is None or before.start in expected_starts:
        return
    object_name = describe_object(write.reference)
    if before.start is None:
        message = _("{object} has no versions because it hasn't been saved yet.", object=object_name)
    else:
        message = _(
            "{object} has changed since the version that you sent as {argument}. Its current version started "
            "at {instant}. Read it, and then send {argument}: {text}.",
            object=object_name,
            argument=IF_VERSION,
            instant=_DATETIME.serializer("default", caller.formats)(format_instant(before.start)),
            text=f'"{format_version_instant(before.start, caller.formats)}"',
        )
    request.issues.append(subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, IF_VERSION))


def _lock_issues(request: WriteRequest, write: ObjectWrite) -> Iterator[Issue]:
    caller, lock = request.context.caller, None if write.before is None else write.before.lock
    if lock is not None and not admits(lock, caller.id, request.context.now):
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, issue_subject(request, write), lock, caller.formats)


def locked_issue(
    type_: IssueType, subject: Subject, lock: Lock, formats: Formats, path: Path | None = None
) -> Issue:
    """Return the issue of a locked object. The default path is the subject's.

    If the subject has no ID, the message does not say which object is locked, because the caller must not
    know.
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
    """Return the subject of an object, without its ID if the caller must not learn it."""
    return write.subject if request.may_identify(write.reference) else replace(write.subject, id=None)
