"""Refusals of the store as issues, at the places of the request that cause them.

A refusal names objects, keys and links; the request knows which of its roles concern them. If nothing in the
request can explain a refusal, the plan is outdated and must be made again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_comparable
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.objects.change import Change, Creation, Effect, Modification, Restoration
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    IntegrityViolation,
    LockedByOthers,
    ObjectTooLarge,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
    TargetNotFound,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import Reference, RoleName, State, describe_object, opposite_name
from stratabase.core.domain.write.checks import issue_subject, locked_issue
from stratabase.core.domain.write.commands import ROOT_PATH
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.role_requests import KeyRequest, RoleSubject
from stratabase.core.model.model import Class, Role, Unique
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import Message, _, and_list, ngettext, sentences

Holders = Mapping[RequiredRoleEmpty, Reference]
"""For a required role that a deletion would break: an object with that role that a message may name."""
_NO_HOLDERS: Holders = MappingProxyType({})
_KeyRequestsByTarget = Mapping[tuple[RoleName, str | None], Sequence[KeyRequest]]
"""The requests about keys, by role and ID of the requested target."""
_OwnerPaths = Mapping[tuple[RoleName, str], Path]
"""A path by role and ID of its owner."""


def explain(
    plan: WritePlan,
    refusal: LockedByOthers | UniqueViolation | UniqueNotBuilt | IntegrityViolation | TooLarge,
    holders: Holders = _NO_HOLDERS,
) -> list[Issue]:
    """Return the issues that explain a refusal."""
    if isinstance(refusal, IntegrityViolation):
        return list(_explain_integrity(plan.request, refusal, holders))
    return list(_EXPLANATIONS[type(refusal)](plan.request, refusal))


def is_outdated(plan: WritePlan, refusal: IntegrityViolation) -> bool:
    """Return whether a plan relies on facts that no longer hold, so that it must be made again."""
    key_requests = _key_requests_by_target(plan.request)
    return any(_is_unexpected(plan.request, key_requests, violation) for violation in refusal.violations)


def _is_unexpected(
    request: WriteRequest, key_requests: _KeyRequestsByTarget, violation: RoleViolation
) -> bool:
    # An object that the request writes existed when the plan was made, and no role of the request explains an
    # object that it does not refer to.
    if isinstance(violation, TargetNotFound):
        return violation.reference in request.objects or violation.reference not in request.requested_targets
    return isinstance(violation, AlreadyAssociated) and (violation.role, violation.target) not in key_requests


def without_values(plan: WritePlan, change: Change, refused: Sequence[tuple[Reference, Unique]]) -> Change:
    """Return a change without the values of the uniqueness constraints that some objects violate.

    The store can then check the rest of the change, so that the client learns of all issues at once. A
    constraint of roles and attributes loses only its attributes, because cleared keys could violate roles.
    """
    cleared: dict[Reference, dict[str, None]] = defaultdict(dict)
    for reference, unique in refused:
        roles = plan.request.class_(reference.class_name).roles
        attributes = [name for name in unique.attributes if name not in roles]
        cleared[reference] |= dict.fromkeys(attributes or unique.attributes)
    effects = tuple(_without_values(plan, effect, cleared) for effect in change.effects)
    return replace(change, effects=effects)


def _without_values(
    plan: WritePlan, effect: Effect, cleared: Mapping[Reference, Mapping[str, None]]
) -> Effect:
    if not isinstance(effect, Creation | Modification | Restoration) or effect.after.reference not in cleared:
        return effect
    names = cleared[effect.after.reference]
    before: State = {} if effect.before is None else effect.before.state
    roles = plan.request.class_(effect.after.reference.class_name).roles
    former = {name: before.get(name) if name in roles else None for name in names}
    return replace(effect, after=replace(effect.after, state={**effect.after.state, **former}))


def _explain_locks(request: WriteRequest, refusal: LockedByOthers) -> Iterator[Issue]:
    for reference, lock in refusal.locks:
        subject, formats = issue_subject(request, request.objects[reference]), request.context.caller.formats
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, subject, lock, formats)


def _explain_unique(request: WriteRequest, refusal: UniqueViolation) -> Iterator[Issue]:
    for reference, unique in refusal.violations:
        write = request.objects[reference]
        yield _unique_issue(request, write, unique, within_request=refusal.within_change)


def _unique_issue(
    request: WriteRequest, write: ObjectWrite, unique: Unique, *, within_request: bool
) -> Issue:
    """Return the issue of values that must be unique. It shows only values that the caller may read."""
    class_ = write.subject.class_
    named = _readable_names(request.context.access, class_, unique)
    values = and_list(
        f"{name} {value}" if (value := _displayed(request, write, name)) else name for name in named
    )
    if within_request and named != unique.attributes:
        message = _(
            "Another {class_name} of this request has the same values, of which at least one must differ.",
            class_name=class_.name,
        )
    elif within_request:
        message = _(
            "Another {class_name} of this request has the same {values}. At least one value must differ.",
            class_name=class_.name,
            values=values,
        )
    elif named != unique.attributes:
        message = _(
            "Another {class_name} already has the same values, of which at least one must differ.",
            class_name=class_.name,
        )
    elif len(unique.attributes) == 1:
        message = _(
            "Another {class_name} already has the same {value}. {attribute} must be unique.",
            class_name=class_.name,
            value=values,
            attribute=unique.attributes[0],
        )
    else:
        message = _(
            "Another {class_name} already has the same {values}. The combination must be unique.",
            class_name=class_.name,
            values=values,
        )
    return _issue_of_unique(write.subject, named, message, _path_of_unique(write, unique))


def _readable_names(access: Access | None, class_: Class, unique: Unique) -> tuple[str, ...]:
    """Return the attributes and roles of a constraint that the caller may know."""
    if access is None:
        return unique.attributes
    return tuple(
        name
        for name in unique.attributes
        if (
            access.may_follow(class_.name, class_.roles[name])
            if name in class_.roles
            else access.read_obstacle(class_.name, name) is None
        )
    )


def _displayed(request: WriteRequest, write: ObjectWrite, name: str) -> str | None:
    """Return an object's value as a message shows it, None if the message must not show it."""
    class_, value, access = write.subject.class_, write.state.get(name), request.context.access
    role = class_.roles.get(name)
    if role is None:
        if access is not None and check_comparable(access, class_, name, ()):
            return None
        formats = request.context.caller.formats
        return describe_value(None) if value is None else class_.attributes[name].type.display(value, formats)
    target = Reference(role.target, str(value))
    # The client does not know the ID of a new object. The caller may see the object, but not its target.
    if request.is_new(target) or not (request.may_identify(target) or _shows_targets(access, class_, role)):
        return None
    return describe_value(value)


