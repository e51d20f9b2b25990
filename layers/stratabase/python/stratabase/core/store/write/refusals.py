"""Interprets the expectations that failed in a commit, as refusals of the domain.

An engine refuses a batch with the expectations that failed and the items that it found. What each failure
means, in the order in which `WriteTransaction.learn` tests for it:

| failed expectation                                        | meaning                                  |
|-----------------------------------------------------------|------------------------------------------|
| the idempotency record of the change                      | AlreadyRecorded                          |
| a head, only because of its lock                          | LockedByOthers                           |
| a head, which another commit has written or claimed since | Conflict                                 |
| the registry, a closed version, a ledger                  | Conflict                                 |
| a guard of unique values that another object needs        | UniqueViolation                          |
| a guard of a one-to-one target that another object holds  | IntegrityViolation: AlreadyAssociated    |
| a guard that is older than the constraint, or left behind | another attempt, with the guard as found |
| a link or guard to remove, which does not exist           | another attempt, which does not count it |
| a head without a count                                    | another attempt, which sets the count    |
| a head that does not exist, and something leads there     | IntegrityViolation: TargetNotFound       |
| a head whose required role would be empty                 | IntegrityViolation: RequiredRoleEmpty    |

After a lost response (OutcomeUnknown), the heads that were found tell whether the change was committed, if
they list either its commit or the one before it. Otherwise the refusal is Unavailable.
"""

from collections.abc import Sequence
from dataclasses import replace

from stratabase.core.domain.objects.change import Change, ObjectEffect, Restoration, reference_of
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.engine.actions import is_met
from stratabase.core.store.engine.port import Failure
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.codec import LOCKED_UNTIL, lock_of


def blocking_locks(failures: Sequence[Failure]) -> list[tuple[Reference, Lock]]:
    """Return the objects whose expectations failed only because of their locks, with the locks.

    Return an empty list if one of these heads also failed for another reason. Then the change is planned
    again, and the locked object may not need to be written.
    """
    asked = [failure for failure in failures if _expects_lock(failure)]
    locks = {keys.reference_of(failure.action.key): blocking_lock(failure) for failure in asked}
    if None in locks.values():
        return []
    return [(reference, lock) for reference, lock in locks.items() if lock is not None]


def blocking_lock(failure: Failure) -> Lock | None:
    """Return the lock that was found on a head, or None if the expectation also failed for another reason."""
    is_as_expected = is_met(replace(failure.action.expect, either=()), failure.found)
    return lock_of(failure.found) if is_as_expected and failure.found else None


def _expects_lock(failure: Failure) -> bool:
    return any(condition.attribute == LOCKED_UNTIL for condition in failure.action.expect.either)


def is_outcome_known(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether the heads that were found tell if a change was committed, after a lost response."""
    return was_committed(change, failures) or was_not_committed(change, failures)


def was_committed(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change was committed by an earlier attempt: a head lists its commit id."""
    return any(change.commit_id in _proofs(failure) for failure in failures)


def was_not_committed(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change was certainly not committed.

    A head lists its last commits. A commit appends its id after the one that it expects to be the last. If a
    head still lists the expected id, it also lists all later ones. So if the id of the change is not among
    them, the change was not committed.
    """
    expected = {keys.head(reference_of(effect)): _expected_last(effect) for effect in change.object_effects()}
    return not was_committed(change, failures) and any(
        failure.found is not None and commit_id in codec.commit_ids(failure.found)
        for failure in failures
        for commit_id in expected.get(failure.action.key, ())
    )


def _expected_last(effect: ObjectEffect) -> tuple[str, ...]:
    """Return the id of the last commit that an effect expects on its head; empty for a new object."""
    found = effect.tombstone if isinstance(effect, Restoration) else effect.before
    return () if found is None else found.commit_ids[-1:]


def _proofs(failure: Failure) -> tuple[str, ...]:
    """Return the ids in the item that was found of commits that were done."""
    if failure.found is None:
        return ()
    stamps = (failure.found.attributes.get(name) for name in (codec.LINKED, codec.CLAIMED))
    return (*codec.commit_ids(failure.found), *(each for each in stamps if isinstance(each, str)))
