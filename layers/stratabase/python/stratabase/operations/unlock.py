"""Unlock objects: others may write them again."""

from collections.abc import Sequence

from stratabase.domain.entity import Reference
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.named_entities import NamedEntities
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World


def unlock(world: World, references: Sequence[Reference], caller: Caller, terms: Terms = PLAINLY) -> None:
    """End the caller's locks on all of them, or on none; an administrator ends anybody's.

    What is not locked stays so. Raises Refused with every issue, TooMuchRead,
    Unavailable.
    """
    named = NamedEntities(world, references, caller, terms)
    if issues := [*named.check()]:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        commit_id, anybodys = world.ids.new(), caller.administrator
        world.entities.unlock(commit_id, each, caller.id, now, anybodys=anybodys)

    named.act(act)
