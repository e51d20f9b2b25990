"""Commits a change, or checks whether it could be committed.

The loop: plan a transaction, attempt it, let it learn from the expectations that failed, attempt it again.
After _MAX_ATTEMPTS, the change is refused as a Conflict.

A change that is too large for one commit takes several: cleanup deletes parts afterwards (deletions.py), and
a staged restoration restores parts beforehand (staged_restoration.py).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    RoleNotBuilt,
    SizeCause,
    TooLarge,
    UniqueNotBuilt,
)
from stratabase.core.store.engine.actions import find_failures
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    Action,
    Batch,
    ExpectationFailed,
    Failure,
    Key,
    OutcomeUnknown,
    Patch,
    Put,
)
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout import keys
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.deletions import deletions, only_deleted_by, without_deferrable_parts
from stratabase.core.store.write.refusals import is_outcome_known, was_committed
from stratabase.core.store.write.staged_restoration import (
    RestorationStages,
    StagedRestoration,
    split_restoration,
)
from stratabase.core.store.write.transaction import WriteTransaction, plan_transaction
from stratabase.values.messages import Message, _

T = TypeVar("T")
_MAX_ATTEMPTS = 5

Attempt = Callable[[int, Sequence[Action]], Sequence[Failure]]
"""Takes the number of an attempt (from 0) and its actions. Returns the expectations that failed."""
ScheduleCleanup = Callable[[Sequence[Key]], None]
"""Takes the keys of ledgers, and runs or schedules their cleanup."""


CommitPlan = tuple[WriteTransaction, RestorationStages | None]
"""How to commit a change: its only transaction, or the last one of a restoration and the stages before it."""


def commit(
    store: StoreContext,
    change: Change,
    *,
    ignores_required: bool = False,
    schedule_cleanup: ScheduleCleanup = lambda _ledgers: None,
) -> list[Key]:
    """Commit all of a change or nothing; return the keys of the ledgers whose cleanup is now due.

    `ignores_required`: skip the checks of required roles, because they were done before.
    `schedule_cleanup`: receives the ledger of a staged restoration that failed, so that it is undone.

    Raises LockedByOthers, Conflict, UniqueViolation, UniqueNotBuilt, IntegrityViolation, TooLarge,
    Unavailable.
    """
    return _with_current_registry(
        store,
        partial(
            _commit_planned,
            store,
            change,
            ignores_required=ignores_required,
            schedule_cleanup=schedule_cleanup,
        ),
    )


def _with_current_registry(store: StoreContext, act: Callable[[WriteSchema], T]) -> T:
    """Return what `act` returns. If something is not built, read the registry anew, and try again once.

    It may have been built since the registry was read. Then nothing was written.
    """
    schema = store.write_schema()
    try:
        return act(schema)
    except (UniqueNotBuilt, IntegrityViolation) as refusal:
        if isinstance(refusal, IntegrityViolation) and not any(
            isinstance(each, RoleNotBuilt) for each in refusal.violations
        ):
            raise
        store.invalidate_registry()
        newer = store.write_schema()
        if newer.registry.revision == schema.registry.revision:
            raise
    return act(newer)


def _commit_planned(
    store: StoreContext,
    change: Change,
    schema: WriteSchema,
    *,
    ignores_required: bool,
    schedule_cleanup: ScheduleCleanup,
) -> list[Key]:
    """Plan and commit a change, as `commit` does."""
    transaction, stages = _plan(store, change, schema, ignores_required=ignores_required)
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
    """Raise the exception that `commit` would raise now, and write nothing."""
    _with_current_registry(store, partial(_check_planned, store, change))


def _check_planned(store: StoreContext, change: Change, schema: WriteSchema) -> None:
    """Plan and check a change, as `dry_run` does."""
    transaction, stages = _plan(store, change, schema, ignores_required=False)
    if stages is None:  # otherwise `_plan` has checked the whole change
        attempt_repeatedly(transaction, lambda _number, actions: _check(store, actions))


def _plan(store: StoreContext, change: Change, schema: WriteSchema, *, ignores_required: bool) -> CommitPlan:
    """Return how to commit a change. Raises as `commit` does."""
    # 1. Most changes fit in one commit.
    whole = plan_transaction(store, change, schema, ignores_required=ignores_required)
    if fits_in_one_commit(actions := whole.actions()):
        whole.fitting_actions = actions
        return whole, None
    # 2. Otherwise, try to delete parts later, and to restore parts beforehand. If nothing can be deferred,
    #    `check_size` refuses the whole at its first attempt.
    smaller, stages = _plan_smaller(store, change, ignores_required=ignores_required)
    if smaller is None:
        return whole, None
    # 3. Check the expectations of the whole change now. Once the first commit is done, cleanup does not
    #    refuse anything any more.
    if not ignores_required:
        attempt_repeatedly(whole, lambda _number, actions: find_failures(store.engine, actions))
        smaller.adopt_counts(whole.counts)
    check_size(smaller.actions(), at_least=True)
    return smaller, stages


def _plan_smaller(
    store: StoreContext, change: Change, *, ignores_required: bool
) -> tuple[WriteTransaction | None, RestorationStages | None]:
    """Return the smallest first or last transaction of a change, and the stages of a restoration.

    The transaction is None if no part of the change can be deferred.
    """
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
    deferred = only_deleted_by(change, smaller)
    return plan_transaction(store, smaller, ignores_required=ignores_required, deferred=deferred)


def attempt_repeatedly(transaction: WriteTransaction, attempt: Attempt) -> None:
    """Attempt a transaction until no expectation fails; let it learn from each refused attempt.

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
    """Return the expectations that would fail now. Write nothing. Raises TooLarge."""
    check_size(actions)
    return find_failures(store.engine, actions)


