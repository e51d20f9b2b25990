"""Delete an object, and all its parts."""

from stratabase.domain.command import Delete
from stratabase.domain.member import Caller
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World


def delete(world: World, command: Delete, caller: Caller) -> bool:
    """Return whether there was an object to delete: of several who delete it at once, one is told so.

    Raises Refused where another object must not be without it; Unavailable when the store cannot say whether
    it is deleted, and by whom.
    """
    return bool(GraphWrite(world, command, caller).done().change.effects)
