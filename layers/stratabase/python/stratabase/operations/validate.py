"""Tell what is wrong with a write, and write nothing."""

from collections.abc import Sequence

from stratabase.domain.command import Command
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.issue import Issue
from stratabase.domain.member import Caller
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World


def validate(
    world: World,
    command: Command,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Sequence[Issue]:
    """Return why the write would be refused, its warnings too; then what it passes over and is still empty.

    The write would be done if none of them `stops_write`. Raises TooMuchRead, Unavailable. `earlier`: as with
    `create`.
    """
    judgement = GraphWrite(world, command, caller, earlier, terms=terms, validates=True).rehearsed()
    return [*judgement.issues, *judgement.reports]
