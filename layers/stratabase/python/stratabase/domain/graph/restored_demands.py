"""What a restoration needs to be allowed: by what becomes of objects, or might, where that is hidden."""

from collections.abc import Collection, Iterable, Iterator

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand
from stratabase.domain.access.reach import wholes
from stratabase.domain.command import Restore
from stratabase.domain.entity import Reference
from stratabase.domain.former_content import native
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.restoring import PLACE
from stratabase.domain.issue import Path
from stratabase.domain.parts import ids_in
from stratabase.domain.subject import Subject
from stratabase.model.class_ import Action, Class
from stratabase.model.role import Role

Moved = Collection[Reference]
"""Objects of which something becomes."""
_TO_PARTS = (Action.CREATE, Action.EDIT, Action.DELETE)
"""What may be done to parts."""
_TO_VALUES = (Action.CREATE, Action.EDIT)
"""What may be done to values."""


def of_any_restoration(graph: Graph, access: Access) -> Iterator[Demand]:
    """Yield what is needed whatever there was; what is there no more needs another grant."""
    root = graph.setting.names.root
    if Action.CREATE not in access.own(root.class_name).actions:
        yield Demand(Action.EDIT, Subject(graph.class_(root.class_name), root.id, path=PLACE), root, PLACE)


def of_restored(graph: Graph, access: Access, command: Restore) -> Iterator[Demand]:
    """Yield the demands of what comes back: of the objects, and of all that is other than it was."""
    root, moved = graph.setting.names.root, _moved(graph, access)
    for node in graph.nodes.values():
        if node.ended or (node.reference != root and node.reference not in moved):
            continue
        if node.reference != root and node.gone is not None and graph.hid(node.reference, command.at):
            continue  # a hidden part that comes back with its whole, as it went with it: nobody asked for it
        action = Action.EDIT if node.gone is None else Action.CREATE
        if not access.follows(node.reference.class_name):
            yield Demand(action, node.subject, node.reference, node.subject.path)
        yield from _of_members(graph, access, node, action, moved)


def _moved(graph: Graph, access: Access) -> Moved:
    """Return the objects of which something becomes, or of parts of them at any depth."""
    found: set[Reference] = set()
    for node in graph.nodes.values():
        at: Node | None = node if not node.ended and _comes_to_more(access, node) else None
        while at is not None and at.reference not in found:
            found.add(at.reference)
            at = _whole(graph, at)
    return found


def _whole(graph: Graph, part: Node) -> Node | None:
    """Return what an object is a part of, as it comes back."""
    ids = ((role.target, part.state.get(role.name)) for role in wholes(part.subject.class_))
    return next((graph.nodes.get(Reference(name, id_)) for name, id_ in ids if isinstance(id_, str)), None)


def _comes_to_more(access: Access, node: Node) -> bool:
    """Return whether something becomes of an object, or counts so: what is hidden must not tell by that."""
    is_open = all(access.shows(node.reference.class_name, name) for name in _kept(node.subject.class_))
    return node.gone is not None or node.is_written or not is_open


def _kept(class_: Class) -> Iterator[str]:
    """Yield the attributes and roles of which versions tell what they were."""
    yield from native(class_)
    yield from (name for name, role in class_.roles.items() if role.holds or role.composition)


def _of_members(graph: Graph, access: Access, node: Node, action: Action, moved: Moved) -> Iterator[Demand]:
    """Yield the demands of attributes and roles that become what they were.

    What may be hidden counts as if it did, whatever it was: otherwise a refusal would tell.
    """
    class_, place = node.subject.class_, node.subject.path
    for role in class_.roles.values():
        if role.composition:
            yield from _of_composition(graph, access, node, role, moved)
    for name in (*native(class_), *(name for name, role in class_.roles.items() if role.holds)):
        if node.state.get(name) != node.was(name) or not access.shows(class_.name, name):
            yield Demand(action, node.subject, node.reference, place, name)
            if name in class_.roles:
                yield Demand(Action.READ, node.subject, node.reference, place, name)


def _of_composition(graph: Graph, access: Access, node: Node, role: Role, moved: Moved) -> Iterator[Demand]:
    """Yield the demands of parts that come back, end, or become what they were."""
    is_open, place = access.shows(node.reference.class_name, role.name), node.place(role.name)
    for action in _done(node, role, moved) if is_open else _TO_PARTS:
        yield Demand(action, node.subject, node.reference, place, role.name)
    if not is_open:
        yield from _of_any_parts(graph, access, role.target, place)


def _of_any_parts(graph: Graph, access: Access, class_name: str, place: Path) -> Iterator[Demand]:
    """Yield what is not allowed with any part of a class, so that it does not tell whether there are some."""
    waiting, seen = [class_name], {class_name}
    while waiting:
        class_ = graph.class_(name := waiting.pop())
        anyone, subject = Reference(name, ""), Subject(class_, path=place)
        for action in () if access.follows(name) else _TO_PARTS:
            if action not in access.own(name).actions:
                yield Demand(action, subject, anyone, place)
        for member in _kept(class_):
            allowed = access.member(name, member)
            for action in _TO_PARTS if member in class_.roles else _TO_VALUES:
                if allowed is not None and action not in allowed.actions:
                    yield Demand(action, subject, anyone, place, member)
        below = {role.target for role in class_.roles.values() if role.composition} - seen
        seen |= below
        waiting += sorted(below)


def of_parts_apart(demands: Iterable[Demand]) -> Iterator[Demand]:
    """Yield demands; of what is demanded of all parts of a class, none of single ones, as that would tell."""
    demands = list(demands)
    of_all = {_kind(demand) for demand in demands if not demand.reference.id}
    return (each for each in demands if not each.reference.id or _kind(each) not in of_all)


def _kind(demand: Demand) -> tuple[Action, str, str | None]:
    return demand.action, demand.reference.class_name, demand.member


def _done(node: Node, role: Role, moved: Moved) -> Iterator[Action]:
    """Yield what is done to the parts of an object in a role."""
    was, is_ = ids_in(node.was(role.name)), ids_in(node.state.get(role.name))
    if not {*is_} <= {*was}:
        yield Action.CREATE
    if any(Reference(role.target, id_) in moved for id_ in {*is_}.intersection(was)):
        yield Action.EDIT
    if not {*was} <= {*is_}:
        yield Action.DELETE
