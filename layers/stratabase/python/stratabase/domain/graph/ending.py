"""An object that a request ends, and with it all its parts."""

from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node, ids_in
from stratabase.domain.graph.task import Ending
from stratabase.domain.subject import Subject


def end(graph: Graph, task: Ending) -> None:
    """Note the end of an object, if it is there; its parts come next."""
    reference, place = task
    before = graph.setting.snapshot.entity(reference)
    if before is None:
        return
    class_ = graph.class_(reference.class_name)
    subject = Subject(class_, reference.id, path=place)
    graph.add(Node(subject, reference, before, {}, ended=True))
    for role in class_.roles.values():
        if role.composition:
            parts = ids_in(before.state.get(role.name))
            graph.todo += (Ending(Reference(role.target, id_), place) for id_ in parts)
