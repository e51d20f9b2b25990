"""What the pieces of a command need to be allowed: of the objects that they make and change themselves."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand
from stratabase.domain.command import Create, Update
from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.piece import ROOT, Piece, created, updated
from stratabase.domain.role_command import Links, Parts, RoleCommand
from stratabase.domain.subject import Subject
from stratabase.model.class_ import Action


class _Place(NamedTuple):
    """A piece, the object that it is about, and the place of the whole, if it is a part."""

    piece: Piece
    subject: Subject
    reference: Reference
    above: "_Place | None" = None

    @property
    def action(self) -> Action:
        """What is done with the object."""
        return Action.CREATE if isinstance(self.piece.command, Create) else Action.EDIT

    def demand(self, member: str | None = None, action: Action | None = None) -> Demand:
        """Return the demand of doing that, or something else, with the object, or with a member of it."""
        path = self.piece.path if member is None else (*self.piece.path, member)
        return Demand(action or self.action, self.subject, self.reference, path, member)


def of_pieces(graph: Graph, access: Access, command: Create | Update) -> Iterator[Demand]:
    """Yield the demands of a command, and of all that are within it."""
    waiting = [_place(graph, Piece(command, ROOT), None)]
    while waiting:
        place = waiting.pop()
        yield from _of_place(access, place)
        waiting += reversed([_place(graph, piece, place) for piece in _within(place.piece)])


def _place(graph: Graph, piece: Piece, above: _Place | None) -> _Place:
    command, path = piece
    if isinstance(command, Create):
        reference = Reference(command.class_name, graph.setting.names.id_at(path))
        return _Place(
            piece, Subject(graph.class_(command.class_name), None, command.client_id, path), reference, above
        )
    reference = graph.meant(*command.reference)
    subject = Subject(graph.class_(reference.class_name), reference.id, command.client_id, path)
    return _Place(piece, subject, reference, above)


def _within(piece: Piece) -> Iterator[Piece]:
    for role, asked in piece.command.roles.items():
        if isinstance(asked, Parts):
            yield from (*created(piece, role, asked), *updated(piece, role, asked))


def _of_place(access: Access, place: _Place) -> Iterator[Demand]:
    command = place.piece.command
    values = [
        name for name, value in command.given.items() if value is not None or isinstance(command, Update)
    ]
    asked = {name: each for name, each in command.roles.items() if _asks(each, place.action)}
    if values or _concerns_itself(access, place, asked):
        yield from _of_object(access, place)
    yield from (place.demand(name) for name in values)
    for name, each in asked.items():
        if isinstance(each, Parts):
            yield from (place.demand(name, action) for action in _of_parts(each))
            yield from _of_all_parts(access, place, name) if each.delete_all else ()
        else:
            yield from (place.demand(name), place.demand(name, Action.READ))


def _of_all_parts(access: Access, place: _Place, name: str) -> Iterator[Demand]:
    """Yield the demand of deleting whatever parts there are, of a class that is not seen at all.

    It is of any object: of single ones it would tell that they are there.
    """
    target = place.subject.class_.roles[name].target
    if not access.reads_class(target) and not access.follows(target):
        path = (*place.piece.path, name)
        subject = Subject(access.model.classes[target], path=path)
        yield Demand(Action.DELETE, subject, Reference(target, ""), path, of_all=True)


def _concerns_itself(access: Access, place: _Place, asked: Mapping[str, RoleCommand]) -> bool:
    """Return whether something is done with more than parts that have grants of their own."""
    class_ = place.subject.class_
    own = all(
        isinstance(each, Parts) and not access.follows(class_.roles[name].target)
        for name, each in asked.items()
    )
    return not asked or not own or place.action is Action.CREATE or not access.reads_class(class_.name)


def _of_object(access: Access, place: _Place) -> Iterator[Demand]:
    """Yield the demand of doing something with an object: with its whole, if it follows that."""
    at: _Place | None = place
    while at is not None and access.follows(at.subject.class_.name):
        at = at.above
    if at is not None:
        yield at.demand()


def _of_parts(parts: Parts) -> Iterator[Action]:
    if parts.create:
        yield Action.CREATE
    if parts.update:
        yield Action.EDIT
    if parts.delete or parts.delete_all:
        yield Action.DELETE


def _asks(asked: RoleCommand, action: Action) -> bool:
    """Return whether a command asks for something; a new object's association leads to nothing by itself."""
    if isinstance(asked, Links):
        return bool(asked.add or asked.remove or asked.remove_all)
    if isinstance(asked, Parts):
        return any(_of_parts(asked))
    return asked.to is not None or action is Action.EDIT
