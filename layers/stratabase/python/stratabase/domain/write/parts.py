"""What a command asks of a composition: parts are created, changed and deleted through their whole."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stratabase.domain.issues.issue import IssueType, Path
from stratabase.domain.objects.entity import Reference, describe_object
from stratabase.domain.objects.parts import part_ids
from stratabase.domain.write.commands import (
    PartsCommand,
    PlacedCommand,
    Update,
    placed_creates,
    placed_updates,
)
from stratabase.domain.write.request import (
    CreateObject,
    DeleteObject,
    ObjectWrite,
    UpdateObject,
    WriteRequest,
)
from stratabase.domain.write.role_requests import Requester
from stratabase.messages import Message, _
from stratabase.model.model import Role
from stratabase.model.types.storage import Stored


def request_parts(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> None:
    """Ask for parts to be made, changed and ended, and let the whole keep those that there will be."""
    command = placed.command.roles[role.name]
    assert isinstance(command, PartsCommand)
    before = part_ids(write.value_before(role.name))
    seen = dict.fromkeys(id_ for id_ in before if not request.hides(Reference(role.target, id_)))
    family = _Family(request, role, Requester(write.subject, role.name), seen)
    gone = family.ended(command)
    kept = [id_ for id_ in dict.fromkeys(before) if id_ not in gone]
    made = placed_creates(placed, role.name, command)
    request.tasks += (DeleteObject(Reference(role.target, id_), family.requester.path) for id_ in gone)
    request.tasks += map(UpdateObject, family.changed(placed_updates(placed, role.name, command), gone))
    request.tasks += (CreateObject(part, {str(role.opposite): write.reference.id}) for part in made)
    new = [request.context.ids.new_id(part.path) for part in made]
    write.state[role.name] = family.stored([*kept, *new])


@dataclass(frozen=True, slots=True)
class _Family:
    """The parts of an object in one role; `before`: as they were, as far as the caller sees them."""

    request: WriteRequest
    role: Role
    requester: Requester
    before: Mapping[str, None]

    def ended(self, command: PartsCommand) -> Mapping[str, None]:
        """Return the ids of the parts that end; who is named and is no part here is an issue."""
        meant = dict.fromkeys(self.request.resolve(self.role.target, id_) for id_ in command.delete)
        self.request.named.update(meant)
        for reference in meant:
            self.request.context.snapshot.entity(reference)  # read with its whole, and not only then
            if reference.id not in self.before:
                self._refuse_stranger(reference, (*self.requester.path, "delete"))
        if command.delete_all:
            return self.before
        return {reference.id: None for reference in meant if reference.id in self.before}

    def changed(self, parts: Iterable[PlacedCommand], gone: Mapping[str, None]) -> Iterator[PlacedCommand]:
        """Yield the parts that can be changed; each other is an issue."""
        seen: set[Reference] = set()
        for part in parts:
            assert isinstance(part.command, Update)
            reference, place = self.request.resolve(*part.command.reference), (*part.path, "_id")
            if reference.id not in self.before:
                self._refuse_stranger(reference, place)
            elif reference.id in gone:
                message = _(
                    "The request both updates and deletes {object}. Do only one of these.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, place)
            elif reference in seen:
                message = _(
                    "The request updates {object} more than once. Combine the updates.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, place)
            else:
                yield part
            seen.add(reference)

    def stored(self, ids: list[str]) -> Stored:
        """Return what the whole keeps of its parts."""
        if self.role.many:
            return ids or None
        if len(ids) > 1:
            message = _(
                "Only one {class_name} is allowed. "
                "Update the existing one by its _id, or delete it and create a new one.",
                class_name=self.role.target,
            )
            self.request.issues.append(self.requester.cardinality_issue(message))
        return ids[-1] if ids else None

    def _refuse_stranger(self, reference: Reference, place: Path) -> None:
        message = _("{object} does not exist in this role.", object=describe_object(reference))
        self._refuse(IssueType.ENTITY_NOT_FOUND, message, place)

    def _refuse(self, type_: IssueType, message: Message, place: Path) -> None:
        self.request.issues.append(self.requester.issue(type_, message, place))
