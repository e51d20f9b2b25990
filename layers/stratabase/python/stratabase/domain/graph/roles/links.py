"""A to-many association that no key stands for: links are asked to begin or to end."""

from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.graph.roles.many import swapped
from stratabase.domain.graph.wish import Tie
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import opposite_name
from stratabase.model.role import Role


def ask_links(graph: Graph, node: Node, role: Role, piece: Piece) -> None:
    """Ask for links to begin and to end."""
    asker = Asker(node.subject, role.name)
    swap = swapped(graph, node, role, piece)
    for id_ in swap.added:
        graph.links[_tie(node, role, id_)].adding.append(asker)
    for id_ in swap.removed:
        graph.links[_tie(node, role, id_)].removing.append(asker)


def _tie(node: Node, role: Role, other: str) -> Tie:
    name, opposite = RoleName(node.reference.class_name, role.name), opposite_name(role)
    if opposite is not None and opposite < name:
        return Tie(opposite, other, node.reference.id)
    return Tie(name, node.reference.id, other)