def _commit(store: StoreContext, transaction: WriteTransaction, more: Sequence[Action] = ()) -> None:
    """Commit a transaction together with `more` actions. Raises as `commit` does."""
    attempt_repeatedly(transaction, partial(_try_commit, store, transaction, more))
    if transaction.records_violations:
        store.invalidate_registry()


def _try_commit(
    store: StoreContext,
    transaction: WriteTransaction,
    more: Sequence[Action],
    number: int,
    actions: Sequence[Action],
) -> Sequence[Failure]:
    """Attempt one commit; return the expectations that failed, if any. Raises TooLarge, Unavailable."""
    if more:
        actions = (*actions, *more)
    if actions is not transaction.fitting_actions:
        check_size(actions)
    batch = Batch(transaction.change.commit_id, tuple(actions), number, transaction.fence)
    try:
        store.engine.commit(batch)
    except ExpectationFailed as refusal:
        failures = refusal.failures
    except OutcomeUnknown as doubt:
        # A response was lost. The heads that were found may still tell whether the commit was done.
        if not is_outcome_known(transaction.change, doubt.failures):
            raise
        failures = doubt.failures
    else:
        return ()
    # The registry has changed since it was cached: the next plan must read it again.
    if any(failure.action.key == keys.REGISTRY for failure in failures):
        store.invalidate_registry()
    return failures


# The size of a commit.

MAX_BATCH_BYTES = 4 * 1024 * 1024
"""The maximum size of a commit in bytes, which is that of DynamoDB's TransactWriteItems."""
_MAX_ACTIONS_OF_LINK = 6
"""The maximum number of actions for one link: its ends and counts, and those of a replaced target."""
_BESIDE_STATE = 1024
"""An upper estimate of the bytes of an action without its state and places."""


def fits_in_one_commit(actions: Sequence[Action]) -> bool:
    """Return whether every engine can commit these actions as one batch."""
    return len(actions) <= MAX_ACTIONS and sum(map(action_bytes, actions)) <= MAX_BATCH_BYTES


def check_size(actions: Sequence[Action], *, at_least: bool = False) -> None:
    """Raise TooLarge if actions do not fit in one commit. `at_least`: the change may need more than these."""
    number = len(actions)
    if number > MAX_ACTIONS:
        raise TooLarge(_too_many_message(number, at_least=at_least), cause=_cause(actions))
    size = sum(map(action_bytes, actions))
    if size > MAX_BATCH_BYTES:
        message = _(
            "The write has {size} bytes. The maximum is {maximum} bytes.", size=size, maximum=MAX_BATCH_BYTES
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
    """Return the role whose links cause most of the actions, and how many of its links fit in one commit.

    None if links are not the main cause.
    """
    ends = Counter(end for action in actions if (end := keys.end_of(action.key)))
    for (_id, role), number in ends.most_common(1):
        each = -(-(len(actions) - 1) // number)
        if each <= _MAX_ACTIONS_OF_LINK:
            return SizeCause(role, (MAX_ACTIONS - 1) // each)
    return None


def action_bytes(action: Action) -> int:
    """Return an upper estimate of the bytes of an action."""
    written = action.item if isinstance(action, Put) else action if isinstance(action, Patch) else None
    if written is None:
        return _BESIDE_STATE
    texts = [place.sort for place in written.places.values() if place is not None]
    if written.state is not None:
        texts.append(written.state)
    return _BESIDE_STATE + sum([len(text) if text.isascii() else len(text.encode()) for text in texts])
