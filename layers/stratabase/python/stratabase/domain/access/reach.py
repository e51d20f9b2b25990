"""The classes whose objects a profile can see, in all or in part; parts are seen where their wholes are."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stratabase.model.class_ import Action, Class
from stratabase.model.role import Role

if TYPE_CHECKING:
    from stratabase.domain.access.access import Access


def readable(access: "Access") -> frozenset[str]:
    """Return the names of the classes of which there may be objects that can be seen."""
    return _all_that(_is_read, access)


def _is_read(access: "Access", class_name: str, found: set[str]) -> bool:
    class_ = access.model.classes[class_name]
    if not access.follows(class_name) and Action.READ not in access.own(class_name).actions:
        return False
    return not class_.part or any(role.target in found and _is_shown(access, role) for role in wholes(class_))


def seen_in_part(access: "Access") -> frozenset[str]:
    """Return the names of the classes of which some objects may be hidden."""
    return _all_that(_hides, access)


def _hides(access: "Access", class_name: str, found: set[str]) -> bool:
    class_ = access.model.classes[class_name]
    if access.own(class_name).where is not None:
        return True
    return any(
        role.target in found or not access.reads_class(role.target) or not _is_always_shown(access, role)
        for role in wholes(class_)
    )


def _all_that(holds: Callable[["Access", str, set[str]], bool], access: "Access") -> frozenset[str]:
    """Return the names of the classes of which something holds, as it may because it holds of others."""
    found: set[str] = set()
    while more := [name for name in access.model.classes if name not in found and holds(access, name, found)]:
        found.update(more)
    return frozenset(found)


def wholes(class_: Class) -> Iterator[Role]:
    """Yield the roles of a part that lead back to its whole, of which each object has one."""
    return (role for role in class_.roles.values() if role.whole)


def _is_shown(access: "Access", back: Role) -> bool:
    """Return whether a composition can be followed, seen from the role back."""
    allowed = access.member(back.target, str(back.opposite))
    return allowed is None or Action.READ in allowed.actions


def _is_always_shown(access: "Access", back: Role) -> bool:
    allowed = access.member(back.target, str(back.opposite))
    return allowed is None or (Action.READ in allowed.actions and allowed.where is None)
