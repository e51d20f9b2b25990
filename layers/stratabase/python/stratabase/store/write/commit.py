"""Commit a change, or check that it could be committed.

A transaction is attempted until it is done, or until what an attempt found refuses it. What does not fit in
one commit may take several: deleted parts end later (deletions.py), restored parts come back before
(staged_restoration.py).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from stratabase.domain.objects.change import Change
from stratabase.domain.objects.commit_refusals import Conflict, SizeCause, TooLarge
from stratabase.messages import Message, _
from stratabase.store.engine.expectations import find_failures
from stratabase.store.engine.port import MAX_ACTIONS, Action, Batch, Failure, Key, OutcomeUnknown, Patch, Put
from stratabase.store.layout import keys
from stratabase.store.read.context import StoreContext
from stratabase.store.write.deletions import deletions, only_deleted_by, without_deferrable_parts
from stratabase.store.write.refusals import is_outcome_known, try_commit, was_committed
from stratabase.store.write.staged_restoration import RestorationStages, StagedRestoration, split_restoration
from stratabase.store.write.transaction import WriteTransaction, plan_transaction

_MAX_ATTEMPTS = 5

Attempt = Callable[[int, Sequence[Action]], Sequence[Failure]]
"""Tries actions; takes the number of the attempt, from 0. Returns the expectations that failed."""
ScheduleCleanup = Callable[[Sequence[Key]], None]
"""Takes the keys of ledgers whose work is to be done soon."""


class CommitPlan(NamedTuple):
    """The transaction of a change, and the parts of a restoration that are committed before it, if any."""

    transaction: WriteTransaction
    stages: RestorationStages | None = None


def commit(
    store: StoreContext,
    change: Change,
    *,
    ignores_required: bool = False,
    schedule_cleanup: ScheduleCleanup = lambda _ledgers: None,
) -> list[Key]:
    """Do all of a change or nothing; return the keys of the ledgers of what is left to purge.

    `ignores_required`: the change was checked before. `schedule_cleanup`: takes the ledger of a restoration
    that failed, so that nothing of it stays.

    Raises LockedByOthers, Conflict, UniqueViolation, UniqueNotBuilt, IntegrityViolation, TooLarge,
    Unavailable.
    """
    transaction, stages = _plan(store, change, ignores_required=ignores_required)
    if stages is None:
        _commit(store, transaction)
        return transaction.ledger_keys
    restoration = StagedRestoration(store, change, stages, partial(_commit, store))
    try:
        restoration.run(transaction)
    except Exception:
        schedule_cleanup([restoration.ledger])
        raise
    return [*transaction.ledger_keys, restoration.ledger]


def dry_run(store: StoreContext, change: Change) -> None:
    """Raise what `commit` would raise now, and write nothing."""
    transaction, stages = _plan(store, change, ignores_required=False)
    if stages is None:  # otherwise the plan has checked all of it
        attempt_repeatedly(transaction, lambda _id, actions: _check(store, actions))


def _plan(store: StoreContext, change: Change, *, ignores_required: bool) -> CommitPlan:
    """Return the plan of a change. Raises as `commit` does."""
    # 1. Most changes fit in one commit.
    whole = plan_transaction(store, change, ignores_required=ignores_required)
    if fits_in_one_commit(whole.actions()):
        return CommitPlan(whole)
    # 2. Otherwise deleted parts may end later, and restored parts may come back before.
    smaller, stages = _plan_smaller(store, change, ignores_required=ignores_required)
    if smaller is None:
        return CommitPlan(whole)
    # 3. Whether all of it may be done is checked now, because nothing is refused later.
    if not ignores_required:
        attempt_repeatedly(whole, lambda _id, actions: find_failures(store.engine, actions))
        smaller.adopt_counts(whole.counts)
    check_size(smaller.actions(), at_least=True)
    return CommitPlan(smaller, stages)


def _plan_smaller(
    store: StoreContext, change: Change, *, ignores_required: bool
) -> tuple[WriteTransaction | None, RestorationStages | None]:
    """Return the smallest transaction that still does a change; None if that is the whole change."""
    smaller: WriteTransaction | None = None
    if any(deletions(change)):
        smaller = _plan_without_parts(store, change, ignores_required=ignores_required)
        if fits_in_one_commit(smaller.actions()):
            return smaller, None
    if stages := split_restoration(store, change):
        smaller = _plan_without_parts(store, stages.last, ignores_required=ignores_required)
    return smaller, stages


def _plan_without_parts(store: StoreContext, change: Change, *, ignores_required: bool) -> WriteTransaction:
    smaller = without_deferrable_parts(change, store)
    later = only_deleted_by(change, smaller)
    return plan_transaction(store, smaller, ignores_required=ignores_required, later=later)


def attempt_repeatedly(transaction: WriteTransaction, attempt: Attempt) -> None:
    """Attempt a transaction until nothing fails, and let it learn from what does.

    Raises LockedByOthers, Conflict, UniqueViolation, IntegrityViolation, and what `attempt` raises.
    """
    transaction.check_certain()
    for number in range(_MAX_ATTEMPTS):
        failures = attempt(number, transaction.actions())
        if not failures or was_committed(transaction.change, failures):
            return
        transaction.learn(failures)
    raise Conflict


def _check(store: StoreContext, actions: Sequence[Action]) -> Sequence[Failure]:
    """Return the expectations that fail now, and write nothing. Raises TooLarge."""
    check_size(actions)
    return find_failures(store.engine, actions)


def _commit(store: StoreContext, transaction: WriteTransaction, more: Sequence[Action] = ()) -> None:
    """Commit a transaction with further actions. Raises as `commit` does."""
    attempt_repeatedly(
        transaction, lambda number, actions: _try_commit(store, transaction, number, (*actions, *more))
    )
    if transaction.changes_rules:
        store.forget_rules()


def _try_commit(
    store: StoreContext, transaction: WriteTransaction, number: int, actions: Sequence[Action]
) -> Sequence[Failure]:
    """Commit; return the expectations that failed, if any. Raises TooLarge, Unavailable."""
    check_size(actions)
    batch = Batch(transaction.change.commit_id, tuple(actions), number, transaction.fence)
    try:
        failures = try_commit(store.engine, batch)
    except OutcomeUnknown as doubt:
        if not is_outcome_known(transaction.change, doubt.failures):
            raise
        failures = doubt.failures
    if any(failure.action.key == keys.REGISTRY for failure in failures):
        store.forget_rules()
    return failures


# What one commit can hold.

LARGEST_BATCH = 4 * 1024 * 1024
"""Bytes."""
_MAX_ACTIONS_OF_LINK = 6
"""For one link: its two ends, what counts it, and the same at the object that a key led to before."""
_BESIDE_STATE = 1024
"""Bytes that an action has at most besides the state and the places."""


def fits_in_one_commit(actions: Sequence[Action]) -> bool:
    """Return whether every engine can do these actions as one."""
    return len(actions) <= MAX_ACTIONS and _bytes(actions) <= LARGEST_BATCH


def check_size(actions: Sequence[Action], *, at_least: bool = False) -> None:
    """Raise TooLarge when actions cannot be done together. `at_least`: there may be more of them."""
    number = len(actions)
    if number > MAX_ACTIONS:
        raise TooLarge(_too_many_message(number, at_least=at_least), cause=_cause(actions))
    size = _bytes(actions)
    if size > LARGEST_BATCH:
        message = _(
            "The write has {size} bytes. The maximum is {maximum} bytes.", size=size, maximum=LARGEST_BATCH
        )
        raise TooLarge(message)


def _too_many_message(number: int, *, at_least: bool) -> Message:
    if at_least:
        return _(
            "The write has at least {number} objects, links, and unique values. The maximum is {maximum}.",
            number=number,
            maximum=MAX_ACTIONS,
        )
    return _(
        "The write has {number} objects, links, and unique values. The maximum is {maximum}.",
        number=number,
        maximum=MAX_ACTIONS,
    )


def _cause(actions: Sequence[Action]) -> SizeCause | None:
    """Return the role of one object that most actions are for, and how many of its links fit."""
    ends = Counter(end for action in actions if (end := keys.end_of(action.key)))
    for (_id, role), number in ends.most_common(1):
        each = -(-(len(actions) - 1) // number)
        if each <= _MAX_ACTIONS_OF_LINK:
            return SizeCause(role, (MAX_ACTIONS - 1) // each)
    return None


def _bytes(actions: Sequence[Action]) -> int:
    return sum(map(_action_bytes, actions))


def _action_bytes(action: Action) -> int:
    """Return how many bytes an action has at most."""
    written = action.item if isinstance(action, Put) else action if isinstance(action, Patch) else None
    if written is None:
        return _BESIDE_STATE
    places = sum(len(place.sort.encode()) for place in written.places.values() if place is not None)
    return _BESIDE_STATE + places + len((written.state or "").encode())
