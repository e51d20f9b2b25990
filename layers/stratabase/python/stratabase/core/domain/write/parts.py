"""What a command requests of a composition: parts are created, updated and deleted through their whole."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stratabase.core.domain.issues.issue import IssueType, Path
from stratabase.core.domain.objects.entity import Reference, describe_object, part_ids
from stratabase.core.domain.write.commands import (
    PartsCommand,
    PlacedCommand,
    Update,
    placed_creates,
    placed_updates,
)
from stratabase.core.domain.write.request import (
    CreateObject,
    DeleteObject,
    ObjectWrite,
    UpdateObject,
    WriteRequest,
)
from stratabase.core.domain.write.role_requests import RoleSubject
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Role
from stratabase.core.model.types.base import Stored
from stratabase.values.messages import Message, _


def request_parts(request: WriteRequest, write: ObjectWrite, role: Role, placed: PlacedCommand) -> None:
    """Add the tasks to create, update and delete parts, and set the list of parts of the whole."""
    command = placed.command.roles[role.name]
    assert isinstance(command, PartsCommand)
    before = part_ids(write.value_before(role.name))
    visible = dict.fromkeys(id_ for id_ in before if not request.hides(Reference(role.target, id_)))
    parts = _PartsOfRole(request, role, RoleSubject(write.subject, role.name), visible)
    deleted = parts.deleted_parts(command)
    remaining = [id_ for id_ in dict.fromkeys(before) if id_ not in deleted]
    created = placed_creates(placed, role.name, command)
    request.tasks += (DeleteObject(Reference(role.target, id_), parts.requester.path) for id_ in deleted)
    request.tasks += map(
        UpdateObject, parts.updated_parts(placed_updates(placed, role.name, command), deleted)
    )
    request.tasks += (CreateObject(part, {str(role.opposite): write.reference.id}) for part in created)
    # The whole lists the parts that stay, then the new ones. Their IDs are already known.
    new = [request.context.ids.new_id(part.path) for part in created]
    write.state[role.name] = parts.stored_value([*remaining, *new])


@dataclass(frozen=True, slots=True)
class _PartsOfRole:
    """The parts of an object in one role. `before` has the IDs of the parts that the caller sees."""

    request: WriteRequest
    role: Role
    requester: RoleSubject
    before: Mapping[str, None]

    def deleted_parts(self, command: PartsCommand) -> Mapping[str, None]:
        """Return the IDs of the parts to delete. A named ID that is not a part in this role is an issue."""
        named = dict.fromkeys(self.request.resolve(self.role.target, id_) for id_ in command.delete)
        self.request.named.update(named)
        for reference in named:
            self.request.context.snapshot.entity(reference)  # load it with its whole, not one round later
            if reference.id not in self.before:
                self._refuse_unknown_part(reference, (*self.requester.path, "delete"))
        if command.delete_all:
            return self.before
        return {reference.id: None for reference in named if reference.id in self.before}

    def updated_parts(
        self, parts: Iterable[PlacedCommand], deleted: Mapping[str, None]
    ) -> Iterator[PlacedCommand]:
        """Yield the updates of existing parts. Any other update is an issue."""
        seen: set[Reference] = set()
        for part in parts:
            assert isinstance(part.command, Update)
            reference, path = self.request.resolve(*part.command.reference), (*part.path, ID)
            if reference.id not in self.before:
                self._refuse_unknown_part(reference, path)
            elif reference.id in deleted:
                message = _(
                    "The request both updates and deletes {object}. Do only one of these.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, path)
            elif reference in seen:
                message = _(
                    "The request updates {object} more than once. Combine the updates.",
                    object=describe_object(reference),
                )
                self._refuse(IssueType.MALFORMED_REQUEST, message, path)
            else:
                yield part
            seen.add(reference)

    def stored_value(self, ids: list[str]) -> Stored:
        """Return the stored value of the composition: a list of IDs, one ID, or null."""
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

    def _refuse_unknown_part(self, reference: Reference, path: Path) -> None:
        message = _("{object} does not exist in this role.", object=describe_object(reference))
        self._refuse(IssueType.ENTITY_NOT_FOUND, message, path)

    def _refuse(self, type_: IssueType, message: Message, path: Path) -> None:
        self.request.issues.append(self.requester.issue(type_, message, path))
