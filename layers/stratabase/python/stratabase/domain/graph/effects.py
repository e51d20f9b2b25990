"""What becomes of the objects in a request."""

from collections.abc import Iterator

from stratabase.domain import platform
from stratabase.domain.change import Creation, Deletion, OnObject, Update
from stratabase.domain.entity import Entity
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.serial_name import SerialName
from stratabase.domain.serials import serials


def number(graph: Graph) -> None:
    """Give each new object the numbers that it is to have."""
    for node in graph.nodes.values():
        for attribute in serials(node.subject.class_) if node.new else ():
            name = SerialName(node.reference.class_name, attribute)
            node.state[attribute] = graph.setting.snapshot.serial(name, node.subject.path)


def on_objects(graph: Graph) -> Iterator[OnObject]:
    """Yield an effect for each object that begins, changes or ends."""
    for node in graph.nodes.values():
        if node.new:
            yield Creation(Entity(node.reference, node.state))
        elif node.before is not None:
            yield from _on_former(graph, node, node.before)


def _on_former(graph: Graph, node: Node, before: Entity) -> Iterator[OnObject]:
    if node.ended:
        yield Deletion(before)
    elif node.is_changed:
        username, now = graph.setting.caller.username, graph.setting.now
        recorded = platform.at_update(node.subject.class_, before, username, now)
        yield Update(before, Entity(node.reference, {**node.state, **recorded}, before.commit_ids))
