"""What becomes of the objects in a request."""

from collections.abc import Iterator

from stratabase.domain import platform
from stratabase.domain.change import Creation, Deletion, Gone, OnObject, Restoration, Update
from stratabase.domain.entity import Entity
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.instant import Instant
from stratabase.domain.serial_name import SerialName
from stratabase.domain.serials import serials
from stratabase.domain.version import dated, instant_after


def number(graph: Graph) -> None:
    """Give each new object the numbers that it is to have."""
    for node in graph.nodes.values():
        for attribute in serials(node.subject.class_) if node.new else ():
            name = SerialName(node.reference.class_name, attribute)
            node.state[attribute] = graph.setting.snapshot.serial(name, node.subject.path)


def instant_of(graph: Graph) -> Instant:
    """Return since when all that is written is as it shall be."""
    return instant_after(
        graph.setting.now, (_since(node) for node in graph.nodes.values() if node.is_written)
    )


def _since(node: Node) -> Instant | None:
    """Return since when an object is as it is, or is no more."""
    if node.gone is not None:
        return node.gone.last_end
    return None if node.before is None else node.before.start


def on_objects(graph: Graph, instant: Instant) -> Iterator[OnObject]:
    """Yield an effect for each object that begins, changes or ends at an instant."""
    for node in graph.nodes.values():
        if node.new:
            yield Creation(_created(graph, node, instant))
        elif node.gone is not None:
            yield _restored(graph, node, node.gone, instant)
        elif node.before is not None:
            yield from _on_former(graph, node, node.before, instant)


def _created(graph: Graph, node: Node, instant: Instant) -> Entity:
    class_ = node.subject.class_
    recorded = platform.at_creation(class_, graph.setting.caller, instant)
    return Entity(node.reference, dated(class_, {**node.state, **recorded}, instant), start=instant)


def _restored(graph: Graph, node: Node, gone: Gone, instant: Instant) -> Restoration:
    class_, former = node.subject.class_, Entity(node.reference, node.state, gone.commit_ids)
    recorded = platform.at_update(class_, former, graph.setting.caller, instant)
    state = dated(class_, {**node.state, **recorded}, instant)
    return Restoration(gone, Entity(node.reference, state, gone.commit_ids, start=instant))


def _on_former(graph: Graph, node: Node, before: Entity, instant: Instant) -> Iterator[OnObject]:
    if node.ended:
        yield Deletion(before)
    elif node.is_changed:
        class_ = node.subject.class_
        recorded = platform.at_update(class_, before, graph.setting.caller, instant)
        state = dated(class_, {**node.state, **recorded}, instant)
        yield Update(
            before, Entity(node.reference, state, before.commit_ids, start=instant, lock=before.lock)
        )
