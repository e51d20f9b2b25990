"""Make an object what it was at an instant, with its parts."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from stratabase.domain.command import Restore
from stratabase.domain.entity import Reference
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.versions import meant
from stratabase.operations.world import World
from stratabase.operations.written import Written


def restore(
    world: World,
    reference: Reference,
    readings: Sequence[Instant],
    caller: Caller,
    terms: Terms = PLAINLY,
) -> Written:
    """Return the object as it is now; a deleted one comes back. Nothing is written when nothing changes.

    `readings`: what the instant may be (`meant`). What it referred to and is there no more is left out, if
    the write is forced; otherwise that is refused. A version that the caller does not see is none. Raises
    Refused with every issue, TooMuchRead, Unavailable.
    """
    write = partial(GraphWrite, world, caller=caller, terms=terms)
    command = Restore(reference, readings[0], terms.force)
    if issues := write(command).forbidden():
        raise Refused(issues)
    command = replace(command, at=meant(world, reference, readings))
    return write(command).done().written()
