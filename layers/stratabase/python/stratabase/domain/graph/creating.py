"""An object that a request makes."""

from stratabase.domain.checks import issues_of
from stratabase.domain.checks.draft import drafted
from stratabase.domain.command import Create
from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.roles import ask
from stratabase.domain.graph.task import Making
from stratabase.domain.subject import Subject


def create(graph: Graph, task: Making) -> None:
    """Note an object with what it is given, and what is asked of its roles."""
    command, path = task.piece
    assert isinstance(command, Create)
    class_ = graph.class_(command.class_name)
    subject = Subject(class_, None, command.client_id, path)
    draft = drafted(subject, None, command.given, graph.setting.caller.formats)
    graph.issues += issues_of(draft)
    reference = Reference(class_.name, graph.setting.names.id_at(path))
    state = {**draft.state, "_id": reference.id, **task.back}
    ask(graph, graph.add(Node(subject, reference, None, state, new=True)), task.piece)
