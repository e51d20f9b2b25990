"""The IDs of the objects in a request, including new ones, which a request can name by `_clientId`."""

from collections.abc import Callable, Mapping

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.entity import Reference, normalize_reference
from stratabase.core.domain.write.commands import (
    ROOT_PATH,
    AnyCommand,
    Create,
    Delete,
    PartsCommand,
    PlacedCommand,
    Restore,
    RoleCommand,
    ToManyCommand,
    placed_commands,
)

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
        self.duplicates: list[PlacedCommand] = []
        """The commands whose `_clientId` already names another object."""
        self.count = 0
        """The number of references to objects in the command."""
        self._new_ids: dict[Path, str] = {}
        self._ids_by_client_id: dict[Reference, str] = {
            Reference(reference.class_name, client_id): reference.id
            for reference, client_id in (earlier or {}).items()
        }
        for placed in placed_commands(command):
            self._add(placed, new_id)
        if isinstance(command, Delete | Restore):
            self.existing.append(self.resolve(*command.reference))
        self.root = self._root(command)
        """The object of the command itself."""

    def new_id(self, path: Path) -> str:
        """Return the ID of the object that is created at a path."""
        return self._new_ids[path]

    def resolve(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that an `_id` or a `_clientId` names."""
        named = Reference(class_name, id_)
        object_id = self._ids_by_client_id.get(named)
        return normalize_reference(named) if object_id is None else Reference(class_name, object_id)

    def _root(self, command: AnyCommand) -> Reference:
        if isinstance(command, Create):
            return Reference(command.class_name, self.new_id(ROOT_PATH))
        return self.existing[0]

    def _add(self, placed: PlacedCommand, new_id: Callable[[], str]) -> None:
        self.count += 1 + sum(map(_count_ids, placed.command.roles.values()))
        if isinstance(placed.command, Create):
            self._new_ids[placed.path] = new_id()
            reference = Reference(placed.command.class_name, self._new_ids[placed.path])
        else:
            reference = self.resolve(*placed.command.reference)
            self.existing.append(reference)
        if placed.command.client_id is not None:
            self._add_client_id(placed, reference, placed.command.client_id)

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
