"""How a change is written: tried, and otherwise when what was found teaches better; or only rehearsed.

What does not fit in one commit may be done in several: parts end later (`endings`), or come back before
(`staging`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from stratabase.domain.objects.change import Change
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.store import keys, size
from stratabase.store.deed import Deed
from stratabase.store.desk import Desk
from stratabase.store.drafting import drafted
from stratabase.store.endings import deletions, difference, without_parts
from stratabase.store.engine.expectations import find_failures
from stratabase.store.engine.port import Action, Batch, ExpectationFailed, Failure, Key, OutcomeUnknown
from stratabase.store.outcome import is_known, was_done
from stratabase.store.staging import Stages, Staging, split

_ROUNDS = 5

Attempt = Callable[[int, Sequence[Action]], Sequence[Failure]]
"""Tries actions, told which time this is; returns the expectations that do not hold."""


Leave = Callable[[Sequence[Key]], None]
"""Takes the ledgers of what is to be ended soon."""


class Plan(NamedTuple):
    """What is committed, and perhaps what comes back before that."""

    deed: Deed
    stages: Stages | None = None


def commit(desk: Desk, change: Change, *, forced: bool = False, leave: Leave = lambda _: None) -> list[Key]:
    """Do all of a change or nothing; return the ledgers of what is left to be purged.

    `leave`: takes the ledger of a restoration that is not done, so that nothing of it stays. Raises Held,
    Conflict, Taken, NotBuilt, Broken, TooLarge, Unavailable.
    """
    deed, stages = _planned(desk, change, forced=forced)
    if stages is None:
        _commit(desk, deed)
        return deed.left
    staging = Staging(desk, change, stages, partial(_commit, desk))
    try:
        staging.run(deed)
    except Exception:
        leave([staging.ledger])
        raise
    return [*deed.left, staging.ledger]


def rehearse(desk: Desk, change: Change) -> None:
    """Raise what `commit` would raise now, and write nothing."""
    deed, stages = _planned(desk, change, forced=False)
    if stages is None:  # otherwise all of it was judged together
        _settle(deed, lambda _, actions: _judged(desk, actions))


def _planned(desk: Desk, change: Change, *, forced: bool) -> Plan:
    """Return what a change comes to: one that is too large may leave some for later, or do some before.

    Parts that end may end later, and parts that come back may do so before. Whether all of it may be done is
    asked here. Raises Held, Conflict, Taken, NotBuilt, Broken, TooLarge.
    """
    deed = drafted(desk, change, forced=forced)
    if size.fits(deed.actions()):
        return Plan(deed)
    less, stages = _less(desk, change, forced=forced)
    if less is None:
        return Plan(deed)
    if not forced:
        _settle(deed, lambda _, actions: find_failures(desk.engine, actions))
        less.count_on(deed.tallies)
    size.check(less.actions(), at_least=True)
    return Plan(less, stages)


def _less(desk: Desk, change: Change, *, forced: bool) -> tuple[Deed | None, Stages | None]:
    """Return what a change comes to when as little as possible is done together; None if that is all."""
    less: Deed | None = None
    if any(deletions(change)):
        less = _without_parts(desk, change, forced=forced)
        if size.fits(less.actions()):
            return less, None
    if stages := split(desk, change):
        less = _without_parts(desk, stages.last, forced=forced)
    return less, stages


def _without_parts(desk: Desk, change: Change, *, forced: bool) -> Deed:
    less = without_parts(change, desk)
    return drafted(desk, less, forced=forced, later=difference(change, less))


def _settle(deed: Deed, attempt: Attempt) -> None:
    """Try until nothing is in the way. Raises Conflict, Taken, Broken, TooLarge."""
    deed.check()
    for round_ in range(_ROUNDS):
        failures = attempt(round_, deed.actions())
        if not failures or was_done(deed.change, failures):
            return
        deed.learn(failures)
    raise Conflict


def _judged(desk: Desk, actions: Sequence[Action]) -> Sequence[Failure]:
    size.check(actions)
    return find_failures(desk.engine, actions)


def _commit(desk: Desk, deed: Deed, more: Sequence[Action] = ()) -> None:
    """Commit what a deed comes to, with further actions. Raises as `commit` does."""
    _settle(deed, lambda round_, actions: _attempt(desk, deed, round_, (*actions, *more)))
    if deed.changes_rules:
        desk.forget_rules()


def _attempt(desk: Desk, deed: Deed, round_: int, actions: Sequence[Action]) -> Sequence[Failure]:
    """Commit, and return the expectations that failed, if any. Raises TooLarge, Unavailable."""
    size.check(actions)
    failures: Sequence[Failure] = ()
    try:
        desk.engine.commit(Batch(deed.change.commit_id, tuple(actions), round_, deed.fence))
    except ExpectationFailed as refusal:
        failures = refusal.failures
    except OutcomeUnknown as doubt:
        if not is_known(deed.change, doubt.failures):
            raise
        failures = doubt.failures
    if any(failure.action.key == keys.REGISTRY for failure in failures):
        desk.forget_rules()
    return failures
