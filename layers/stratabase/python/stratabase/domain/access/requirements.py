"""What a write needs to be allowed."""

from dataclasses import replace
from typing import NamedTuple

from stratabase.domain.access.grants import Access, Permission
from stratabase.domain.access.visibility import missing_grant_message, unreadable_target_message
from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.expressions.expression import Expression
from stratabase.messages import Message, _
from stratabase.model.model import Action

PermissionKey = tuple[Action, Reference, str | None]
"""What tells a requirement from others."""


class RequiredPermission(NamedTuple):
    """An action on an object, or on an attribute or role of it (`member`), and where the request asks for it.

    READ is asked of what a role shall lead to: then `member` is that role. `of_every_object`: it is about all
    objects of the class, so that a grant for some of them is not enough.
    """

    action: Action
    subject: Subject
    reference: Reference
    path: Path
    member: str | None = None
    of_every_object: bool = False

    @property
    def key(self) -> PermissionKey:
        """What tells it from others."""
        return self.action, self.reference, self.member


def check_permission(access: Access, requirement: RequiredPermission) -> Issue | None:
    """Return the issue of what is allowed with no object, None of what is with some."""
    if requirement.action is Action.READ:
        return _of_target(access, requirement)
    allowed = _allowed(access, requirement)
    if allowed is None or (
        requirement.action in allowed.actions and not (requirement.of_every_object and allowed.where)
    ):
        return None
    if requirement.action in allowed.actions:
        message = _(
            "The profile {profile} has {action} permission for {name} on only some objects.",
            profile=access.profile,
            action=requirement.action.value,
            name=_name(requirement),
        )
        return _issue(requirement, message)
    return _issue(requirement, missing_grant_message(access, requirement.action, _name(requirement)))


def required_condition(access: Access, requirement: RequiredPermission) -> Expression | None:
    """Return what must hold for the object, where something must."""
    allowed = _allowed(access, requirement)
    return None if allowed is None or requirement.action is Action.READ else allowed.where


def unmet_condition(access: Access, requirement: RequiredPermission) -> Issue:
    """Return the issue of an object for which the condition does not hold."""
    if requirement.member is None and not access.may_read_class(requirement.reference.class_name):
        # Whoever sees no object must not find out by trying which there are.
        return _not_found(requirement)
    message = _(
        "The profile {profile} has {action} permission for {name} on some objects, but not on this one.",
        profile=access.profile,
        action=requirement.action.value,
        name=_name(requirement),
    )
    return _issue(requirement, message)


def _allowed(access: Access, requirement: RequiredPermission) -> Permission | None:
    class_name = requirement.reference.class_name
    return (
        access.class_permission(class_name)
        if requirement.member is None
        else access.member_permission(class_name, requirement.member)
    )


def _of_target(access: Access, requirement: RequiredPermission) -> Issue | None:
    class_ = requirement.subject.class_
    role = class_.roles[str(requirement.member)]
    if access.may_read_class(role.target):
        return None
    message = unreadable_target_message(access, RoleName(class_.name, role.name), role.target)
    return requirement.subject.role_issue(IssueType.ROLE_GRANT_READ, message, role.name, requirement.path)


def _name(requirement: RequiredPermission) -> str:
    """Return the class, attribute or role that an action is on, as messages name it."""
    class_name = requirement.subject.class_.name
    return class_name if requirement.member is None else f"{class_name}.{requirement.member}"


def _issue(requirement: RequiredPermission, message: Message) -> Issue:
    subject, name, action = requirement.subject, requirement.member, requirement.action.value
    if name is None:
        return subject.issue(IssueType[f"ENTITY_GRANT_{action}"], message, *requirement.path)
    if name in subject.class_.roles:
        return subject.role_issue(IssueType[f"ROLE_GRANT_{action}"], message, name, requirement.path)
    return subject.attribute_issue(IssueType.ATTRIBUTE_GRANT_EDIT, message, name, path=requirement.path)


def _not_found(requirement: RequiredPermission) -> Issue:
    message = _("{object} does not exist.", object=describe_object(requirement.reference))
    path = replace(requirement.subject, path=requirement.path).id_path
    return requirement.subject.issue(IssueType.ENTITY_NOT_FOUND, message, *path)
