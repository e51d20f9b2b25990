"""Show what a create, an update or a save would make, and write nothing."""

from stratabase.domain.command import Create, Update
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World
from stratabase.operations.written import Written


def preview(
    world: World, command: Create | Update, caller: Caller, earlier: ClientIds | None = None
) -> Written:
    """Return the object as it would be; numbers that the service gives are null. Raises Refused, Unavailable.

    `earlier`: as with `create`.
    """
    judgement = GraphWrite(world, command, caller, earlier).rehearsed()
    if judgement.issues:
        raise Refused(judgement.issues)
    return judgement.written()
