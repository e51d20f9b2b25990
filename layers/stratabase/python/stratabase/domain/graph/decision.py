"""What is decided about a command: what shall be done, and everything that is wrong with it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stratabase.domain.change import Effect, OnObject, reference_of
from stratabase.domain.command import Command, Create, Delete
from stratabase.domain.entity import Entity
from stratabase.domain.graph.cardinality import check_cardinality
from stratabase.domain.graph.creating import create
from stratabase.domain.graph.effects import number, on_objects
from stratabase.domain.graph.ending import end
from stratabase.domain.graph.graph import Graph, Setting
from stratabase.domain.graph.keys import settle_keys
from stratabase.domain.graph.links import settle_links
from stratabase.domain.graph.names import MOST_OBJECTS, Names
from stratabase.domain.graph.piece import ROOT, Piece
from stratabase.domain.graph.task import Changing, Ending, Making, Task
from stratabase.domain.graph.updating import update
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.subject import Subject
from stratabase.model.malformed import shown

_INTO: Mapping[type[Task], Callable[[Graph, Any], None]] = {Making: create, Changing: update, Ending: end}


class Decision(NamedTuple):
    """What a command comes to; it is good when there are no issues."""

    graph: Graph
    effects: tuple[Effect, ...]

    @property
    def issues(self) -> list[Issue]:
        """Everything that is wrong."""
        return self.graph.issues

    @property
    def entity(self) -> Entity | None:
        """The object that the command is on as it shall be, None when it shall not."""
        root = self.graph.setting.names.root
        for effect in self.effects:
            if isinstance(effect, OnObject) and reference_of(effect) == root:
                return effect.after
        return self.graph.setting.snapshot.entities.get(root)


def decided(command: Command, setting: Setting, *, numbering: bool) -> Decision:
    """Return what a command comes to; new objects get their Serials only with `numbering`."""
    graph = Graph(setting)
    graph.issues += (*_too_many(graph), *_named_twice(graph))
    if setting.names.is_too_much:
        return Decision(graph, ())
    graph.todo.append(_first(command, setting.names))
    while graph.todo:
        task = graph.todo.popleft()
        _INTO[type(task)](graph, task)
    settle_keys(graph)
    links = tuple(settle_links(graph))
    check_cardinality(graph, links)
    if numbering and not graph.issues and not setting.snapshot.lacking:
        number(graph)
    return Decision(graph, (*on_objects(graph), *links))


def _first(command: Command, names: Names) -> Task:
    if isinstance(command, Delete):
        return Ending(names.root, ("_id",))
    piece = Piece(command, ROOT)
    return Making(piece, {}) if isinstance(command, Create) else Changing(piece)


def _too_many(graph: Graph) -> Iterator[Issue]:
    names = graph.setting.names
    if names.is_too_much:
        text = f"the request speaks of {names.count:,} objects: at most {MOST_OBJECTS:,} are possible"
        subject = Subject(graph.class_(names.root.class_name))
        yield subject.issue(IssueType.MALFORMED_REQUEST, text, *ROOT)


def _named_twice(graph: Graph) -> Iterator[Issue]:
    for command, path in graph.setting.names.twice:
        name = command.class_name if isinstance(command, Create) else command.reference.class_name
        text = f"another {name} of the request is called {shown(command.client_id)} too"
        subject = Subject(graph.class_(name), client_id=command.client_id, path=path)
        yield subject.issue(IssueType.MALFORMED_REQUEST, text, *path, "_clientId")
