"""Where a command lets a to-one association lead."""

from collections.abc import Iterator

from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.piece import Piece
from stratabase.domain.role_command import Point
from stratabase.model.role import Role


def pointed(graph: Graph, role: Role, piece: Piece, asker: Asker) -> Iterator[str | None]:
    """Yield the id that a role shall lead to, or None; nothing where the command contradicts itself."""
    command = piece.command.roles[role.name]
    assert isinstance(command, Point)
    if command.to is not None and command.remove:
        graph.issues.append(asker.contradiction("it is set and removed at once; do one of the two"))
    else:
        yield None if command.to is None else graph.meant(role.target, command.to).id
