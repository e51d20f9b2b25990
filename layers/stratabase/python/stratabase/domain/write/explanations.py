"""Why the store refuses a change, as issues at the places of the request that are to blame.

The store tells of objects, keys and links; the request says who asked for them. A refusal that nothing in the
request could have foreseen tells that the plan relies on what is no longer so: then it is made again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.domain.access.visibility import check_comparison
from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.objects.change import Change, Creation, Effect, Modification, Restoration
from stratabase.domain.objects.commit_refusals import (
    AlreadyAssociated,
    IntegrityViolation,
    LockedByOthers,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
    TargetNotFound,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.domain.objects.entity import Reference, RoleName, State, describe_object
from stratabase.domain.objects.role_storage import opposite_name
from stratabase.domain.write.commands import ROOT_PATH
from stratabase.domain.write.locks import issue_subject, locked_issue
from stratabase.domain.write.plan import WritePlan
from stratabase.domain.write.request import WriteRequest
from stratabase.domain.write.role_requests import KeyRequest, Requester
from stratabase.formats.invalid_value import describe_value
from stratabase.formats.preferences import Formats
from stratabase.messages import Message, _, and_list, ngettext, sentences
from stratabase.model.model import Class, Unique

Holders = Mapping[RequiredRoleEmpty, Reference]
"""Of those that must lead to what is deleted, one that may be named."""
_NO_HOLDERS: Holders = MappingProxyType({})
_KeyRequestsByTarget = Mapping[tuple[RoleName, str | None], Sequence[KeyRequest]]
"""What is asked of keys, by the role and the id that it shall lead to."""
_OwnerPaths = Mapping[tuple[RoleName, str], Path]
"""By a role and the id of its owner."""


def explain(
    plan: WritePlan,
    refusal: LockedByOthers | UniqueViolation | UniqueNotBuilt | IntegrityViolation | TooLarge,
    holders: Holders = _NO_HOLDERS,
) -> list[Issue]:
    """Return the issues of a refusal."""
    if isinstance(refusal, IntegrityViolation):
        return list(_explain_integrity(plan.request, refusal, holders))
    return list(_EXPLANATIONS[type(refusal)](plan.request, refusal))


def is_outdated(plan: WritePlan, refusal: IntegrityViolation) -> bool:
    """Return whether a plan relies on what is no longer so, and is to be made again."""
    key_requests = _key_requests_by_target(plan.request)
    return any(_is_unexpected(plan.request, key_requests, violation) for violation in refusal.violations)


def _is_unexpected(
    request: WriteRequest, key_requests: _KeyRequestsByTarget, violation: RoleViolation
) -> bool:
    if isinstance(violation, TargetNotFound):
        return violation.reference in request.objects or violation.reference not in request.requested_targets
    return isinstance(violation, AlreadyAssociated) and (violation.role, violation.target) not in key_requests


def without_values(change: Change, refused: Sequence[tuple[Reference, Unique]]) -> Change:
    """Return a change without the values of some objects' uniqueness constraints."""
    cleared: dict[Reference, dict[str, None]] = defaultdict(dict)
    for reference, unique in refused:
        cleared[reference] |= dict.fromkeys(unique.attributes)
    effects = tuple(_without_values(effect, cleared) for effect in change.effects)
    return replace(change, effects=effects)


def _without_values(effect: Effect, cleared: Mapping[Reference, Mapping[str, None]]) -> Effect:
    if not isinstance(effect, Creation | Modification | Restoration) or effect.after.reference not in cleared:
        return effect
    state = {**effect.after.state, **cleared[effect.after.reference]}
    return replace(effect, after=replace(effect.after, state=state))


def _explain_locks(request: WriteRequest, refusal: LockedByOthers) -> Iterator[Issue]:
    for reference, lock in refusal.locks:
        subject, formats = issue_subject(request, request.objects[reference]), request.context.caller.formats
        yield locked_issue(IssueType.ENTITY_LOCK_PERSIST, subject, lock, formats)


def _explain_unique(request: WriteRequest, refusal: UniqueViolation) -> Iterator[Issue]:
    for reference, unique in refusal.violations:
        write = request.objects[reference]
        formats, access = request.context.caller.formats, request.context.access
        yield unique_issue(write.subject, unique, write.state, formats, access)


