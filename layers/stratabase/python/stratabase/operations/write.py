"""One atomic write: gather, decide, commit, and once more when another write came between."""

from collections.abc import Callable
from typing import TypeVar

from stratabase.domain.change import Change, Conflict, Creation, Deletion, OnObject, Taken, TooLarge, Update
from stratabase.domain.instant import Instant
from stratabase.domain.issue import IssueType
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.subject import Subject
from stratabase.domain.writing import taken
from stratabase.operations.world import World

MOST_ROUNDS = 500
"""After which a write gives up against others that keep coming between."""

E = TypeVar("E", Creation, Update, Deletion)


def write(world: World, subject: Subject, decide: Callable[[Instant], E | None]) -> E | None:
    """Gather and decide (`decide`, at an instant), then commit; return the effect, None when there was none.

    Another round begins only where it is certain that nothing was written. Raises Refused with every issue;
    Unavailable when others came between too often, or the store cannot say whether it wrote.
    """
    for _ in range(MOST_ROUNDS):
        now = world.clock.now()
        effect = decide(now)
        if effect is None or _committed(world, subject, effect, now):
            return effect
    raise Unavailable("other writes to the same object kept coming between; try again")


def _committed(world: World, subject: Subject, effect: OnObject, now: Instant) -> bool:
    """Return whether the effect was written; not when the object had changed meanwhile."""
    try:
        world.entities.commit(Change(world.ids.new(), now, (effect,)))
    except Conflict:
        return False
    except Taken as refusal:
        state = effect.before.state if isinstance(effect, Deletion) else effect.after.state
        raise Refused([taken(subject, unique, state) for _, unique in refusal.taken]) from None
    except TooLarge as refusal:
        raise Refused([subject.issue(IssueType.MALFORMED_REQUEST, str(refusal), "data")]) from None
    return True
