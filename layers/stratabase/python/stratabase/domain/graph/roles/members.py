"""A to-many association whose keys the others hold: each of their keys is asked."""

from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.graph.roles.many import swapped
from stratabase.domain.graph.wish import Wish
from stratabase.domain.way import opposite_name
from stratabase.model.role import Role


def ask_members(graph: Graph, node: Node, role: Role, piece: Piece) -> None:
    """Ask keys to lead here, or here no more; one that leads elsewhere moves."""
    wish = Wish(node.reference.id, Asker(node.subject, role.name))
    opposite = opposite_name(role)
    assert opposite is not None
    swap = swapped(graph, node, role, piece)
    for id_ in swap.added:
        graph.keys[Reference(role.target, id_), opposite].claims.append(wish)
    for id_ in swap.removed:
        graph.keys[Reference(role.target, id_), opposite].releases.append(wish)
