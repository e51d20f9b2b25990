"""An object that a request ends, and with it all its parts."""

from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.task import Ending
from stratabase.domain.parts import parts_of
from stratabase.domain.subject import Subject


def end(graph: Graph, task: Ending) -> None:
    """Note the end of an object, if it is there; its parts come next."""
    reference, place = task
    is_root = reference == graph.setting.names.root
    before = graph.before(reference) if is_root else graph.setting.snapshot.entity(reference)
    if before is None:
        return
    class_ = graph.class_(reference.class_name)
    subject = Subject(class_, reference.id, path=place)
    graph.add(Node(subject, reference, before, {}, ended=True))
    graph.todo += (Ending(part, place) for part in parts_of(class_, before))
