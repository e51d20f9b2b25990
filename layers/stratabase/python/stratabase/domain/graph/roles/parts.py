"""A composition: parts are made, changed and ended through their whole, which keeps their ids."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stratabase.domain.command import Update
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker, called
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece import Piece, created, updated
from stratabase.domain.graph.task import Changing, Ending, Making
from stratabase.domain.issue import IssueType, Path
from stratabase.domain.parts import ids_in
from stratabase.domain.role_command import Parts
from stratabase.model.attribute import Stored
from stratabase.model.role import Role


def ask_parts(graph: Graph, node: Node, role: Role, piece: Piece) -> None:
    """Ask for parts to be made, changed and ended, and let the whole keep those that there will be."""
    command = piece.command.roles[role.name]
    assert isinstance(command, Parts)
    before = ids_in(node.was(role.name))
    seen = dict.fromkeys(id_ for id_ in before if not graph.hides(Reference(role.target, id_)))
    family = _Family(graph, role, Asker(node.subject, role.name), seen)
    gone = family.ended(command)
    kept = [id_ for id_ in dict.fromkeys(before) if id_ not in gone]
    made = created(piece, role.name, command)
    graph.todo += (Ending(Reference(role.target, id_), family.asker.place) for id_ in gone)
    graph.todo += map(Changing, family.changed(updated(piece, role.name, command), gone))
    graph.todo += (Making(part, {str(role.opposite): node.reference.id}) for part in made)
    new = [graph.setting.names.id_at(part.path) for part in made]
    node.state[role.name] = family.stored([*kept, *new])


@dataclass(frozen=True, slots=True)
class _Family:
    """The parts of an object in one role; `before`: as they were, as far as the caller sees them."""

    graph: Graph
    role: Role
    asker: Asker
    before: Mapping[str, None]

    def ended(self, command: Parts) -> Mapping[str, None]:
        """Return the ids of the parts that end; who is named and is no part here is an issue."""
        meant = dict.fromkeys(self.graph.meant(self.role.target, id_) for id_ in command.delete)
        self.graph.given.update(meant)
        for reference in meant:
            self.graph.setting.snapshot.entity(reference)  # read with its whole, and not only then
            if reference.id not in self.before:
                self._refuse_stranger(reference, (*self.asker.place, "delete"))
        if command.delete_all:
            return self.before
        return {reference.id: None for reference in meant if reference.id in self.before}

    def changed(self, parts: Iterable[Piece], gone: Mapping[str, None]) -> Iterator[Piece]:
        """Yield the parts that can be changed; each other is an issue."""
        seen: set[Reference] = set()
        for part in parts:
            assert isinstance(part.command, Update)
            reference, place = self.graph.meant(*part.command.reference), (*part.path, "_id")
            if reference.id not in self.before:
                self._refuse_stranger(reference, place)
            elif reference.id in gone:
                self._refuse(
                    IssueType.MALFORMED_REQUEST, f"{called(reference)} cannot be changed and deleted", place
                )
            elif reference in seen:
                self._refuse(IssueType.MALFORMED_REQUEST, f"{called(reference)} is named twice", place)
            else:
                yield part
            seen.add(reference)

    def stored(self, ids: list[str]) -> Stored:
        """Return what the whole keeps of its parts."""
        if self.role.many:
            return ids or None
        if len(ids) > 1:
            self.graph.issues.append(
                self.asker.cardinality(
                    f"there can be one {self.role.target} only; "
                    "change the one that is there, by its _id, or delete it to make another"
                )
            )
        return ids[-1] if ids else None

    def _refuse_stranger(self, reference: Reference, place: Path) -> None:
        self._refuse(IssueType.ENTITY_NOT_FOUND, f"there is no {called(reference)} here", place)

    def _refuse(self, type_: IssueType, message: str, place: Path) -> None:
        self.graph.issues.append(self.asker.issue(type_, message, place))
