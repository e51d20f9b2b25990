"""Lock objects: until that ends, nobody else writes them."""

from collections.abc import Iterator, Sequence

from stratabase.domain.entity import Reference
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.lock import Lock
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.operations.named_entities import NamedEntities
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World

_MINUTE = 60_000
"""Milliseconds."""


def lock(
    world: World,
    references: Sequence[Reference],
    minutes: int,
    caller: Caller,
    terms: Terms = PLAINLY,
) -> None:
    """Lock all of them for the caller, or none; those that he has locked before get a new end.

    Raises Refused with every issue, TooMuchRead, Unavailable.
    """
    named = NamedEntities(world, references, caller, terms)
    issues = [*named.check(), *_wrong_minutes(minutes, world.lock_minutes)]
    if issues:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        taken = Lock(caller.id, caller.username, now + minutes * _MINUTE)
        world.entities.lock(world.ids.new(), each, taken, now)

    named.act(act)


def _wrong_minutes(minutes: int, most: int) -> Iterator[Issue]:
    if not 1 <= minutes <= most:
        text = f"minutes is {minutes:,}: give 1 to {most:,}"
        yield Issue(IssueType.MALFORMED_REQUEST, text, path=("minutes",))
