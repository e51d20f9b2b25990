"""The plan of a write: the effects of a command, and everything that is wrong with it.

Before it is planned, a command must keep some limits, because planning a larger one takes seconds. A plan
also tells the objects and attributes that it changes, for which the model's warnings are evaluated.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.requirements import RequiredPermission, check_permission
from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.objects.change import (
    Creation,
    Deletion,
    Effect,
    EffectIndex,
    LinkEffect,
    LinkMove,
    Modification,
    ObjectEffect,
    Restoration,
    reference_of,
)
from stratabase.core.domain.objects.entity import Entity, Reference, opposite_name
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.checks import check_cardinality, check_locks
from stratabase.core.domain.write.commands import (
    AnyCommand,
    Create,
    Delete,
    PlacedCommand,
    RequestIds,
    Restore,
)
from stratabase.core.domain.write.effects import effects_of
from stratabase.core.domain.write.expand import expand
from stratabase.core.domain.write.limits import (
    MAX_OBJECT_BYTES,
    MAX_OBJECTS_PER_COMMAND,
    MAX_TEXT_PER_COMMAND,
)
from stratabase.core.domain.write.permissions import required_permissions
from stratabase.core.domain.write.request import WriteContext, WriteRequest
from stratabase.core.domain.write.roles import resolve_roles
from stratabase.core.model.dependencies import ClassField
from stratabase.core.model.model import Model
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _


@frozen
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
    _index: EffectIndex | None = field(default=None, init=False, compare=False, repr=False)

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
        return self.is_forbidden or self.request.context.snapshot.is_complete

    @property
    def lacks_only_numbers(self) -> bool:
        """Whether nothing but the numbers of Serial attributes must be read. Then use `assign_numbers`."""
        return not self.is_forbidden and self.request.context.snapshot.missing.is_serials_only

    @property
    def is_blocked(self) -> bool:
        """Whether a lock of another member, or an unexpected version, stops the write."""
        issues = self.issues
        return bool(issues) and any(issue.type is IssueType.ENTITY_LOCK_PERSIST for issue in issues)

    @property
    def index(self) -> EffectIndex:
        """The effects, indexed by object and by role. It is made once."""
        index = self._index
        if index is None:
            index = EffectIndex(self.effects, self.request.context.model)
            object.__setattr__(self, "_index", index)
        return index

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
    links = resolve_roles(request) if request.key_requests or request.link_requests else ()
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


def find_excess(command: AnyCommand, ids: RequestIds, model: Model) -> Issue | None:
    """Return the issue of a command that refers to too many objects, or whose texts are too long.

    Nothing else is tested of such a command.
    """
    if ids.count > MAX_OBJECTS_PER_COMMAND:
        return _issue_of_command(command, ids, model, _too_many_objects(ids.count))
    total = 0
    for placed in ids.commands:
        size = _text_size(placed)
        if size > MAX_OBJECT_BYTES and (issue := _issue_of_object(placed, ids, model, size)):
            return issue
        total += size
    if total > MAX_TEXT_PER_COMMAND:
        return _issue_of_command(command, ids, model, _too_long_texts(total))
    return None


def _text_size(placed: PlacedCommand) -> int:
    """Return the characters of an object's new values. In bytes, the object has at least as many."""
    return sum([len(value) for value in placed.command.values.values() if value.__class__ is str])


def _issue_of_object(placed: PlacedCommand, ids: RequestIds, model: Model, size: int) -> Issue | None:
    """Return the issue of an object with so many characters; None for one that is not stored."""
    command, path = placed
    if isinstance(command, Create):
        class_, id_ = model.classes[command.class_name], None
    else:
        reference = ids.resolve(command.reference)
        class_, id_ = model.classes[reference.class_name], reference.id
    if not class_.is_stored:
        return None
    message = _(
        "The {class_name} has at least {size} bytes. The maximum is {maximum} bytes.",
        class_name=class_.name,
        size=size,
        maximum=MAX_OBJECT_BYTES,
    )
    return Subject(class_, id_, command.client_id, path).issue(IssueType.MALFORMED_REQUEST, message, *path)


def _issue_of_command(command: AnyCommand, ids: RequestIds, model: Model, message: Message) -> Issue:
    id_ = None if isinstance(command, Create) else ids.root.id
    client_id = None if isinstance(command, Delete | Restore) else command.client_id
    subject = Subject(model.classes[ids.root.class_name], id_, client_id)
    return subject.issue(IssueType.MALFORMED_REQUEST, message, *subject.path)


def _too_many_objects(number: int) -> Message:
    return _(
        "The request refers to {number} objects. The maximum is {maximum}.",
        number=number,
        maximum=MAX_OBJECTS_PER_COMMAND,
    )


def _too_long_texts(size: int) -> Message:
    return _(
        "The texts of the objects have {size} characters in total. The maximum is {maximum}. "
        "Write fewer objects in one request.",
        size=size,
        maximum=MAX_TEXT_PER_COMMAND,
    )


class AffectedObject(NamedTuple):
    """An object that exists after the write, with the place in the request where a warning is reported."""

    subject: Subject
    reference: Reference
    written: bool
    """Whether the object is created or its own state changes; otherwise only its associations may change."""


def affected_objects(plan: WritePlan) -> list[AffectedObject]:
    """Return the affected objects in the order of the request, without deleted ones.

    The result is empty if the write has no effects.
    """
    if not plan.effects:
        return []
    request, written = plan.request, plan.index.objects
    found = {
        write.reference: AffectedObject(write.subject, write.reference, write.reference in written)
        for write in request.objects.values()
        if not write.is_deleted
    }
    for move in _moves(plan):
        reference = Reference(move.role.class_name, move.owner)
        if reference not in request.objects and reference not in found:
            found[reference] = _led_to(plan, move, reference)
    return list(found.values())


def changed_fields(plan: WritePlan) -> frozenset[ClassField]:
    """Return the attributes and roles that change in some object. Deletions do not count."""
    values = (
        (reference.class_name, name)
        for reference, effect in _after(plan)
        for name, value in effect.after.state.items()
        if effect.before is None or effect.before.state.get(name) != value
    )
    roles = ((move.role.class_name, move.role.role_name) for move in _moves(plan))
    return frozenset(values).union(roles)


def _after(plan: WritePlan) -> Iterator[tuple[Reference, Creation | Modification | Restoration]]:
    """Yield the written objects that exist after the write, each with its effect."""
    for reference, effect in plan.index.objects.items():
        if not isinstance(effect, Deletion):
            yield reference, effect


def _moves(plan: WritePlan) -> Iterator[LinkMove]:
    """Yield the associations that begin or end, except those that end because the other object is deleted."""
    for move in plan.index.moves:
        opposite = opposite_name(plan.request.role(move.role))
        if opposite is None or not plan.index.is_deleted(Reference(opposite.class_name, move.other)):
            yield move


def _led_to(plan: WritePlan, move: LinkMove, reference: Reference) -> AffectedObject:
    """Return an object that is not in the request, at the place of the object that leads or led to it."""
    request, opposite = plan.request, opposite_name(plan.request.role(move.role))
    assert opposite is not None, "an object whose role leads one way speaks for itself"
    requester = request.objects[Reference(opposite.class_name, move.other)]
    id_ = reference.id if request.may_identify(reference) else None
    subject = Subject(request.class_(reference.class_name), id_, path=requester.role_path(opposite.role_name))
    return AffectedObject(subject, reference, written=False)
