"""What is refused of reading before anything is read, told as issues."""

from stratabase.domain.access.grants import Access
from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.subject import Subject
from stratabase.model.model import Action, Class, Role


def missing_grant(access: Access, action: Action) -> str:
    """Return what a message says of a profile that may not do something at all."""
    return f"the profile {access.profile} lacks the grant {action.value}"


def check_class(access: Access, class_: Class, path: Path = ()) -> Issue | None:
    """Return the issue of reading objects of a class, None where some can be read."""
    if access.may_read_class(class_.name):
        return None
    message = f"{class_.name}: {missing_grant(access, Action.READ)}"
    return Subject(class_).issue(IssueType.ENTITY_GRANT_READ, message, *path)


def check_attribute(access: Access, class_: Class, name: str, path: Path) -> Issue | None:
    """Return the issue of reading an attribute of objects of a class."""
    obstacle = access.read_obstacle(class_.name, name)
    if obstacle is None:
        return None
    own = f"{class_.name}.{name}"
    what = f"{own}:" if obstacle == own else f"{own} is made of {obstacle}:"
    return _of_attribute(class_, name, f"{what} {missing_grant(access, Action.READ)}", path)


def check_comparison(access: Access, class_: Class, name: str, path: Path) -> Issue | None:
    """Return the issue of filtering, ordering or looking objects of a class up by an attribute."""
    narrowed = access.conditional_source(class_.name, name)
    if narrowed is not None and access.read_obstacle(class_.name, name) is None:
        own = f"{class_.name}.{name}"
        what = "it" if narrowed == own else narrowed
        text = f"{own}: the profile {access.profile} may read {what} of some objects only"
        return _of_attribute(class_, name, f"{text}, so that no object can be found by it", path)
    return check_attribute(access, class_, name, path)


def check_role(access: Access, class_: Class, role: Role, path: Path) -> Issue | None:
    """Return the issue of following a role from objects of a class."""
    if access.may_follow(class_.name, role):
        return None
    own = f"{class_.name}.{role.name}"
    what = f"{own}:" if access.may_read_class(role.target) else f"{own} leads to {role.target}:"
    message = f"{what} {missing_grant(access, Action.READ)}"
    return Subject(class_).role_issue(IssueType.ROLE_GRANT_READ, message, role.name, path)


def _of_attribute(class_: Class, name: str, message: str, path: Path) -> Issue:
    return Subject(class_).attribute_issue(IssueType.ATTRIBUTE_GRANT_READ, message, name, path=path)
