"""What is asked of keys, from both sides, comes to what they shall lead to."""

from collections.abc import Sequence

from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import called
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.wish import KeyWishes, Wish
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import is_one_to_one
from stratabase.model.role import Role


def settle_keys(graph: Graph) -> None:
    """Let each key lead where it is asked to, or note why it cannot."""
    for (holder, name), wishes in graph.keys.items():
        asker = wishes.first.asker
        node = graph.touched(holder, asker)
        if node is None:
            _refuse_missing(graph, holder, wishes.claims)
        elif node.ended:
            graph.issues += [claim.asker.ends(holder) for claim in wishes.claims]
        else:
            node.asked[name.role_name] = asker.place
            _settle(graph, node, graph.role(name), wishes)
    _exclude(graph)


def _refuse_missing(graph: Graph, holder: Reference, claims: Sequence[Wish]) -> None:
    if graph.knows(holder):
        for claim in claims:
            graph.miss(holder, claim.asker)


def _settle(graph: Graph, node: Node, role: Role, wishes: KeyWishes) -> None:
    wanted = {wish.id: wish for wish in (*wishes.claims, *wishes.own)}
    if len(wanted) > 1:
        text = f"{called(node.reference)} leads to one {role.target} by {role.name}, and cannot to several"
        graph.issues.append(wishes.last.asker.cardinality(text))
    elif wanted.keys() & {wish.id for wish in wishes.releases}:
        text = f"{called(node.reference)} is asked to lead here by {role.name}, and not to; do one of the two"
        graph.issues.append(wishes.first.asker.contradiction(text))
    elif wanted:
        _lead(graph, node, role, wishes)
    elif node.was(role.name) in {wish.id for wish in wishes.releases}:
        node.state[role.name] = None


def _lead(graph: Graph, node: Node, role: Role, wishes: KeyWishes) -> None:
    """Let a key lead to the one thing that is asked for, if it can."""
    id_, asker = wishes.last
    target = None if id_ is None else Reference(role.target, id_)
    if target is not None and graph.is_ended(target):
        graph.issues.append(asker.ends(target))
    elif _is_taken(graph, node, role, wishes):
        text = f"{called(node.reference)} leads to another {role.target} already; it can lead to one only"
        graph.issues.append(asker.cardinality(text))
    elif id_ != node.was(role.name):
        node.state[role.name] = id_
        if target is not None and wishes.own:
            graph.name(node.subject.class_, target, asker)
    elif target is not None and wishes.own:
        graph.find(target, asker)


def _is_taken(graph: Graph, node: Node, role: Role, wishes: KeyWishes) -> bool:
    """Return whether who claims a partner would take it from another, who does not let it go."""
    partner = node.was(role.name)
    known = {wish.id for wish in (*wishes.claims, *wishes.releases)}
    if wishes.own or partner in {None, *known} or not is_one_to_one(graph.setting.model, role):
        return False
    rival = Reference(role.target, str(partner))
    return not graph.is_ended(rival) and graph.setting.snapshot.entity(rival) is not None


def _exclude(graph: Graph) -> None:
    """Note where several keys of the request shall lead to what only one may lead to."""
    led_to: set[tuple[RoleName, str]] = set()
    for (holder, name), wishes in graph.keys.items():
        node, role = graph.nodes.get(holder), graph.role(name)
        id_ = node.state.get(name.role_name) if node and not node.ended else None
        if not isinstance(id_, str) or not is_one_to_one(graph.setting.model, role):
            continue
        if (name, id_) in led_to:
            text = (
                f"one {name.class_name} only can lead to {called(Reference(role.target, id_))} by {role.name}"
            )
            graph.issues.append(wishes.last.asker.cardinality(text))
        led_to.add((name, id_))
