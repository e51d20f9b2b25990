"""What may be asked of a role, one file for each way in which roles lead."""

from collections.abc import Callable, Mapping

from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece
from stratabase.domain.graph.roles.faced import ask_faced
from stratabase.domain.graph.roles.key import ask_key
from stratabase.domain.graph.roles.links import ask_links
from stratabase.domain.graph.roles.members import ask_members
from stratabase.domain.graph.roles.parts import ask_parts
from stratabase.domain.way import Way, way_of
from stratabase.model.role import Role

WAYS: Mapping[Way, Callable[[Graph, Node, Role, Piece], None]] = {
    Way.KEY: ask_key,
    Way.FACED: ask_faced,
    Way.MEMBERS: ask_members,
    Way.LINKS: ask_links,
    Way.PARTS: ask_parts,
}
"""The role back to a whole is missing, since nothing can be asked of it."""


def ask(graph: Graph, node: Node, piece: Piece) -> None:
    """Note what a command asks of an object's roles."""
    for name, command in piece.command.roles.items():
        role = node.subject.class_.roles[name]
        node.asked[name] = (*piece.path, name)
        if command.clears:
            node.cleared.add(name)
        WAYS[way_of(graph.setting.model, role)](graph, node, role, piece)


__all__ = ["WAYS", "ask"]
