"""The required roles of the objects that a request makes, and of those whose roles it speaks of.

The rule is that of required attributes (domain/checks/required.py): what a request does not touch and was
empty before is passed over.
"""

from collections.abc import Iterable, Iterator

from stratabase.domain.change import Linking, OnLink
from stratabase.domain.checks.required import STILL_EMPTY
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.issue import IssueType
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import Way, opposite_name, way_of
from stratabase.model.role import Role

Filled = set[tuple[RoleName, str]]
"""The roles that lead to something because of what others are, each with the object whose role it is."""


def check_cardinality(graph: Graph, on_links: Iterable[OnLink]) -> None:
    """Note each required role that would lead to nothing.

    What an object that was there before loses by others, the store finds out, since it counts.
    """
    filled = {*_by_keys(graph), *_by_links(graph, on_links)}
    for node in graph.nodes.values():
        for role in node.subject.class_.roles.values():
            if not role.required or node.ended:
                continue
            if _is_empty(graph, node, role, filled):
                _refuse(graph, node, role)
            elif graph.setting.reports_empty and node.reference in graph.given and not node.is_made:
                _report(graph, node, role, filled)


def _is_empty(graph: Graph, node: Node, role: Role, filled: Filled) -> bool:
    match way_of(graph.setting.model, role):
        case Way.WHOLE:
            return False
        case Way.KEY | Way.PARTS:
            is_passed_over = (
                not node.is_made and role.name not in node.cleared and node.was(role.name) is None
            )
            return node.state.get(role.name) is None and not is_passed_over
        case _:
            name = RoleName(node.reference.class_name, role.name)
            if node.gone is not None:
                return not _is_led_back(graph, node, role)
            is_filled = (name, node.reference.id) in filled
            if node.new or is_filled or role.name not in node.cleared:
                return node.new and not is_filled
            return not graph.setting.snapshot.linked(name, node.reference.id)


def _is_led_back(graph: Graph, node: Node, role: Role) -> bool:
    """Return whether a role of an object that comes back leads somewhere: the keys of others stayed."""
    snapshot = graph.setting.snapshot
    for id_ in snapshot.linked(RoleName(node.reference.class_name, role.name), node.reference.id):
        other = snapshot.entity(Reference(role.target, id_))
        if other is not None and other.state.get(str(role.opposite), node.reference.id) == node.reference.id:
            return True
    return False


def _refuse(graph: Graph, node: Node, role: Role) -> None:
    place = node.place(role.name)
    if not graph.is_blamed(place):
        few = f"at least one {role.target}" if role.many else f"one {role.target}"
        asker = Asker(node.subject, role.name)
        graph.issues.append(asker.cardinality(f"{few} is required", place))


def _report(graph: Graph, node: Node, role: Role, filled: Filled) -> None:
    """Report a required role that was empty before, and that the request passes over."""
    issue = Asker(node.subject, role.name).issue(IssueType.ROLE_CARDINALITY, STILL_EMPTY).as_report()
    if graph.may_report(issue) and _is_still_empty(graph, node, role, filled):
        graph.reports.append(issue)


def _is_still_empty(graph: Graph, node: Node, role: Role, filled: Filled) -> bool:
    """Return whether a role of an object that was there before leads to nothing, as far as is known."""
    name, snapshot = RoleName(node.reference.class_name, role.name), graph.setting.snapshot
    match way_of(graph.setting.model, role):
        case Way.WHOLE:
            return False
        case Way.PARTS:
            return node.state.get(role.name) is None
        case Way.KEY:
            id_ = node.state.get(role.name)
            if not isinstance(id_, str):
                return True
            target = Reference(role.target, id_)
            return id_ == node.was(role.name) and snapshot.entity(target) is None
        case _:
            is_counted = node.before is not None and node.before.counts.get(name, 0) > 0
            is_filled = is_counted or (name, node.reference.id) in filled
            return not is_filled and not snapshot.linked(name, node.reference.id)


def _by_keys(graph: Graph) -> Iterator[tuple[RoleName, str]]:
    for holder, name in graph.keys:
        node, opposite = graph.nodes.get(holder), opposite_name(graph.role(name))
        if node is not None and opposite is not None:
            yield opposite, str(node.state.get(name.role_name))


def _by_links(graph: Graph, on_links: Iterable[OnLink]) -> Iterator[tuple[RoleName, str]]:
    for link in on_links:
        if isinstance(link, Linking):
            opposite = opposite_name(graph.role(link.role))
            yield link.role, link.owner
            if opposite is not None:
                yield opposite, link.other
