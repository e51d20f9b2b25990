"""The plan of a write: the effects that a command comes to, and everything that is wrong with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.domain.access.requirements import Requirement, check_requirement
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.objects.change import Effect, ObjectEffect, reference_of
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import Instant
from stratabase.domain.subject import Subject
from stratabase.domain.write.cardinality import check_cardinality
from stratabase.domain.write.commands import ROOT_PATH, AnyCommand, Create, Delete, PlacedCommand, Restore
from stratabase.domain.write.effects import assign_serials, instant_of, object_effects
from stratabase.domain.write.expand import expand_create, expand_delete, expand_update
from stratabase.domain.write.keys import resolve_keys
from stratabase.domain.write.limits import MOST_OBJECTS
from stratabase.domain.write.links import resolve_links
from stratabase.domain.write.locks import check_locks, check_version, relies_on_version, touches
from stratabase.domain.write.permissions import required_permissions
from stratabase.domain.write.request import WriteContext, WriteRequest
from stratabase.domain.write.request_ids import RequestIds
from stratabase.domain.write.restore import PLACE, expand_restore, restore_keys
from stratabase.domain.write.tasks import (
    CreateObject,
    DeleteObject,
    RestoreKeys,
    RestoreObject,
    Task,
    UpdateObject,
)
from stratabase.model.malformed import shown

_INTO: Mapping[type[Task], Callable[[WriteRequest, Any], None]] = {
    CreateObject: expand_create,
    UpdateObject: expand_update,
    DeleteObject: expand_delete,
    RestoreObject: expand_restore,
    RestoreKeys: restore_keys,
}


class WritePlan(NamedTuple):
    """What a command comes to; it is good when there are no issues."""

    request: WriteRequest
    effects: tuple[Effect, ...]
    instant: Instant
    """Since when all is as the effects leave it."""
    required_permissions: Sequence[Requirement] = ()
    """What must be allowed; nothing to those who may do everything."""
    is_forbidden: bool = False
    """Something is asked for that is allowed with no object: nothing else counts."""

    @property
    def issues(self) -> list[Issue]:
        """Everything that is wrong."""
        return self.request.issues

    @property
    def reports(self) -> list[Issue]:
        """What a validation tells beside that: it stops no write."""
        return self.request.reports

    @property
    def is_locked(self) -> bool:
        """Whether others have locked what it writes."""
        return any(issue.type is IssueType.ENTITY_LOCK_PERSIST for issue in self.issues)

    @property
    def entity(self) -> Entity | None:
        """The object that the command is on as it shall be, None when it shall not."""
        root = self.request.context.ids.root
        for effect in self.effects:
            if isinstance(effect, ObjectEffect) and reference_of(effect) == root:
                return effect.after
        return self.request.context.snapshot.entities.get(root)


def plan_write(command: AnyCommand, context: WriteContext, *, numbering: bool) -> WritePlan:
    """Return what a command comes to; new objects get their Serials only with `numbering`."""
    request = WriteRequest(context)
    request.issues += (*_too_many(request, command), *_named_twice(request))
    if context.ids.exceeds_limit:
        return WritePlan(request, (), context.now)
    request.tasks.append(_first(command, context.ids))
    while tasks := request.tasks or request.deferred_tasks:
        task = tasks.popleft()
        _INTO[type(task)](request, task)
    resolve_keys(request)
    demanded = () if context.access is None else required_permissions(request, context.access, command)
    if context.access is not None and (forbidden := _forbidden(context.access, demanded)):
        request.issues = forbidden
        return WritePlan(request, (), context.now, is_forbidden=True)
    links = tuple(resolve_links(request))
    check_cardinality(request, links)
    check_locks(request)
    check_version(request, command)
    if numbering and not request.issues and not context.snapshot.missing:
        assign_serials(request)
    instant = instant_of(request)
    effects = (
        *object_effects(request, instant),
        *links,
        *touches(request, links, relying=relies_on_version(command)),
    )
    return WritePlan(request, effects, instant, demanded)


def _forbidden(access: Access, demanded: Iterable[Requirement]) -> list[Issue]:
    return [issue for demand in demanded if (issue := check_requirement(access, demand)) is not None]


def _first(command: AnyCommand, names: RequestIds) -> Task:
    if isinstance(command, Delete):
        return DeleteObject(names.root, command.place)
    if isinstance(command, Restore):
        return RestoreObject(names.root, command, PLACE, {})
    placed = PlacedCommand(command, ROOT_PATH)
    return CreateObject(placed, {}) if isinstance(command, Create) else UpdateObject(placed)


def _too_many(request: WriteRequest, command: AnyCommand) -> Iterator[Issue]:
    names = request.context.ids
    if names.exceeds_limit:
        text = f"the request speaks of {names.count:,} objects: at most {MOST_OBJECTS:,} are possible"
        yield _subject(request, command).issue(IssueType.MALFORMED_REQUEST, text, *ROOT_PATH)


def _subject(request: WriteRequest, command: AnyCommand) -> Subject:
    """Return the object that a command is on."""
    root = request.context.ids.root
    id_ = None if isinstance(command, Create) else root.id
    client_id = None if isinstance(command, Delete | Restore) else command.client_id
    return Subject(request.class_(root.class_name), id_, client_id)


def _named_twice(request: WriteRequest) -> Iterator[Issue]:
    for command, path in request.context.ids.duplicates:
        name = command.class_name if isinstance(command, Create) else command.reference.class_name
        text = f"another {name} of the request is called {shown(command.client_id)} too"
        subject = Subject(request.class_(name), client_id=command.client_id, path=path)
        yield subject.issue(IssueType.MALFORMED_REQUEST, text, *path, "_clientId")
