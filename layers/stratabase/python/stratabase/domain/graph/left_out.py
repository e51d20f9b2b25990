"""What a restoration leaves out, since it cannot be again, as those are told to whom the version shows it."""

from dataclasses import replace

from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.task import Releading, Restoring
from stratabase.domain.issue import Issue, Level
from stratabase.model.class_ import Action


def lose(graph: Graph, task: Restoring | Releading, asker: Asker, reference: Reference) -> None:
    """Leave out what is led to no more; it is told if the version shows the caller that it was led to."""
    is_open = tells(graph, graph.nodes[task.reference], asker.role, task)
    if is_open and graph.showed(reference, task.command.at):
        warn(graph, task, asker.gone(reference))


def tells(graph: Graph, node: Node, name: str, task: Restoring | Releading) -> bool:
    """Return whether it may be told what an attribute or a role of an object was."""
    access, role = graph.setting.access, node.subject.class_.roles.get(name)
    if access is None:
        return True
    allowed = access.member(node.reference.class_name, name)
    is_open = allowed is None or Action.READ in allowed.actions
    leads = role is None or access.leads(node.reference.class_name, role)
    if node.reference == graph.setting.names.root:
        return is_open and leads and access.reads_class(node.reference.class_name)
    return is_open and leads and graph.showed(node.reference, task.command.at)


def warn(graph: Graph, task: Restoring | Releading, issue: Issue) -> None:
    """Note what is left out, unless the client has said that it may be."""
    if not task.command.forced:
        message = f"{issue.message}; forceWarnings: {{dataValidation: true}} goes on and leaves that out"
        graph.issues.append(replace(issue, message=message, level=Level.WARNING))
