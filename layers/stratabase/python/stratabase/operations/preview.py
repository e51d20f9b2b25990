"""Show what a create, an update or a save would make, and write nothing."""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.domain.command import Create, Update
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.issue import Issue, Level
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World
from stratabase.operations.written import Written


class Preview(NamedTuple):
    """An object as it would be, and why it would not be written: nothing if it would."""

    written: Written
    issues: Sequence[Issue] = ()


def preview(
    world: World,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Preview:
    """Return the object as it would be; numbers that the service gives are null.

    An incomplete draft is shown as far as it goes: a value that cannot be read is null. Warnings alone are no
    issues here. Raises Refused where there is nothing to show, because the object to change is not there, or
    the caller may not do this; TooMuchRead, Unavailable. `earlier`: as with `create`.
    """
    judgement = GraphWrite(world, command, caller, earlier, terms=terms).rehearsed()
    is_good = all(issue.level is not Level.ERROR for issue in judgement.issues)
    if not is_good and not judgement.is_shown:
        raise Refused(judgement.issues)
    return Preview(judgement.written(), () if is_good else judgement.issues)
