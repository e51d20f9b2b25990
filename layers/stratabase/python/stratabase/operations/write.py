"""One atomic write: gather, decide, commit, and once more when another write came between."""

from collections.abc import Callable
from typing import TypeVar

from stratabase.domain.change import (
    Change,
    Conflict,
    Creation,
    Deletion,
    Held,
    NotBuilt,
    OnObject,
    Taken,
    TooLarge,
    Update,
)
from stratabase.domain.held import held
from stratabase.domain.instant import Instant
from stratabase.domain.issue import IssueType
from stratabase.domain.lock import Lock, holds
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.subject import Subject
from stratabase.domain.version import instant_after
from stratabase.domain.writing import not_built, taken
from stratabase.operations.ports import Clock
from stratabase.operations.world import World

MOST_ROUNDS = 500
"""After which a write gives up against others that keep coming between."""

E = TypeVar("E", Creation, Update, Deletion)


def write(world: World, subject: Subject, caller: Caller, decide: Callable[[Instant], E | None]) -> E | None:
    """Gather and decide (`decide`, at an instant), then commit; return the effect, None when there was none.

    Another round begins only where it is certain that nothing was written. Raises Refused with every issue;
    Unavailable when others came between too often, or the store cannot say whether it wrote.
    """
    for _ in range(MOST_ROUNDS):
        now = world.clock.now()
        effect = decide(now)
        if effect is None or _committed(world, subject, caller, effect, now):
            return effect
    raise Unavailable("other writes to the same object kept coming between; try again")


def still_holds(clock: Clock, refusal: Held) -> bool:
    """Return whether something is still locked; otherwise a write need only be tried once more."""
    now = clock.now()
    return any(holds(lock, now) for _, lock in refusal.held)


def _committed(world: World, subject: Subject, caller: Caller, effect: OnObject, now: Instant) -> bool:
    """Return whether the effect was written; not when the object had changed meanwhile."""
    before = None if effect.before is None else effect.before.start
    instant = instant_after(now, [before])
    try:
        world.entities.commit(Change(world.ids.new(), instant, (effect,), caller.id, now))
    except Conflict:
        return False
    except Held as refusal:
        if not still_holds(world.clock, refusal):
            return False
        raise locked(subject, caller, refusal.held[0][1]) from None
    except Taken as refusal:
        state = effect.before.state if isinstance(effect, Deletion) else effect.after.state
        issues = [taken(subject, unique, state, caller.formats) for _, unique in refusal.taken]
        raise Refused(issues) from None
    except NotBuilt as refusal:
        raise Refused([not_built(subject, unique) for _, unique in refusal.unbuilt]) from None
    except TooLarge as refusal:
        raise Refused([subject.issue(IssueType.MALFORMED_REQUEST, str(refusal), "data")]) from None
    return True


def locked(subject: Subject, caller: Caller, lock: Lock) -> Refused:
    """Return the refusal to write an object that another has locked."""
    return Refused([held(IssueType.ENTITY_LOCK_PERSIST, subject, lock, caller.formats)])
