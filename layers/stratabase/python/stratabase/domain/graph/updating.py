"""An object that a request changes."""

from stratabase.domain.checks import issues_of, values_still_missing
from stratabase.domain.checks.draft import drafted
from stratabase.domain.command import Update
from stratabase.domain.graph.asker import called
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.roles import ask
from stratabase.domain.graph.task import Changing
from stratabase.domain.issue import IssueType
from stratabase.domain.subject import Subject


def update(graph: Graph, task: Changing) -> None:
    """Note an object with what it is given, and what is asked of its roles."""
    command, path = task.piece
    assert isinstance(command, Update)
    reference = graph.meant(*command.reference)
    subject = Subject(graph.class_(reference.class_name), reference.id, command.client_id, path)
    before = graph.before(reference)
    if before is None and graph.knows(reference):
        message = f"there is no {called(reference)}"
        graph.issues.append(subject.issue(IssueType.ENTITY_NOT_FOUND, message, *subject.id_path))
        return
    draft = drafted(subject, before, command.given, graph.setting.caller.formats)
    graph.issues += issues_of(draft)
    if graph.setting.reports_empty:
        graph.reports += (issue for issue in values_still_missing(draft) if graph.may_report(issue))
    ask(graph, graph.add(Node(subject, reference, before, {**draft.state})), task.piece)
