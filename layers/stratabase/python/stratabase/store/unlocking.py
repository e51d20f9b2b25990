"""The locks of objects are ended: of all that are named, or of none."""

from collections.abc import Sequence

from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.domain.refusal import Unavailable
from stratabase.store import keys, locks
from stratabase.store.desk import Desk
from stratabase.store.engine.port import (
    Batch,
    Condition,
    ConditionOperator,
    Expectation,
    ExpectationFailed,
    Failure,
    OutcomeUnknown,
    Patch,
)
from stratabase.store.locking import Wholes, check_size, there, unlockable

_ROUNDS = 20
"""How often a lock is taken away that is another each time."""


def unlock(  # noqa: PLR0913 - what is unlocked, by whom, when, and how far he may go
    desk: Desk,
    commit_id: str,
    references: Sequence[Reference],
    member_id: str,
    now: Instant,
    *,
    anybodys: bool = False,
) -> None:
    """End the locks of a member, or `anybodys`. Raises Unlockable, TooLarge, Unavailable.

    What is not locked stays so. A lock of another is taken away as it was found, and no other in its place:
    so a commit whose answer was lost takes nothing away twice.
    """
    check_size(references)
    own = {reference: there(desk, reference, locks.admitting(member_id, now)) for reference in references}
    expected = dict(own)
    for round_ in range(_ROUNDS):
        failures = _refused(desk, commit_id, expected, round_)
        if not failures:
            return
        refusal = unlockable(failures, Wholes())
        if refusal.missing or not anybodys:
            raise refusal
        found = {keys.reference_of(each.action.key): each.found for each in failures}
        expected |= {
            reference: _as_found(lock) if item and (lock := locks.lock_of(item)) else own[reference]
            for reference, item in found.items()
        }
    raise Unavailable("others kept locking the same objects; try again")


def _refused(
    desk: Desk, commit_id: str, expected: dict[Reference, Expectation], round_: int
) -> Sequence[Failure]:
    """Try, and return the expectations that failed. Raises Unavailable."""
    actions = [
        Patch(keys.head(reference), expect, remove=locks.ATTRIBUTES) for reference, expect in expected.items()
    ]
    try:
        desk.engine.commit(Batch(commit_id, tuple(actions), round_))
    except ExpectationFailed as refusal:
        return refusal.failures
    except OutcomeUnknown as doubt:
        if any(each.found is None or locks.lock_of(each.found) for each in doubt.failures):
            raise
    return ()


def _as_found(lock: Lock) -> Expectation:
    conditions = (
        Condition(locks.OWNER, ConditionOperator.EQUALS, lock.owner),
        Condition(locks.UNTIL, ConditionOperator.EQUALS, lock.until),
    )
    return Expectation(exists=True, conditions=conditions)
