"""The side of a one-to-one association that holds no key: the key of its opposite is asked."""

from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.graph.roles.pointing import pointed
from stratabase.domain.graph.wish import Wish
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import opposite_name
from stratabase.model.role import Role


def ask_faced(graph: Graph, node: Node, role: Role, piece: Piece) -> None:
    """Ask the present partner's key to lead here no more, and the future partner's to do so."""
    asker, own_id = Asker(node.subject, role.name), node.reference.id
    opposite = opposite_name(role)
    assert opposite is not None
    for to in pointed(graph, role, piece, asker):
        for id_ in _partners(graph, node, role):
            if id_ != to:
                graph.keys[Reference(role.target, id_), opposite].releases.append(Wish(own_id, asker))
        if to is not None:
            graph.keys[Reference(role.target, to), opposite].claims.append(Wish(own_id, asker))


def _partners(graph: Graph, node: Node, role: Role) -> tuple[str, ...]:
    """Return what the role leads to now: at most one."""
    if node.new:
        return ()
    ids = graph.setting.snapshot.linked(RoleName(node.reference.class_name, role.name), node.reference.id)
    return tuple(id_ for id_ in ids if not graph.hides(Reference(role.target, id_)))
