"""What objects are called in a request: the new ones by their `_clientId`, also before they are made."""

from collections.abc import Callable, Mapping

from stratabase.domain.command import AnyCommand, Create, Delete, Restore
from stratabase.domain.entity import Reference
from stratabase.domain.graph.piece import ROOT, Piece, pieces
from stratabase.domain.issue import Path
from stratabase.domain.role_command import Links, Parts, RoleCommand
from stratabase.domain.sought import sought

MOST_OBJECTS = 1000
"""Of which one command may speak, so that none takes long before it is refused for what the store can do."""

MOST_RESTORED = 10_000
"""Parts that one restoration looks at, so that it is done while somebody waits."""

ClientIds = Mapping[Reference, str]
"""What clients call objects: `_clientId` by object."""


class Names:
    """The ids of the objects that a command makes, and what they and those written before are called.

    A `_clientId` names one object of a class.
    """

    def __init__(
        self, command: AnyCommand, new_id: Callable[[], str], earlier: ClientIds | None = None
    ) -> None:
        self.client_ids: dict[Reference, str] = {}
        """Those that the command gives."""
        self.there: list[Reference] = []
        """The objects that the command changes or ends, and which must be there; first the one it is on."""
        self.twice: list[Piece] = []
        """What would have the name of another object."""
        self.count = 0
        """How often the command speaks of an object."""
        self._made: dict[Path, str] = {}
        self._called: dict[Reference, str] = {
            Reference(reference.class_name, client_id): reference.id
            for reference, client_id in (earlier or {}).items()
        }
        for piece in pieces(command):
            self._add(piece, new_id)
        if isinstance(command, Delete | Restore):
            self.there.append(self.meant(*command.reference))
        self.root = self._root(command)
        """The object that the command is on."""

    @property
    def is_too_much(self) -> bool:
        """Whether the command speaks of more objects than one may."""
        return self.count > MOST_OBJECTS

    def id_at(self, path: Path) -> str:
        """Return the id of the object that is made at a place."""
        return self._made[path]

    def meant(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that an `_id` or a `_clientId` means."""
        named = Reference(class_name, id_)
        called = self._called.get(named)
        return sought(named) if called is None else Reference(class_name, called)

    def _root(self, command: AnyCommand) -> Reference:
        if isinstance(command, Create):
            return Reference(command.class_name, self.id_at(ROOT))
        return self.meant(*command.reference)

    def _add(self, piece: Piece, new_id: Callable[[], str]) -> None:
        self.count += 1 + sum(map(_ids_in, piece.command.roles.values()))
        if isinstance(piece.command, Create):
            self._made[piece.path] = new_id()
            reference = Reference(piece.command.class_name, self._made[piece.path])
        else:
            reference = self.meant(*piece.command.reference)
            self.there.append(reference)
        if piece.command.client_id is not None:
            self._call(piece, reference, piece.command.client_id)

    def _call(self, piece: Piece, reference: Reference, client_id: str) -> None:
        self.client_ids[reference] = client_id
        name = Reference(reference.class_name, client_id)
        if self._called.setdefault(name, reference.id) != reference.id:
            self.twice.append(piece)


def _ids_in(asked: RoleCommand) -> int:
    """Return how many objects a command names by their ids."""
    if isinstance(asked, Links):
        return len(asked.add) + len(asked.remove)
    return len(asked.delete) if isinstance(asked, Parts) else 1
