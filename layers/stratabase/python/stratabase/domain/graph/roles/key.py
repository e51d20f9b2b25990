"""A to-one association whose key the object holds."""

from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.graph.roles.pointing import pointed
from stratabase.domain.graph.wish import Wish
from stratabase.domain.role_name import RoleName
from stratabase.model.role import Role


def ask_key(graph: Graph, node: Node, role: Role, piece: Piece) -> None:
    """Ask the object's own key to lead somewhere."""
    asker = Asker(node.subject, role.name)
    for to in pointed(graph, role, piece, asker):
        name = RoleName(node.reference.class_name, role.name)
        graph.keys[node.reference, name].own.append(Wish(to, asker))