def _shows_targets(access: Access | None, class_: Class, role: Role) -> bool:
    """Return whether the caller may see what a role leads to, whatever it is."""
    if access is None:
        return True
    return access.always_shows(class_.name, role.name) and access.sees_every_object(role.target)


def _path_of_unique(write: ObjectWrite, unique: Unique) -> Path:
    """Return the place of the request that sets one of the values that must be unique."""
    roles, subject = write.subject.class_.roles, write.subject
    moved = (path for name in unique.attributes if (path := write.role_paths.get(name)) == subject.path)
    if (path := next(moved, None)) is not None:  # the other side of the association has set the key
        return path
    written = (name for name in unique.attributes if name not in roles or not roles[name].whole)
    return next((write.role_path(name) for name in written), subject.path)


def _issue_of_unique(subject: Subject, named: tuple[str, ...], message: Message, path: Path) -> Issue:
    """Return an issue about a uniqueness constraint of an object, with its named attributes and roles."""
    roles = tuple(name for name in named if name in subject.class_.roles)
    attributes = tuple(name for name in named if name not in roles)
    if not named:
        return subject.issue(IssueType.ENTITY_UNIQUE, message, *subject.path)
    if not attributes:
        issue = subject.role_issue(IssueType.ENTITY_UNIQUE, message, roles[0], path)
    else:
        issue = subject.attribute_issue(IssueType.ENTITY_UNIQUE, message, *attributes, path=path)
    return replace(issue, role_names=roles)


def _explain_unique_not_built(request: WriteRequest, refusal: UniqueNotBuilt) -> Iterator[Issue]:
    return (
        _unique_not_built_issue(request, request.objects[reference], unique)
        for reference, unique in refusal.unbuilt
    )


def _unique_not_built_issue(request: WriteRequest, write: ObjectWrite, unique: Unique) -> Issue:
    """Return the issue of a uniqueness constraint that is not built yet for existing objects."""
    class_ = write.subject.class_
    named = _readable_names(request.context.access, class_, unique)
    message = _(
        "{constraint} can't be checked until it is built for existing objects. "
        "Run `stratabase reindex {class_name}`.",
        constraint=f"{class_.name} @unique({', '.join(named) if named == unique.attributes else '…'})",
        class_name=class_.name,
    )
    return _issue_of_unique(write.subject, named, message, _path_of_unique(write, unique))


def _explain_size(request: WriteRequest, refusal: TooLarge) -> Iterator[Issue]:
    write = request.objects[refusal.reference or request.context.ids.root]
    message, advice = refusal.message, _advice(request, refusal)
    if advice is not None:
        message = sentences([message, advice])
    yield write.subject.issue(IssueType.MALFORMED_REQUEST, message, *write.subject.path)