def unique_issue(
    subject: Subject, unique: Unique, state: State, formats: Formats, access: Access | None = None
) -> Issue:
    """Return the issue of values that must be unique and are another object's; it shows what may be read."""
    class_ = subject.class_
    hidden = [name for name in unique.attributes if access and check_comparison(access, class_, name, ())]
    values = and_list(
        name if name in hidden else f"{name} {_displayed(class_, name, state, formats)}"
        for name in unique.attributes
    )
    if len(unique.attributes) == 1:
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
    return subject.attribute_issue(IssueType.ENTITY_UNIQUE, message, *unique.attributes)


def _displayed(class_: Class, name: str, state: State, formats: Formats) -> str:
    """Return a value of an object as a message shows it."""
    value = state.get(name)
    return describe_value(None) if value is None else class_.attributes[name].type.display(value, formats)


def _explain_unique_not_built(request: WriteRequest, refusal: UniqueNotBuilt) -> Iterator[Issue]:
    return (
        unique_not_built_issue(request.objects[reference].subject, unique)
        for reference, unique in refusal.unbuilt
    )


def unique_not_built_issue(subject: Subject, unique: Unique) -> Issue:
    """Return the issue of values whose uniqueness constraint is not built yet for older objects."""
    class_ = subject.class_
    message = _(
        "{constraint} can't be checked until it is built for existing objects. "
        "Run `stratabase reindex {class_name}`.",
        constraint=f"{class_.name} @unique({', '.join(unique.attributes)})",
        class_name=class_.name,
    )
    return subject.attribute_issue(IssueType.ENTITY_UNIQUE, message, *unique.attributes)


def _explain_size(request: WriteRequest, refusal: TooLarge) -> Iterator[Issue]:
    write = request.objects[refusal.reference or request.context.ids.root]
    message, advice = refusal.message, _advice(request, refusal)
    if advice is not None:
        message = sentences([message, advice])
    yield write.subject.issue(IssueType.MALFORMED_REQUEST, message, *write.subject.path)


def _advice(request: WriteRequest, refusal: TooLarge) -> Message | None:
    """Return how to write less at once, if that is of a role that the caller may know of."""
    if refusal.cause is None:
        return None
    role, most = refusal.cause
    access = request.context.access
    if access is not None and not access.may_follow(role.class_name, request.role(role)):
        return None
    return ngettext(
        "Add or remove at most {count} object in {role} at a time.",
        "Add or remove at most {count} objects in {role} at a time.",
        most,
        role=str(role),
    )


_EXPLANATIONS: Mapping[type[Exception], Callable[[WriteRequest, Any], Iterator[Issue]]] = {
    LockedByOthers: _explain_locks,
    UniqueViolation: _explain_unique,
    UniqueNotBuilt: _explain_unique_not_built,
    TooLarge: _explain_size,
}


class _LossPaths:
    """What a request takes away, each thing looked for once, however many objects lose something."""

    def __init__(self, request: WriteRequest) -> None:
        self._request = request

    def place(self, reference: Reference, name: RoleName) -> Path:
        """Return where an object's role is spoken of, or else where what it led to ends or moves."""
        write = self._request.objects.get(reference)
        if write is not None and name.role_name in write.role_paths:
            return write.role_paths[name.role_name]
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
        """Where keys that led to an object are asked to lead elsewhere."""
        found: dict[tuple[RoleName, str], Path] = {}
        for (holder, key), requests in self._request.key_requests.items():
            write, back = self._request.objects.get(holder), opposite_name(self._request.role(key))
            was = None if write is None else write.value_before(key.role_name)
            if back is not None and isinstance(was, str):
                found.setdefault((back, was), requests.last.requester.path)
        return found

    @cached_property
    def _by_removed_link(self) -> _OwnerPaths:
        """Where links of an object are asked to end."""
        found: dict[tuple[RoleName, str], Path] = {}
        for link_key, requests in self._request.link_requests.items():
            for requester in requests.removals[:1]:
                found.setdefault((link_key.role, link_key.owner), requester.path)
                back = opposite_name(self._request.role(link_key.role))
                if back is not None:
                    found.setdefault((back, link_key.other), requester.path)
        return found

    @cached_property
    def _by_deleted_object(self) -> Mapping[str, Path]:
        """Where the first object of a class ends."""
        found: dict[str, Path] = {}
        for write in self._request.objects.values():
            if write.is_deleted:
                found.setdefault(write.reference.class_name, write.subject.path)
        return found


