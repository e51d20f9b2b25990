"""Show what a create, an update or a save would make, and write nothing."""

from stratabase.domain.command import Create, Update
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.issue import Level
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World
from stratabase.operations.written import Written


def preview(
    world: World,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Written:
    """Return the object as it would be; numbers that the service gives are null.

    Raises Refused, but not for warnings alone; TooMuchRead, Unavailable. `earlier`: as with `create`.
    """
    judgement = GraphWrite(world, command, caller, earlier, terms=terms).rehearsed()
    if any(issue.level is Level.ERROR for issue in judgement.issues):
        raise Refused(judgement.issues)
    return judgement.written()