def _advice(request: WriteRequest, refusal: TooLarge) -> Message | None:
    """Return how to split the write, if one role accounts for its size and the caller may know that role."""
    if refusal.cause is None:
        return None
    role, max_links = refusal.cause
    access = request.context.access
    if access is not None and not access.may_follow(role.class_name, request.role(role)):
        return None
    return ngettext(
        "Add or remove at most {count} object in {role} at a time.",
        "Add or remove at most {count} objects in {role} at a time.",
        max_links,
        role=str(role),
    )


_EXPLANATIONS: Mapping[type[Exception], Callable[[WriteRequest, Any], Iterator[Issue]]] = {
    LockedByOthers: _explain_locks,
    UniqueViolation: _explain_unique,
    UniqueNotBuilt: _explain_unique_not_built,
    TooLarge: _explain_size,
    ObjectTooLarge: _explain_size,
}


class _LossPaths:
    """The places of a request that take objects away from roles. Each kind is searched once."""

    def __init__(self, request: WriteRequest) -> None:
        self._request = request

    def path_of(self, reference: Reference, name: RoleName) -> Path:
        """Return the path of an object's role, or of what takes an object away from it."""
        write = self._request.objects.get(reference)
        if write is not None and name.role_name in write.role_paths:
            return write.role_paths[name.role_name]
        # Otherwise look for the cause from the most to the least specific one.
        owned = (name, reference.id)
        target = self._request.role(name).target
        return (
            self._by_moved_key.get(owned)
            or self._by_removed_link.get(owned)
            or self._by_deleted_object.get(target)
            or ROOT_PATH
        )

    @cached_property
    def _by_moved_key(self) -> _OwnerPaths:
        """The paths that move a key away from the object that it leads to."""
        paths: dict[tuple[RoleName, str], Path] = {}
        for (holder, key), requests in self._request.key_requests.items():
            write, opposite = self._request.objects.get(holder), opposite_name(self._request.role(key))
            former_id = None if write is None else write.value_before(key.role_name)
            if opposite is not None and isinstance(former_id, str):
                paths.setdefault((opposite, former_id), requests.last.requester.path)
        return paths

    @cached_property
    def _by_removed_link(self) -> _OwnerPaths:
        """The paths that remove a link of an object."""
        paths: dict[tuple[RoleName, str], Path] = {}
        for link_key, requests in self._request.link_requests.items():
            for requester in requests.removals[:1]:
                paths.setdefault((link_key.role, link_key.owner), requester.path)
                opposite = opposite_name(self._request.role(link_key.role))
                if opposite is not None:
                    paths.setdefault((opposite, link_key.other), requester.path)
        return paths

    @cached_property
    def _by_deleted_object(self) -> Mapping[str, Path]:
        """By class: the path of the first deletion."""
        paths: dict[str, Path] = {}
        for write in self._request.objects.values():
            if write.is_deleted:
                paths.setdefault(write.reference.class_name, write.subject.path)
        return paths


class _Traces(NamedTuple):
    """What is needed to find the causes of violations, built once for all violations."""

    key_requests: _KeyRequestsByTarget
    loss_paths: _LossPaths
    holders: Holders


def _explain_integrity(
    request: WriteRequest, refusal: IntegrityViolation, holders: Holders
) -> Iterator[Issue]:
    traces = _Traces(_key_requests_by_target(request), _LossPaths(request), holders)
    for violation in refusal.violations:
        yield from _VIOLATION_EXPLANATIONS[type(violation)](request, violation, traces)


def _target_not_found(request: WriteRequest, violation: TargetNotFound, _traces: _Traces) -> Iterator[Issue]:
    reference = violation.reference
    requesters = request.requested_targets.get(reference, ())
    return (
        requester.not_found_issue(reference)
        for requester in requesters
        if (reference, requester.path) not in request.reported_missing
    )


def _role_empty(request: WriteRequest, violation: RequiredRoleEmpty, traces: _Traces) -> Iterator[Issue]:
    reference, name = violation
    # Other objects hold a required key to this one, so the deletion of this one is the cause.
    if request.role(name).holds_key:
        yield _target_required(request, violation, traces.holders.get(violation))
        return
    id_ = reference.id if request.may_identify(reference) else None
    requester = RoleSubject(Subject(request.class_(reference.class_name), id_), name.role_name)
    path = traces.loss_paths.path_of(reference, name)
    access = request.context.access
    if access is not None and not access.may_know(*name):
        if not request.has_error_at(path):
            message = _("This write would leave another object without an object that it requires.")
            yield Issue(IssueType.ROLE_CARDINALITY, message, path=path)
        return
    if not request.has_error_at(path):
        object_name = _object_name(request, reference)
        if request.role(name).many:
            message = _(
                "This write would leave {object} without any objects in this role. At least one is required.",
                object=object_name,
            )
        else:
            message = _(
                "This write would leave {object} without an object in this role. One is required.",
                object=object_name,
            )
        yield requester.cardinality_issue(message, path)


