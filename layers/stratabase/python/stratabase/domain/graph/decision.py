"""What is decided about a command: what shall be done, and everything that is wrong with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand
from stratabase.domain.access.writing import refused
from stratabase.domain.change import Effect, OnObject, reference_of
from stratabase.domain.command import AnyCommand, Create, Delete, Restore
from stratabase.domain.entity import Entity
from stratabase.domain.graph.cardinality import check_cardinality
from stratabase.domain.graph.creating import create
from stratabase.domain.graph.demands import demands
from stratabase.domain.graph.effects import instant_of, number, on_objects
from stratabase.domain.graph.ending import end
from stratabase.domain.graph.graph import Graph, Setting
from stratabase.domain.graph.keys import settle_keys
from stratabase.domain.graph.links import settle_links
from stratabase.domain.graph.locks import check_locks, touches
from stratabase.domain.graph.names import MOST_OBJECTS, Names
from stratabase.domain.graph.piece import ROOT, Piece
from stratabase.domain.graph.restoring import PLACE, relead, restore
from stratabase.domain.graph.task import Changing, Ending, Making, Releading, Restoring, Task
from stratabase.domain.graph.updating import update
from stratabase.domain.graph.version import check_version, relies
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.subject import Subject
from stratabase.model.malformed import shown

_INTO: Mapping[type[Task], Callable[[Graph, Any], None]] = {
    Making: create,
    Changing: update,
    Ending: end,
    Restoring: restore,
    Releading: relead,
}


class Decision(NamedTuple):
    """What a command comes to; it is good when there are no issues."""

    graph: Graph
    effects: tuple[Effect, ...]
    instant: Instant
    """Since when all is as the effects leave it."""
    demands: Sequence[Demand] = ()
    """What must be allowed; nothing to those who may do everything."""
    is_forbidden: bool = False
    """Something is asked for that is allowed with no object: nothing else counts."""

    @property
    def issues(self) -> list[Issue]:
        """Everything that is wrong."""
        return self.graph.issues

    @property
    def reports(self) -> list[Issue]:
        """What a validation tells beside that: it stops no write."""
        return self.graph.reports

    @property
    def is_held(self) -> bool:
        """Whether others have locked what it writes."""
        return any(issue.type is IssueType.ENTITY_LOCK_PERSIST for issue in self.issues)

    @property
    def entity(self) -> Entity | None:
        """The object that the command is on as it shall be, None when it shall not."""
        root = self.graph.setting.names.root
        for effect in self.effects:
            if isinstance(effect, OnObject) and reference_of(effect) == root:
                return effect.after
        return self.graph.setting.snapshot.entities.get(root)


def decided(command: AnyCommand, setting: Setting, *, numbering: bool) -> Decision:
    """Return what a command comes to; new objects get their Serials only with `numbering`."""
    graph = Graph(setting)
    graph.issues += (*_too_many(graph, command), *_named_twice(graph))
    if setting.names.is_too_much:
        return Decision(graph, (), setting.now)
    graph.todo.append(_first(command, setting.names))
    while tasks := graph.todo or graph.later:
        task = tasks.popleft()
        _INTO[type(task)](graph, task)
    settle_keys(graph)
    demanded = () if setting.access is None else demands(graph, setting.access, command)
    if setting.access is not None and (forbidden := _forbidden(setting.access, demanded)):
        graph.issues = forbidden
        return Decision(graph, (), setting.now, is_forbidden=True)
    links = tuple(settle_links(graph))
    check_cardinality(graph, links)
    check_locks(graph)
    check_version(graph, command)
    if numbering and not graph.issues and not setting.snapshot.lacking:
        number(graph)
    instant = instant_of(graph)
    effects = (*on_objects(graph, instant), *links, *touches(graph, links, relying=relies(command)))
    return Decision(graph, effects, instant, demanded)


def _forbidden(access: Access, demanded: Iterable[Demand]) -> list[Issue]:
    return [issue for demand in demanded if (issue := refused(access, demand)) is not None]


def _first(command: AnyCommand, names: Names) -> Task:
    if isinstance(command, Delete):
        return Ending(names.root, command.place)
    if isinstance(command, Restore):
        return Restoring(names.root, command, PLACE, {})
    piece = Piece(command, ROOT)
    return Making(piece, {}) if isinstance(command, Create) else Changing(piece)


def _too_many(graph: Graph, command: AnyCommand) -> Iterator[Issue]:
    names = graph.setting.names
    if names.is_too_much:
        text = f"the request speaks of {names.count:,} objects: at most {MOST_OBJECTS:,} are possible"
        yield _subject(graph, command).issue(IssueType.MALFORMED_REQUEST, text, *ROOT)


def _subject(graph: Graph, command: AnyCommand) -> Subject:
    """Return the object that a command is on."""
    root = graph.setting.names.root
    id_ = None if isinstance(command, Create) else root.id
    client_id = None if isinstance(command, Delete | Restore) else command.client_id
    return Subject(graph.class_(root.class_name), id_, client_id)


def _named_twice(graph: Graph) -> Iterator[Issue]:
    for command, path in graph.setting.names.twice:
        name = command.class_name if isinstance(command, Create) else command.reference.class_name
        text = f"another {name} of the request is called {shown(command.client_id)} too"
        subject = Subject(graph.class_(name), client_id=command.client_id, path=path)
        yield subject.issue(IssueType.MALFORMED_REQUEST, text, *path, "_clientId")
