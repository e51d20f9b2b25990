"""The ids of the objects in a request, also of new ones, which it may name by their `_clientId`."""

from collections.abc import Callable, Mapping

from stratabase.domain.issues.issue import Path
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.identity import normalize_reference
from stratabase.domain.write.commands import (
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
from stratabase.domain.write.limits import MOST_OBJECTS

"""Of which one command may speak, so that none takes long before it is refused for what the store can do."""


"""Parts that one restoration looks at, so that it is done while somebody waits."""


ClientIds = Mapping[Reference, str]
"""What clients call objects: `_clientId` by object."""


class RequestIds:
    """The ids of the objects that a command makes, and what they and those written before are called.

    A `_clientId` names one object of a class.
    """

    def __init__(
        self, command: AnyCommand, new_id: Callable[[], str], earlier: ClientIds | None = None
    ) -> None:
        self.client_ids: dict[Reference, str] = {}
        """Those that the command gives."""
        self.existing: list[Reference] = []
        """The objects that the command changes or ends, and which must be there; first the one it is on."""
        self.duplicates: list[PlacedCommand] = []
        """What would have the name of another object."""
        self.count = 0
        """How often the command speaks of an object."""
        self._made: dict[Path, str] = {}
        self._called: dict[Reference, str] = {
            Reference(reference.class_name, client_id): reference.id
            for reference, client_id in (earlier or {}).items()
        }
        for placed in placed_commands(command):
            self._add(placed, new_id)
        if isinstance(command, Delete | Restore):
            self.existing.append(self.resolve(*command.reference))
        self.root = self._root(command)
        """The object that the command is on."""

    @property
    def exceeds_limit(self) -> bool:
        """Whether the command speaks of more objects than one may."""
        return self.count > MOST_OBJECTS

    def new_id(self, path: Path) -> str:
        """Return the id of the object that is made at a place."""
        return self._made[path]

    def resolve(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that an `_id` or a `_clientId` means."""
        named = Reference(class_name, id_)
        called = self._called.get(named)
        return normalize_reference(named) if called is None else Reference(class_name, called)

    def _root(self, command: AnyCommand) -> Reference:
        if isinstance(command, Create):
            return Reference(command.class_name, self.new_id(ROOT_PATH))
        return self.resolve(*command.reference)

    def _add(self, placed: PlacedCommand, new_id: Callable[[], str]) -> None:
        self.count += 1 + sum(map(_ids_in, placed.command.roles.values()))
        if isinstance(placed.command, Create):
            self._made[placed.path] = new_id()
            reference = Reference(placed.command.class_name, self._made[placed.path])
        else:
            reference = self.resolve(*placed.command.reference)
            self.existing.append(reference)
        if placed.command.client_id is not None:
            self._call(placed, reference, placed.command.client_id)

    def _call(self, placed: PlacedCommand, reference: Reference, client_id: str) -> None:
        self.client_ids[reference] = client_id
        name = Reference(reference.class_name, client_id)
        if self._called.setdefault(name, reference.id) != reference.id:
            self.duplicates.append(placed)


def _ids_in(asked: RoleCommand) -> int:
    """Return how many objects a command names by their ids."""
    if isinstance(asked, ToManyCommand):
        return len(asked.add) + len(asked.remove)
    return len(asked.delete) if isinstance(asked, PartsCommand) else 1
