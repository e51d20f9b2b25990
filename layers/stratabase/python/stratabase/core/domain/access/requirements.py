"""The permissions that a write requires, and the issues of those that are missing."""

from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.access.grants import Access, Permission
from stratabase.core.domain.access.visibility import missing_grant_message, unreadable_target_message
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.core.model.model import Action
from stratabase.values.cel.expression import Expression
from stratabase.values.messages import Message, _

PermissionKey = tuple[Action, Reference, str | None]
"""The identity of a required permission: action, object, and the name of the attribute or role, if any."""


class RequiredPermission(NamedTuple):
    """An action that a write performs on an object, or on its attribute or role `field`.

    READ means reading the target of a role; then `field` is that role. `path` is the place in the request
    that causes the action. With `of_every_object`, the permission must apply to all objects of the class, so
    a grant with a condition is not enough. With `is_impossible`, an object is created that the profile can
    never complete, because it may not set all that the class requires.
    """

    action: Action
    subject: Subject
    reference: Reference
    path: Path
    field: str | None = None
    of_every_object: bool = False
    is_impossible: bool = False

    @property
    def key(self) -> PermissionKey:
        """The identity of the permission; the same one may be required at several places of a request."""
        return self.action, self.reference, self.field


def check_permission(access: Access, required: RequiredPermission) -> Issue | None:
    """Return the issue of a permission that the profile has for no object at all; otherwise None."""
    if required.action is Action.READ:
        return _target_issue(access, required)
    if required.is_impossible:
        # What is missing may be hidden from the profile, so the message doesn't name it.
        message = _(
            "The profile {profile} may not set all that a new {class_name} requires.",
            profile=access.profile,
            class_name=_name(required),
        )
        return _issue(required, message)
    permission = _permission(access, required)
    if permission is None or (
        required.action in permission.actions and not (required.of_every_object and permission.where)
    ):
        return None
    if required.action in permission.actions:
        message = _(
            "The profile {profile} has {action} permission for {name} on only some objects.",
            profile=access.profile,
            action=required.action.value,
            name=_name(required),
        )
        return _issue(required, message)
    return _issue(required, missing_grant_message(access, required.action, _name(required)))


def required_condition(access: Access, required: RequiredPermission) -> Expression | None:
    """Return the condition that the object must meet; None if the permission has no condition."""
    permission = _permission(access, required)
    return None if permission is None or required.action is Action.READ else permission.where


def unmet_condition(access: Access, required: RequiredPermission, *, was_met: bool = False) -> Issue:
    """Return the issue of an object that does not meet the condition of a permission.

    `was_met`: the object has met it before the write.
    """
    if required.field is None and not access.may_read_class(required.reference.class_name):
        # A profile that sees no object of the class must not find out which IDs exist by trying them.
        return _not_found(required)
    if was_met:
        message = _(
            "After this write, the profile {profile} would no longer have {action} permission for {name} on "
            "this object.",
            profile=access.profile,
            action=required.action.value,
            name=_name(required),
        )
        return _issue(required, message)
    message = _(
        "The profile {profile} has {action} permission for {name} on some objects, but not on this one.",
        profile=access.profile,
        action=required.action.value,
        name=_name(required),
    )
    return _issue(required, message)


def _permission(access: Access, required: RequiredPermission) -> Permission | None:
    class_name = required.reference.class_name
    return (
        access.class_permission(class_name)
        if required.field is None
        else access.field_permission(class_name, required.field)
    )


def _target_issue(access: Access, required: RequiredPermission) -> Issue | None:
    """Return the issue of a role whose target class the profile may not read; None if it may."""
    class_ = required.subject.class_
    role = class_.roles[str(required.field)]
    if access.may_read_class(role.target):
        return None
    message = unreadable_target_message(access, RoleName(class_.name, role.name))
    return required.subject.role_issue(IssueType.ROLE_GRANT_READ, message, role.name, required.path)


def _name(required: RequiredPermission) -> str:
    """Return the name of the class, attribute or role that an action concerns, for messages."""
    class_name = required.subject.class_.name
    return class_name if required.field is None else f"{class_name}.{required.field}"


def _issue(required: RequiredPermission, message: Message) -> Issue:
    subject, name, action = required.subject, required.field, required.action.value
    if name is None:
        return subject.issue(IssueType[f"ENTITY_GRANT_{action}"], message, *required.path)
    if name in subject.class_.roles:
        return subject.role_issue(IssueType[f"ROLE_GRANT_{action}"], message, name, required.path)
    return subject.attribute_issue(IssueType.ATTRIBUTE_GRANT_EDIT, message, name, path=required.path)


def _not_found(required: RequiredPermission) -> Issue:
    message = _("{object} does not exist.", object=describe_object(required.reference))
    path = replace(required.subject, path=required.path).id_path
    return required.subject.issue(IssueType.ENTITY_NOT_FOUND, message, *path)
