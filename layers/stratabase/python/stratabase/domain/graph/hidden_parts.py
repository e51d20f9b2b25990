"""Parts that come back with their whole, as they went with it, though who restores it does not see them."""

from stratabase.domain.command import Restore
from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node


def comes_along(graph: Graph, node: Node, command: Restore) -> bool:
    """Return whether an object that comes back is such a part: nobody asks for it, or must be told of it."""
    is_root = node.reference == graph.setting.names.root
    return not is_root and node.gone is not None and graph.hid(node.reference, command.at)


def went_along(graph: Graph, whole: Node, part: Reference) -> bool:
    """Return whether a part was there as long as its whole was, which is gone."""
    if whole.gone is None:
        return False
    gone = graph.setting.snapshot.gone(part)
    return gone is not None and gone.last_end >= whole.gone.last_end
