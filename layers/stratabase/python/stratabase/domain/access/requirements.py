"""What a write needs to be allowed."""

from dataclasses import replace
from typing import NamedTuple

from stratabase.domain.access.grants import Access, Permission
from stratabase.domain.access.visibility import missing_grant
from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.objects.entity import Reference
from stratabase.expressions.expression import Expression
from stratabase.formats.invalid_value import describe_value
from stratabase.model.model import Action

RequirementKey = tuple[Action, Reference, str | None]
"""What tells a requirement from others."""


class Requirement(NamedTuple):
    """An action on an object, or on an attribute or role of it (`member`), and where the request asks for it.

    READ is asked of what a role shall lead to: then `member` is that role. `of_all`: it is about all objects
    of the class, so that a grant for some of them is not enough.
    """

    action: Action
    subject: Subject
    reference: Reference
    path: Path
    member: str | None = None
    of_every_object: bool = False

    @property
    def key(self) -> RequirementKey:
        """What tells it from others."""
        return self.action, self.reference, self.member


def check_requirement(access: Access, requirement: Requirement) -> Issue | None:
    """Return the issue of what is allowed with no object, None of what is with some."""
    if requirement.action is Action.READ:
        return _of_target(access, requirement)
    allowed = _allowed(access, requirement)
    if allowed is None or (
        requirement.action in allowed.actions and not (requirement.of_every_object and allowed.where)
    ):
        return None
    if requirement.action in allowed.actions:
        text = f"the profile {access.profile} has the grant {requirement.action.value} for some objects only"
        return _issue(requirement, text)
    return _issue(requirement, missing_grant(access, requirement.action))


def required_condition(access: Access, requirement: Requirement) -> Expression | None:
    """Return what must hold for the object, where something must."""
    allowed = _allowed(access, requirement)
    return None if allowed is None or requirement.action is Action.READ else allowed.where


def unmet_condition(access: Access, requirement: Requirement) -> Issue:
    """Return the issue of an object for which the condition does not hold."""
    if requirement.member is None and not access.may_read_class(requirement.reference.class_name):
        # Whoever sees no object must not find out by trying which there are.
        return _not_found(requirement)
    action = requirement.action.value
    text = f"the profile {access.profile} has the grant {action} for some objects, not for this one"
    return _issue(requirement, text)


def _allowed(access: Access, requirement: Requirement) -> Permission | None:
    class_name = requirement.reference.class_name
    return (
        access.class_permission(class_name)
        if requirement.member is None
        else access.member_permission(class_name, requirement.member)
    )


def _of_target(access: Access, requirement: Requirement) -> Issue | None:
    class_ = requirement.subject.class_
    role = class_.roles[str(requirement.member)]
    if access.may_read_class(role.target):
        return None
    text = f"{class_.name}.{role.name} leads to {role.target}: {missing_grant(access, Action.READ)}"
    return requirement.subject.role_issue(IssueType.ROLE_GRANT_READ, text, role.name, requirement.path)


def _issue(requirement: Requirement, text: str) -> Issue:
    subject, name, action = requirement.subject, requirement.member, requirement.action.value
    if name is None:
        message = f"{subject.class_.name}: {text}"
        return subject.issue(IssueType[f"ENTITY_GRANT_{action}"], message, *requirement.path)
    message = f"{subject.class_.name}.{name}: {text}"
    if name in subject.class_.roles:
        return subject.role_issue(IssueType[f"ROLE_GRANT_{action}"], message, name, requirement.path)
    return subject.attribute_issue(IssueType.ATTRIBUTE_GRANT_EDIT, message, name, path=requirement.path)


def _not_found(requirement: Requirement) -> Issue:
    class_name, id_ = requirement.reference
    message = f"there is no {class_name} with _id {describe_value(id_)}"
    path = replace(requirement.subject, path=requirement.path).id_path
    return requirement.subject.issue(IssueType.ENTITY_NOT_FOUND, message, *path)
