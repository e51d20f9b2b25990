"""What a command adds to a to-many association, and what it takes away."""

from typing import NamedTuple

from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker, called
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.role_command import Links
from stratabase.domain.role_name import RoleName
from stratabase.model.role import Role


class Swap(NamedTuple):
    """Ids, each once and in one of the two."""

    added: list[str]
    removed: list[str]


def swapped(graph: Graph, node: Node, role: Role, piece: Piece) -> Swap:
    """Return what a command adds and takes away; what it does both with is an issue."""
    command = piece.command.roles[role.name]
    assert isinstance(command, Links)
    added = {graph.meant(role.target, id_): None for id_ in command.add}
    removed = {graph.meant(role.target, id_): None for id_ in command.remove}
    for reference in added.keys() & removed.keys():
        text = f"{called(reference)} is added and removed at once; do one of the two"
        graph.issues.append(Asker(node.subject, role.name).contradiction(text))
    ids = {id_: None for _, id_ in added}
    gone = {id_: None for _, id_ in removed if id_ not in ids}
    if command.remove_all and not node.new:
        name = RoleName(node.reference.class_name, role.name)
        led_to = graph.setting.snapshot.linked(name, node.reference.id)
        seen = (id_ for id_ in led_to if not graph.hides(Reference(role.target, id_)))
        gone |= {id_: None for id_ in seen if id_ not in ids}
    return Swap(list(ids), list(gone))
