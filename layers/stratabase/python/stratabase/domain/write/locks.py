"""Locks and versions that keep a caller from writing an object."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.member import Caller
from stratabase.domain.objects.change import LinkEffect, Touch
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import format_instant
from stratabase.domain.objects.lock import Lock, admits
from stratabase.domain.objects.version import describe_version_instant
from stratabase.domain.subject import Subject
from stratabase.domain.write.commands import AnyCommand, Delete, Update
from stratabase.domain.write.object_write import ObjectWrite
from stratabase.domain.write.request import WriteRequest
from stratabase.domain.write.requester import Requester
from stratabase.domain.write.role_requests import LinkKey
from stratabase.model.formats import Formats
from stratabase.model.types import TYPES

_DATETIME = TYPES["Datetime"]


def locked_issue(
    type_: IssueType, subject: Subject, lock: Lock, formats: Formats, path: Path | None = None
) -> Issue:
    """Return the issue of an object that is locked, in somebody's formats; a path if not the subject's.

    A subject without id is one of which its reader must not know which it is.
    """
    until = _DATETIME.writer("default", formats)(format_instant(lock.until))
    name = subject.class_.name
    named = f"another {name}" if subject.id is None else f"{name} {subject.id}"
    message = f"{named} is locked by {lock.name} until {until}"
    return subject.issue(type_, message, *(subject.path if path is None else path))


ARGUMENT = "ifVersion"


def check_version(request: WriteRequest, command: AnyCommand) -> None:
    """Note it if the object that a command is on has another version than the one it relies on."""
    write = request.objects.get(request.context.ids.root)
    if isinstance(command, Update | Delete) and write is not None and write.before is not None:
        issue = version_issue(write.subject, write.before, command, request.context.caller)
        request.issues += [] if issue is None else [issue]


def relies_on_version(command: AnyCommand) -> bool:
    """Return whether a command is to be done to one version only."""
    return isinstance(command, Update | Delete) and command.if_version is not None


def version_issue(subject: Subject, before: Entity, command: Update | Delete, caller: Caller) -> Issue | None:
    """Return the issue of an object whose version is not the one that a command relies on."""
    if command.if_version is None or before.start in command.if_version:
        return None
    name = f"{subject.class_.name} {subject.id}"
    if before.start is None:
        message = f"{name} has not been written yet, so that it has no version"
    else:
        began = describe_version_instant(before.start, caller.formats, ARGUMENT)
        message = f"{name} has another version now: the one that began at {began}"
    return subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, ARGUMENT)


def check_locks(request: WriteRequest) -> None:
    """Note each object that another has locked, of those that the request names to write them, or changes."""
    named = frozenset(request.context.ids.existing)
    for write in request.objects.values():
        if write.reference in named or write.is_written:
            request.issues += _held(request, write)


def issue_subject(request: WriteRequest, write: ObjectWrite) -> Subject:
    """Return what a message is about; without its id, where that would be news."""
    return write.subject if request.may_identify(write.reference) else replace(write.subject, id=None)


def touches(request: WriteRequest, on_links: Iterable[LinkEffect], *, relying: bool) -> Iterator[Touch]:
    """Yield the objects that the request names only to write others through them, which it does.

    `relying`: it relies on the version of the one that it is on.
    """
    passed = _on_the_way(request, on_links) & {*request.context.ids.existing}
    for write in request.objects.values():
        if write.before is not None and not write.is_written and write.reference in passed:
            yield Touch(write.before, relying and write.reference == request.context.ids.root)


def _held(request: WriteRequest, write: ObjectWrite) -> Iterator[Issue]:
    caller, lock = request.context.caller, None if write.before is None else write.before.lock
    if lock is not None and not admits(lock, caller.id, request.context.now):
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, issue_subject(request, write), lock, caller.formats)


def _on_the_way(request: WriteRequest, on_links: Iterable[LinkEffect]) -> frozenset[Reference]:
    """Return what asks for something that is written, and the wholes of that and of what is written."""
    written = [write.reference for write in request.objects.values() if write.is_written]
    found: set[Reference] = set()
    for reference in (
        *_asking(request, on_links),
        *filter(None, (_whole(request, each) for each in written)),
    ):
        at: Reference | None = reference
        while at is not None and at not in found:
            found.add(at)
            at = _whole(request, at)
    return frozenset(found)


def _asking(request: WriteRequest, on_links: Iterable[LinkEffect]) -> Iterator[Reference]:
    """Yield the objects of which a role is spoken where links or the keys of others change."""
    for requester in (*_of_links(request, on_links), *_of_keys(request)):
        if requester.subject.id is not None:
            yield Reference(requester.subject.class_.name, requester.subject.id)


def _of_links(request: WriteRequest, on_links: Iterable[LinkEffect]) -> Iterator[Requester]:
    for link in on_links:
        requests = request.link_requests[LinkKey(link.role, link.owner, link.other)]
        yield from (*requests.additions, *requests.removals)


def _of_keys(request: WriteRequest) -> Iterator[Requester]:
    for (holder, _), requests in request.key_requests.items():
        if holder in request.objects and request.objects[holder].is_written:
            yield from (each.requester for each in (*requests.releases, *requests.assignments, *requests.own))


def _whole(request: WriteRequest, reference: Reference) -> Reference | None:
    """Return what an object of the request is a part of."""
    write = request.objects.get(reference)
    if write is None or not write.subject.class_.part:
        return None
    roles = (role for role in write.subject.class_.roles.values() if role.whole)
    found = ((role.target, write.value_before(role.name)) for role in roles)
    return next((Reference(target, str(id_)) for target, id_ in found if id_ is not None), None)
