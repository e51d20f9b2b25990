"""The plan of a write: the effects that a command comes to, and everything that is wrong with it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stratabase.domain.access.grants import Access
from stratabase.domain.access.requirements import RequiredPermission, check_permission
from stratabase.domain.issues.issue import Issue, IssueType
from stratabase.domain.objects.change import Effect, EffectIndex, ObjectEffect, reference_of
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import Instant
from stratabase.domain.write.associations import resolve_roles
from stratabase.domain.write.cardinality import check_cardinality
from stratabase.domain.write.commands import AnyCommand
from stratabase.domain.write.effects import effects_of
from stratabase.domain.write.expand import expand
from stratabase.domain.write.locks import check_locks
from stratabase.domain.write.permissions import required_permissions
from stratabase.domain.write.request import WriteContext, WriteRequest


@dataclass(frozen=True)
class WritePlan:
    """What a command comes to; it is good when there are no issues.

    It is provisional as long as its snapshot lacks something: what is not known counts as absent.
    """

    request: WriteRequest
    instant: Instant
    """Since when all is as the effects leave it."""
    effects: tuple[Effect, ...] = ()
    required_permissions: Sequence[RequiredPermission] = ()
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
    def is_complete(self) -> bool:
        """Whether nothing more needs to be read."""
        return self.is_forbidden or not self.request.context.snapshot.missing

    @property
    def is_locked(self) -> bool:
        """Whether others have locked what it writes."""
        issues = self.issues
        return bool(issues) and any(issue.type is IssueType.ENTITY_LOCK_PERSIST for issue in issues)

    @cached_property
    def index(self) -> EffectIndex:
        """The effects by what they are on."""
        return EffectIndex(self.effects, self.request.context.model)

    @property
    def entity(self) -> Entity | None:
        """The object that the command is on as it shall be, None when it shall not."""
        root = self.request.context.ids.root
        for effect in self.effects:
            if isinstance(effect, ObjectEffect) and reference_of(effect) == root:
                return effect.after
        return self.request.context.snapshot.entities.get(root)


def plan_write(command: AnyCommand, context: WriteContext, *, numbering: bool) -> WritePlan:
    """Return what a command comes to by what the snapshot tells, and note there what that lacks.

    New objects get their Serials only with `numbering`.
    """
    # 1. Expand: the objects that the command speaks of, their values checked; what is asked of their roles.
    request = expand(command, context)
    if context.ids.exceeds_limit:
        return WritePlan(request, context.now)
    # 2. Resolve roles: what both sides of an association ask comes to one key, or one link.
    links = resolve_roles(request)
    # 3. Permissions: what is allowed with no object at all is refused before anything is read.
    required = () if context.access is None else required_permissions(request, context.access, command)
    if context.access is not None and (forbidden := _forbidden(context.access, required)):
        request.issues = forbidden
        return WritePlan(request, context.now, is_forbidden=True)
    # 4. Check what only the whole request tells: required roles, locks, the version that is relied on.
    check_cardinality(request, links)
    check_locks(request, command)
    # 5. Effects.
    instant, effects = effects_of(request, links, command, numbering=numbering)
    return WritePlan(request, instant, effects, required)


def _forbidden(access: Access, required: Iterable[RequiredPermission]) -> list[Issue]:
    return [issue for demand in required if (issue := check_permission(access, demand)) is not None]
