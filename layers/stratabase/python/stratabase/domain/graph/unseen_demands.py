"""What is to be allowed with any object of a class, where it must not tell with which."""

from collections.abc import Iterable, Iterator

from stratabase.domain.access import Access, Allowed
from stratabase.domain.access.demand import Demand
from stratabase.domain.entity import Reference
from stratabase.domain.former_content import native
from stratabase.domain.graph.graph import Graph
from stratabase.domain.issue import Path
from stratabase.domain.subject import Subject
from stratabase.domain.way import opposite_name
from stratabase.model.class_ import Action, Class
from stratabase.model.role import Role

TO_PARTS = (Action.CREATE, Action.EDIT, Action.DELETE)
"""What may be done to parts."""
_TO_VALUES = (Action.CREATE, Action.EDIT)
"""What may be done to values."""


def kept(class_: Class) -> Iterator[str]:
    """Yield the attributes and roles of which versions tell what they were."""
    yield from native(class_)
    yield from (name for name, role in class_.roles.items() if role.holds or role.composition)


def of_any_parts(graph: Graph, access: Access, class_name: str, place: Path) -> Iterator[Demand]:
    """Yield what is not allowed with any part of a class, so that it does not tell whether there are some."""
    waiting, seen = [class_name], {class_name}
    while waiting:
        class_ = graph.class_(waiting.pop())
        yield from _of_class(graph, access, class_, place)
        below = {role.target for role in class_.roles.values() if role.composition} - seen
        seen |= below
        waiting += sorted(below)


def _of_class(graph: Graph, access: Access, class_: Class, place: Path) -> Iterator[Demand]:
    anyone, subject = Reference(class_.name, ""), Subject(class_, path=place)
    is_unseen = not access.reads_class(class_.name)
    for action in () if access.follows(class_.name) else TO_PARTS:
        if _lacks(access.own(class_.name), action, is_unseen=is_unseen):
            yield Demand(action, subject, anyone, place, of_all=is_unseen)
    for name in kept(class_):
        allowed, role = access.member(class_.name, name), class_.roles.get(name)
        for action in _TO_VALUES if role is None else TO_PARTS:
            if _lacks(allowed, action, is_unseen=is_unseen):
                yield Demand(action, subject, anyone, place, name, of_all=is_unseen)
        if role is not None and role.holds:
            yield from of_any_target(graph, access, class_, role, place)


def of_any_target(graph: Graph, access: Access, class_: Class, role: Role, place: Path) -> Iterator[Demand]:
    """Yield what is not allowed from the other side with any object that a key may lead to unseen."""
    opposite, allowed = opposite_name(role), access.member(class_.name, role.name)
    if opposite is None:
        return
    is_open = allowed is None or Action.READ in allowed.actions
    is_unseen = not (is_open and access.reads_class(class_.name))
    if _lacks(access.member(*opposite), Action.EDIT, is_unseen=is_unseen):
        subject, anyone = Subject(graph.class_(role.target), path=place), Reference(role.target, "")
        yield Demand(Action.EDIT, subject, anyone, place, opposite.role_name, of_all=is_unseen)


def _lacks(allowed: Allowed | None, action: Action, *, is_unseen: bool) -> bool:
    """Return whether an action is not allowed; with what is not seen at all, it must be with all of it."""
    if allowed is None:
        return False
    return action not in allowed.actions or (is_unseen and allowed.where is not None)


def of_all_apart(demands: Iterable[Demand]) -> Iterator[Demand]:
    """Yield demands; of what is demanded of any object of a class, none of single ones: that would tell."""
    demands = list(demands)
    of_all = {_kind(demand) for demand in demands if not demand.reference.id}
    return (each for each in demands if not each.reference.id or _kind(each) not in of_all)


def _kind(demand: Demand) -> tuple[Action, str, str | None]:
    return demand.action, demand.reference.class_name, demand.member