def _object_name(request: WriteRequest, reference: Reference) -> str:
    """Return an object's name for a message, without its ID if the caller must not learn it."""
    if request.may_identify(reference):
        return describe_object(reference)
    return _("another {class_name}", class_name=reference.class_name)


def _target_required(request: WriteRequest, violation: RequiredRoleEmpty, holder: Reference | None) -> Issue:
    """Return the issue of deleting an object that others require. `holder` is one of them."""
    reference, name = violation
    object_name, own = _object_name(request, reference), request.objects[reference].subject
    access = request.context.access
    if access is not None and not access.may_know(*name):
        message = _(
            "You can't delete {object} because at least one other object requires it.", object=object_name
        )
        return own.issue(IssueType.ROLE_CARDINALITY, message, *own.path)
    if holder is None:
        message = _(
            "You can't delete {object} because at least one {class_name} requires it.",
            object=object_name,
            class_name=name.class_name,
        )
    else:
        message = _(
            "You can't delete {object} because {other} requires it.",
            object=object_name,
            other=describe_object(holder),
        )
    subject = Subject(request.class_(name.class_name), None if holder is None else holder.id)
    requester = RoleSubject(subject, name.role_name)
    return requester.cardinality_issue(message, own.path)


def _role_not_built(request: WriteRequest, violation: RoleNotBuilt, traces: _Traces) -> Iterator[Issue]:
    reference, name = violation
    class_ = request.class_(reference.class_name)
    write = request.objects.get(reference)
    access = request.context.access
    is_named = access is None or access.always_shows(*name)
    if write is not None and write.is_deleted:
        message = _not_built_message(name if is_named else None, required=request.role(name).required)
        subject, path = issue_subject(request, write), write.subject.path
        labeled = _("{class_name}: {message}", class_name=class_.name, message=message)
        yield subject.issue(IssueType.ROLE_CARDINALITY, labeled, *path)
        return
    id_ = reference.id if request.may_identify(reference) else None
    requester = RoleSubject(Subject(class_, id_), name.role_name)
    path = traces.loss_paths.path_of(reference, name)
    if not request.has_error_at(path):
        # The issue begins with the name of the role.
        message = _not_built_message(None, required=request.role(name).required)
        yield requester.cardinality_issue(message, path)


def _not_built_message(name: RoleName | None, *, required: bool) -> Message:
    """Return the message about a role that is not built yet. `name`: None if it must not name the role."""
    if not required:
        if name is None:
            return _(
                "A role can't be changed until it is built for existing objects. Run `stratabase reindex`."
            )
        return _(
            "{role} can't be changed until it is built for existing objects. Run `stratabase reindex`.",
            role=str(name),
        )
    if name is None:
        return _(
            "A required role can't be checked until it is built for existing objects. "
            "Run `stratabase reindex`."
        )
    return _(
        "The required role {role} can't be checked until it is built for existing objects. "
        "Run `stratabase reindex {class_name}`.",
        role=str(name),
        class_name=name.class_name,
    )


def _already_associated(
    request: WriteRequest, violation: AlreadyAssociated, traces: _Traces
) -> Iterator[Issue]:
    target = Reference(request.role(violation.role).target, violation.target)
    key_requests = traces.key_requests.get((violation.role, violation.target), ())
    if any(request.has_error_at(each.requester.path) for each in key_requests):
        return
    for each in key_requests:
        # A restoration may lead to a former target whose ID the caller must not learn.
        if each.requester.path not in request.confidential_paths:
            message = _(
                "Another {class_name} is already associated with {object}. Only one is allowed.",
                class_name=violation.role.class_name,
                object=describe_object(target),
            )
        else:
            message = _(
                "Another {class_name} is already associated with the previous {target} of this role. "
                "Only one is allowed.",
                class_name=violation.role.class_name,
                target=target.class_name,
            )
        yield each.requester.cardinality_issue(message)


_VIOLATION_EXPLANATIONS: Mapping[
    type[RoleViolation], Callable[[WriteRequest, Any, _Traces], Iterator[Issue]]
] = {
    TargetNotFound: _target_not_found,
    RequiredRoleEmpty: _role_empty,
    AlreadyAssociated: _already_associated,
    RoleNotBuilt: _role_not_built,
}


def _key_requests_by_target(request: WriteRequest) -> _KeyRequestsByTarget:
    """Return the requests that may find a partner already taken.

    Only a key's own request does, because requests from the other side know the partner's key. For a caller
    who may not see all objects, these count too: the partner may be hidden.
    """
    key_requests: dict[tuple[RoleName, str | None], list[KeyRequest]] = defaultdict(list)
    for (_holder, name), requests in request.key_requests.items():
        for each in (
            requests.own if request.context.access is None else (*requests.assignments, *requests.own)
        ):
            key_requests[name, each.id].append(each)
    return key_requests
