"""What a restoration needs to be allowed: by what becomes of objects, or might, where that is hidden."""

from collections.abc import Collection, Iterator

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand
from stratabase.domain.access.reach import wholes
from stratabase.domain.command import Restore
from stratabase.domain.entity import Reference
from stratabase.domain.former_content import native
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.hidden_parts import comes_along
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.restoring import PLACE
from stratabase.domain.graph.unseen_demands import TO_PARTS, kept, of_any_parts, of_any_target
from stratabase.domain.parts import ids_in
from stratabase.domain.subject import Subject
from stratabase.model.class_ import Action
from stratabase.model.role import Role

Moved = Collection[Reference]
"""Objects of which something becomes."""


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
        if comes_along(graph, node, command):
            continue
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
    is_open = all(access.shows(node.reference.class_name, name) for name in kept(node.subject.class_))
    return node.gone is not None or node.is_written or not is_open


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
        if name in class_.roles and not access.shows(class_.name, name):
            yield from of_any_target(graph, access, class_, class_.roles[name], place)


def _of_composition(graph: Graph, access: Access, node: Node, role: Role, moved: Moved) -> Iterator[Demand]:
    """Yield the demands of parts that come back, end, or become what they were."""
    is_open, place = access.shows(node.reference.class_name, role.name), node.place(role.name)
    for action in _done(node, role, moved) if is_open else TO_PARTS:
        yield Demand(action, node.subject, node.reference, place, role.name)
    if not is_open:
        yield from of_any_parts(graph, access, role.target, place)


def _done(node: Node, role: Role, moved: Moved) -> Iterator[Action]:
    """Yield what is done to the parts of an object in a role."""
    was, is_ = ids_in(node.was(role.name)), ids_in(node.state.get(role.name))
    if not {*is_} <= {*was}:
        yield Action.CREATE
    if any(Reference(role.target, id_) in moved for id_ in {*is_}.intersection(was)):
        yield Action.EDIT
    if not {*was} <= {*is_}:
        yield Action.DELETE
