"""The plan of a write: the effects of a command, and everything that is wrong with it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.requirements import RequiredPermission, check_permission
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.objects.change import Effect, EffectIndex, LinkEffect, ObjectEffect, reference_of
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.associations import resolve_roles
from stratabase.core.domain.write.cardinality import check_cardinality
from stratabase.core.domain.write.commands import AnyCommand
from stratabase.core.domain.write.effects import effects_of
from stratabase.core.domain.write.expand import expand
from stratabase.core.domain.write.locks import check_locks
from stratabase.core.domain.write.permissions import required_permissions
from stratabase.core.domain.write.request import WriteContext, WriteRequest


@dataclass(frozen=True)
class WritePlan:
    """The result of planning a command. It can be committed if it is complete and has no issues.

    A plan whose snapshot lacks something is provisional: whatever is not known counts as absent.
    """

    request: WriteRequest
    instant: Instant
    """The start of all versions that the write creates (chosen in `effects`)."""
    effects: tuple[Effect, ...] = ()
    required_permissions: Sequence[RequiredPermission] = ()
    """The permissions that the write requires; empty for a caller who may do everything."""
    is_forbidden: bool = False
    """Whether the write requires a permission that the caller has for no object. Then nothing else counts."""

    @property
    def issues(self) -> list[Issue]:
        """Everything that is wrong with the command."""
        return self.request.issues

    @property
    def reports(self) -> list[Issue]:
        """Issues that only a validation shows, and that stop no write."""
        return self.request.reports

    @property
    def is_complete(self) -> bool:
        """Whether nothing more needs to be read."""
        return self.is_forbidden or not self.request.context.snapshot.missing

    @property
    def lacks_only_numbers(self) -> bool:
        """Whether nothing but the numbers of Serial attributes must be read. Then use `assign_numbers`."""
        return not self.is_forbidden and self.request.context.snapshot.missing.is_serials_only

    @property
    def is_blocked(self) -> bool:
        """Whether a lock of another member, or an unexpected version, stops the write."""
        issues = self.issues
        return bool(issues) and any(issue.type is IssueType.ENTITY_LOCK_PERSIST for issue in issues)

    @cached_property
    def index(self) -> EffectIndex:
        """The effects, indexed by object and by role."""
        return EffectIndex(self.effects, self.request.context.model)

    @property
    def entity(self) -> Entity | None:
        """The object of the command as the write leaves it; None if it will not exist."""
        root = self.request.context.ids.root
        for effect in self.effects:
            if isinstance(effect, ObjectEffect) and reference_of(effect) == root:
                return effect.after
        return self.request.context.snapshot.entities.get(root)


def plan_write(command: AnyCommand, context: WriteContext, *, numbering: bool) -> WritePlan:
    """Return the plan of a command, by what the snapshot contains. The snapshot notes what it lacks.

    With `numbering`, new objects get the numbers of their Serial attributes.
    """
    # 1. Expand: list the objects that the command writes, check their values, and collect requests of roles.
    request = expand(command, context)
    if context.excess is not None:
        return WritePlan(request, context.now)
    # 2. Resolve roles: combine what both sides of an association request to one key, or one link.
    links = resolve_roles(request)
    # 3. Permissions: refuse what the profile may do with no object at all, before anything else is read.
    required = () if context.access is None else required_permissions(request, context.access, command)
    if context.access is not None and (forbidden := _forbidden(context.access, required)):
        request.issues = forbidden
        return WritePlan(request, context.now, is_forbidden=True)
    # 4. Check what depends on the whole request: required roles, locks, the expected version.
    check_cardinality(request, links)
    check_locks(request, command)
    # 5. Effects: choose the start of the new versions, and make an effect for each object and link.
    instant, effects = effects_of(request, links, command, numbering=numbering)
    return WritePlan(request, instant, effects, required)


def assign_numbers(plan: WritePlan, command: AnyCommand, now: Instant) -> WritePlan:
    """Return a plan with the numbers of Serial attributes, which were all that it lacked.

    Nothing else depends on the numbers, so only the effects are made again. `now` is the instant after the
    numbers were read.
    """
    request = plan.request
    request.context = request.context._replace(now=now)
    links = tuple(effect for effect in plan.effects if isinstance(effect, LinkEffect))
    instant, effects = effects_of(request, links, command, numbering=True)
    return WritePlan(request, instant, effects, plan.required_permissions)


def _forbidden(access: Access, required: Iterable[RequiredPermission]) -> list[Issue]:
    return [issue for each in required if (issue := check_permission(access, each)) is not None]
