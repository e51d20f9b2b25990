"""What grants say of the demands of a write."""

from dataclasses import replace

from stratabase.domain.access.access import Access
from stratabase.domain.access.allowed import Allowed
from stratabase.domain.access.demand import Demand
from stratabase.domain.access.reading import lacks
from stratabase.domain.issue import Issue, IssueType
from stratabase.model.class_ import Action
from stratabase.model.expressions import Expression
from stratabase.model.malformed import shown


def refused(access: Access, demand: Demand) -> Issue | None:
    """Return the issue of what is allowed with no object, None of what is with some."""
    if demand.action is Action.READ:
        return _of_target(access, demand)
    allowed = _allowed(access, demand)
    if allowed is None or (demand.action in allowed.actions and not (demand.of_all and allowed.where)):
        return None
    if demand.action in allowed.actions:
        text = f"the profile {access.profile} has the grant {demand.action.value} for some objects only"
        return _issue(demand, text)
    return _issue(demand, lacks(access, demand.action))


def condition_of(access: Access, demand: Demand) -> Expression | None:
    """Return what must hold for the object, where something must."""
    allowed = _allowed(access, demand)
    return None if allowed is None or demand.action is Action.READ else allowed.where


def unmet(access: Access, demand: Demand) -> Issue:
    """Return the issue of an object for which the condition does not hold."""
    if demand.member is None and not access.reads_class(demand.reference.class_name):
        # Whoever sees no object must not find out by trying which there are.
        return _not_found(demand)
    text = (
        f"the profile {access.profile} has the grant {demand.action.value} for some objects, not for this one"
    )
    return _issue(demand, text)


def _allowed(access: Access, demand: Demand) -> Allowed | None:
    class_name = demand.reference.class_name
    return access.own(class_name) if demand.member is None else access.member(class_name, demand.member)


def _of_target(access: Access, demand: Demand) -> Issue | None:
    class_ = demand.subject.class_
    role = class_.roles[str(demand.member)]
    if access.reads_class(role.target):
        return None
    text = f"{class_.name}.{role.name} leads to {role.target}: {lacks(access, Action.READ)}"
    return demand.subject.role_issue(IssueType.ROLE_GRANT_READ, text, role.name, demand.path)


def _issue(demand: Demand, text: str) -> Issue:
    subject, name, action = demand.subject, demand.member, demand.action.value
    if name is None:
        message = f"{subject.class_.name}: {text}"
        return subject.issue(IssueType[f"ENTITY_GRANT_{action}"], message, *demand.path)
    message = f"{subject.class_.name}.{name}: {text}"
    if name in subject.class_.roles:
        return subject.role_issue(IssueType[f"ROLE_GRANT_{action}"], message, name, demand.path)
    return subject.attribute_issue(IssueType.ATTRIBUTE_GRANT_EDIT, message, name, path=demand.path)


def _not_found(demand: Demand) -> Issue:
    class_name, id_ = demand.reference
    message = f"there is no {class_name} with _id {shown(id_)}"
    path = replace(demand.subject, path=demand.path).id_path
    return demand.subject.issue(IssueType.ENTITY_NOT_FOUND, message, *path)
