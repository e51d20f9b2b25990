"""Save an object: update it when it has an id, create it otherwise."""

from stratabase.domain.command import Create, Update
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.member import Caller
from stratabase.operations.create import create
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.update import update
from stratabase.operations.world import World
from stratabase.operations.written import Written


def save(
    world: World,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Written:
    """Return the object as it is now. Raises Refused with every issue, TooMuchRead, Unavailable.

    `earlier`: as with `create`.
    """
    if isinstance(command, Update):
        return update(world, command, caller, earlier, terms)
    return create(world, command, caller, earlier, terms)
