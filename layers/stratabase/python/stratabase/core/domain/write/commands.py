"""The commands of a client, role by role, and the IDs of the objects in them, some of which are new.

Values are as the client sent them. A request can name a new object by its `_clientId`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.entity import Reference, normalize_reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.api_names import ID, IF_REVISION, IF_REVISION_OF_PART
from stratabase.values.frozen import frozen


@frozen
class ToOneCommand:
    """Set or remove the target of a to-one association.

    `target` is the `_id` of the new target, or a `_clientId` of the request; None removes the association. A
    command with both `target` and `remove` contradicts itself.
    """

    target: str | None = None
    remove: bool = False

    @property
    def empties_role(self) -> bool:
        """Whether the role is requested to lead to nothing, whatever it leads to now."""
        return self.target is None


@frozen
class ToManyCommand:
    """Add and remove targets of a to-many association, by ID. Removals come first."""

    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    remove_all: bool = False

    @property
    def empties_role(self) -> bool:
        """The same as for `ToOneCommand`."""
        return self.remove_all and not self.add


@frozen
class PartsCommand:
    """Create, update and delete parts of a composition, to-one or to-many. Deletions come first.

    To update and delete the same part contradicts itself.
    """

    create: "Sequence[Create]" = ()
    update: "Sequence[Update]" = ()
    delete: Sequence[str] = ()
    delete_all: bool = False

    @property
    def empties_role(self) -> bool:
        """The same as for `ToOneCommand`."""
        return self.delete_all and not self.create


RoleCommand = ToOneCommand | ToManyCommand | PartsCommand


@frozen
class Create:
    """Create an object.

    `values` has JSON values by attribute name, `roles` the commands by role name.
    """

    class_name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """For a part: its place in the request, starting at its whole, such as ("addresses", "save", 0).

    By default it is the place in `PartsCommand`, such as ("addresses", "create", 0).
    """
    if_revision: str | None = None
    """A mistake: only an object that exists has a revision."""


@frozen
class Update:
    """Update an object. Attributes without a value stay as they are; null clears them."""

    reference: Reference
    values: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """The same as for `Create`."""
    if_version: tuple[Instant, ...] | None = None
    """The possible start instants of the version that the client expects; None to expect no version.

    There can be two, because a local time is ambiguous in the hour that repeats when daylight saving time
    ends.
    """
    if_revision: str | None = None
    """The revision that the client expects; None to expect no revision."""


@frozen
class UpdateBulk:
    """Update many objects of a class in the same way."""

    class_name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)

    def for_object(self, reference: Reference) -> Update:
        """Return the update of one of these objects."""
        return Update(reference, self.values, roles=self.roles)


@frozen
class Delete:
    """Delete an object and all its parts. `id_path` is the path of the object's ID in the request."""

    reference: Reference
    id_path: Path = (ID,)
    if_version: tuple[Instant, ...] | None = None
    """The same as for `Update`."""
    if_revision: str | None = None
    """The same as for `Update`."""


@frozen
class Restore:
    """Restore an object of a versioned class, with its parts, to its state at an instant."""

    reference: Reference
    at: Instant
    forced: bool = False
    """Whether to leave out, without a warning, what cannot be restored."""
    if_revision: str | None = None
    """The same as for `Update`. A deleted object has no revision."""


Command = Create | Update | Delete
AnyCommand = Command | Restore
ROOT_PATH: Path = ("data",)
"""The path of the command itself."""


class PlacedCommand(NamedTuple):
    """A command with its path in the request."""

    command: Create | Update
    path: Path


def placed_commands(command: AnyCommand) -> Iterator[PlacedCommand]:
    """Yield a command and all commands within it, each before those that it contains."""
    if not isinstance(command, Create | Update):
        return
    # A stack instead of recursion. It is filled in reverse, so that it yields the order of the request.
    waiting = [PlacedCommand(command, ROOT_PATH)]
    while waiting:
        placed = waiting.pop()
        yield placed
        if placed.command.roles:
            waiting += reversed([*commands_within(placed)])


def placed_creates(placed: PlacedCommand, role: str, parts: PartsCommand) -> list[PlacedCommand]:
    """Return the commands that create parts in a role."""
    return _placed(placed.path, (role, "create"), parts.create)