class _Traces(NamedTuple):
    """Where a request asks for what is refused; found once for all that is."""

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
    if request.role(name).holds_key:
        yield _target_required(request, violation, traces.holders.get(violation))
        return
    id_ = reference.id if request.may_identify(reference) else None
    requester = Requester(Subject(request.class_(reference.class_name), id_), name.role_name)
    place = traces.loss_paths.place(reference, name)
    if not request.has_error_at(place):
        named = _named(request, reference)
        if request.role(name).many:
            message = _(
                "This write would leave {object} without any objects in this role. At least one is required.",
                object=named,
            )
        else:
            message = _(
                "This write would leave {object} without an object in this role. One is required.",
                object=named,
            )
        yield requester.cardinality_issue(message, place)


def _named(request: WriteRequest, reference: Reference) -> str:
    """Return an object as a message names it; not by its id, where that would be news."""
    if request.may_identify(reference):
        return describe_object(reference)
    return _("another {class_name}", class_name=reference.class_name)


def _target_required(request: WriteRequest, violation: RequiredRoleEmpty, holder: Reference | None) -> Issue:
    """Return the issue of an object that is deleted while others must lead to it; `holder`: one of these."""
    reference, name = violation
    named = _named(request, reference)
    if holder is None:
        message = _(
            "You can't delete {object} because at least one {class_name} requires it.",
            object=named,
            class_name=name.class_name,
        )
    else:
        message = _(
            "You can't delete {object} because {other} requires it.",
            object=named,
            other=describe_object(holder),
        )
    subject = Subject(request.class_(name.class_name), None if holder is None else holder.id)
    requester = Requester(subject, name.role_name)
    return requester.cardinality_issue(message, request.objects[reference].subject.path)


def _role_not_built(request: WriteRequest, violation: RoleNotBuilt, traces: _Traces) -> Iterator[Issue]:
    reference, name = violation
    class_ = request.class_(reference.class_name)
    write = request.objects.get(reference)
    access = request.context.access
    if access is None or access.always_shows(*name):
        message = _(
            "The required role {role} can't be checked until it is built for existing objects. "
            "Run `stratabase reindex {class_name}`.",
            role=str(name),
            class_name=name.class_name,
        )
    else:
        message = _(
            "A required role can't be checked until it is built for existing objects. "
            "Run `stratabase reindex`."
        )
    if write is not None and write.is_deleted:
        subject, place = issue_subject(request, write), write.subject.path
        labeled = _("{class_name}: {message}", class_name=class_.name, message=message)
        yield subject.issue(IssueType.ROLE_CARDINALITY, labeled, *place)
        return
    id_ = reference.id if request.may_identify(reference) else None
    requester = Requester(Subject(class_, id_), name.role_name)
    place = traces.loss_paths.place(reference, name)
    if not request.has_error_at(place):
        yield requester.cardinality_issue(message, place)


def _already_associated(
    request: WriteRequest, violation: AlreadyAssociated, traces: _Traces
) -> Iterator[Issue]:
    target = Reference(request.role(violation.role).target, violation.target)
    key_requests = traces.key_requests.get((violation.role, violation.target), ())
    if any(request.has_error_at(each.requester.path) for each in key_requests):
        return
    for each in key_requests:
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
    """Return who asks by its own key for a partner; other ways to one that is taken know who has it.

    But who must not see all objects may not know, whichever way is taken.
    """
    found: dict[tuple[RoleName, str | None], list[KeyRequest]] = defaultdict(list)
    for (_holder, name), requests in request.key_requests.items():
        for each in (
            requests.own if request.context.access is None else (*requests.assignments, *requests.own)
        ):
            found[name, each.id].append(each)
    return found
