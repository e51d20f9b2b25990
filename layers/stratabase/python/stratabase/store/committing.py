"""How a change is written: tried, and otherwise when what was found teaches better; or only rehearsed."""

from collections.abc import Callable, Sequence

from stratabase.domain.change import Change, Conflict
from stratabase.domain.entity import Reference
from stratabase.store import keys, size
from stratabase.store.deed import Deed
from stratabase.store.desk import Desk
from stratabase.store.drafting import drafted
from stratabase.store.endings import deletions
from stratabase.store.engine import Action, Batch, ExpectationFailed, Failure, OutcomeUnknown
from stratabase.store.outcome import is_known, was_done
from stratabase.store.rehearsal import judged

_ROUNDS = 5

Attempt = Callable[[int, Sequence[Action]], Sequence[Failure]]
"""Tries actions, told which time this is; returns the expectations that do not hold."""


def commit(desk: Desk, change: Change, *, forced: bool = False) -> list[Reference]:
    """Do all of a change or nothing; return the deleted objects of which something is left to be purged.

    Raises Conflict, Taken, NotBuilt, Broken, TooLarge, Unavailable.
    """
    deed = _possible(desk, change, forced=forced)
    _settle(deed, lambda round_, actions: _attempt(desk, deed, round_, actions))
    if deed.changes_rules:
        desk.forget_rules()
    return deed.left


def rehearse(desk: Desk, change: Change) -> None:
    """Raise what `commit` would raise now, and write nothing."""
    _settle(_possible(desk, change, forced=False), lambda _, actions: _judged(desk, actions))


def _possible(desk: Desk, change: Change, *, forced: bool) -> Deed:
    """Return what a change comes to: one that deletes more than is done together leaves some for later.

    Whether all of it may be deleted is asked here. Raises Conflict, Taken, NotBuilt, Broken, TooLarge.
    """
    deed = drafted(desk, change, forced=forced)
    if not any(deletions(change)) or size.fits(deed.actions()):
        return deed
    less = drafted(desk, change, forced=forced, leaving=True)
    if not forced:
        _settle(deed, lambda _, actions: judged(desk.engine, actions))
        less.count_on(deed.tallies)
    size.check(less.actions(), at_least=True)
    return less


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
    return judged(desk.engine, actions)


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
