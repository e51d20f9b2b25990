"""Save an object: update it when it has an id, create it otherwise."""

from stratabase.domain.command import Create, Update
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.member import Caller
from stratabase.operations.create import create
from stratabase.operations.update import update
from stratabase.operations.world import World
from stratabase.operations.written import Written


def save(world: World, command: Create | Update, caller: Caller, earlier: ClientIds | None = None) -> Written:
    """Return the object as it is now. Raises Refused with every issue, Unavailable.

    `earlier`: as with `create`.
    """
    if isinstance(command, Update):
        return update(world, command, caller, earlier)
    return create(world, command, caller, earlier)
