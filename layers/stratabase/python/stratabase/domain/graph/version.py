"""The version of an object on which a write relies."""

from stratabase.domain.command import AnyCommand, Delete, Update
from stratabase.domain.entity import Entity
from stratabase.domain.graph.graph import Graph
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.domain.version_instant import exactly

ARGUMENT = "ifVersion"


def check_version(graph: Graph, command: AnyCommand) -> None:
    """Note it if the object that a command is on has another version than the one it relies on."""
    node = graph.nodes.get(graph.setting.names.root)
    if isinstance(command, Update | Delete) and node is not None and node.before is not None:
        issue = other_version(node.subject, node.before, command, graph.setting.caller)
        graph.issues += [] if issue is None else [issue]


def relies(command: AnyCommand) -> bool:
    """Return whether a command is to be done to one version only."""
    return isinstance(command, Update | Delete) and command.if_version is not None


def other_version(subject: Subject, before: Entity, command: Update | Delete, caller: Caller) -> Issue | None:
    """Return the issue of an object whose version is not the one that a command relies on."""
    if command.if_version is None or before.start in command.if_version:
        return None
    name = f"{subject.class_.name} {subject.id}"
    if before.start is None:
        message = f"{name} has not been written yet, so that it has no version"
    else:
        began = exactly(before.start, caller.formats, ARGUMENT)
        message = f"{name} has another version now: the one that began at {began}"
    return subject.issue(IssueType.ENTITY_LOCK_PERSIST, message, ARGUMENT)