def placed_updates(placed: PlacedCommand, role: str, parts: PartsCommand) -> list[PlacedCommand]:
    """Return the commands that update parts in a role."""
    return _placed(placed.path, (role, "update"), parts.update)


def commands_within(placed: PlacedCommand) -> Iterator[PlacedCommand]:
    """Yield the commands for the parts of an object, role by role, one level deep."""
    for role, command in placed.command.roles.items():
        if isinstance(command, PartsCommand):
            yield from placed_creates(placed, role, command)
            yield from placed_updates(placed, role, command)


def _placed(path: Path, below: Path, commands: Sequence[Create | Update]) -> list[PlacedCommand]:
    return [
        PlacedCommand(command, (*path, *(command.path or (*below, number))))
        for number, command in enumerate(commands)
    ]


class ExpectedRevision(NamedTuple):
    """The revision that a client expects of an object, and its place in the request."""

    reference: Reference
    revision: str
    path: Path


ClientIds = Mapping[Reference, str]
"""The `_clientId` by object."""


class RequestIds:
    """The IDs of the objects in a command, with the `_clientId` of these and of earlier objects.

    Each `_clientId` names one object of a class.
    """

    def __init__(
        self, command: AnyCommand, new_id: Callable[[], str], earlier: ClientIds | None = None
    ) -> None:
        self.client_ids: dict[Reference, str] = {}
        """The `_clientId` of each object that has one in this command."""
        self.existing: list[Reference] = []
        """The objects that the command updates, deletes or restores, the object of the command first."""
        self.expected_revisions: list[ExpectedRevision] = []
        """The revisions that the client expects of these objects."""
        self.duplicates: list[PlacedCommand] = []
        """The commands whose `_clientId` already names another object."""
        self.count = 0
        """The number of references to objects in the command."""
        self._new_ids: dict[Path, str] = {}
        self._ids_by_client_id: dict[Reference, str] = {
            Reference(reference.class_name, client_id): reference.id
            for reference, client_id in (earlier or {}).items()
        }
        self.commands = [*placed_commands(command)]
        """The command and all commands within it."""
        written = [self._add(placed, new_id) for placed in self.commands]
        if isinstance(command, Delete | Restore):
            reference = self.resolve(command.reference)
            self.existing.append(reference)
            if command.if_revision is not None:
                expected = ExpectedRevision(reference, command.if_revision, (IF_REVISION,))
                self.expected_revisions.append(expected)
        self.root = written[0] if written else self.existing[0]
        """The object of the command itself."""

    def new_id(self, path: Path) -> str:
        """Return the ID of the object that is created at a path."""
        return self._new_ids[path]

    def resolve(self, named: Reference) -> Reference:
        """Return the object that a class with an `_id` or a `_clientId` names."""
        object_id = self._ids_by_client_id.get(named)
        return normalize_reference(named) if object_id is None else Reference(named.class_name, object_id)

    def _add(self, placed: PlacedCommand, new_id: Callable[[], str]) -> Reference:
        """Add the object of a command, and return it."""
        command = placed.command
        self.count += 1
        if command.roles:
            self.count += sum(map(_count_ids, command.roles.values()))
        if isinstance(command, Create):
            id_ = self._new_ids[placed.path] = new_id()
            reference = Reference(command.class_name, id_)
        else:
            reference = self.resolve(command.reference)
            self.existing.append(reference)
            if command.if_revision is not None:
                is_root = placed.path == ROOT_PATH
                path = (IF_REVISION,) if is_root else (*placed.path, IF_REVISION_OF_PART)
                self.expected_revisions.append(ExpectedRevision(reference, command.if_revision, path))
        if command.client_id is not None:
            self._add_client_id(placed, reference, command.client_id)
        return reference

    def _add_client_id(self, placed: PlacedCommand, reference: Reference, client_id: str) -> None:
        self.client_ids[reference] = client_id
        name = Reference(reference.class_name, client_id)
        if self._ids_by_client_id.setdefault(name, reference.id) != reference.id:
            self.duplicates.append(placed)


def _count_ids(command: RoleCommand) -> int:
    """Return the number of objects that a command refers to by ID."""
    if isinstance(command, ToManyCommand):
        return len(command.add) + len(command.remove)
    return len(command.delete) if isinstance(command, PartsCommand) else 1
