"""Where a request says what takes something away from an object's role."""

from collections.abc import Iterator

from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.piece import ROOT
from stratabase.domain.issue import Path
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import opposite_name


def place_of_loss(graph: Graph, reference: Reference, name: RoleName) -> Path:
    """Return the place where an object's role is spoken of, or else where what it led to ends or moves."""
    node = graph.nodes.get(reference)
    if node is not None and name.role_name in node.asked:
        return node.asked[name.role_name]
    losses = (_moves, _cuts, _ends)
    return next((place for loss in losses for place in loss(graph, reference, name)), ROOT)


def _moves(graph: Graph, reference: Reference, name: RoleName) -> Iterator[Path]:
    """Yield where keys that led to the object are asked to lead elsewhere."""
    opposite = opposite_name(graph.role(name))
    for (holder, key), wishes in graph.keys.items():
        node = graph.nodes.get(holder)
        if key == opposite and node is not None and node.was(key.role_name) == reference.id:
            yield wishes.last.asker.place


def _cuts(graph: Graph, reference: Reference, name: RoleName) -> Iterator[Path]:
    """Yield where links of the object are asked to end."""
    opposite = opposite_name(graph.role(name))
    for tie, wishes in graph.links.items():
        own_end = tie.owner if tie.role == name else tie.other if tie.role == opposite else None
        if wishes.removing and own_end == reference.id:
            yield wishes.removing[0].place


def _ends(graph: Graph, _: Reference, name: RoleName) -> Iterator[Path]:
    """Yield where objects end to which the role may have led."""
    target = graph.role(name).target
    for node in graph.nodes.values():
        if node.ended and node.reference.class_name == target:
            yield node.subject.path
