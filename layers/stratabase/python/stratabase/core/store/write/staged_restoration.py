"""Restores an object that has more parts than fit in one commit.

Several commits restore the parts, and the last commit restores the object. Until then no reader sees the
parts, because their whole does not exist or does not list them. All versions start at the instant of the
change.

    1. Write a ledger with the state RUNNING and a lease. Until the lease expires, others leave it alone.
    2. Restore the parts, as many in each commit as fit. Each commit expects the ledger to be RUNNING. It also
       writes a list of its parts beside the ledger, with the content of their tombstones.
    3. Restore the object and everything else, and set the ledger to DONE, in the last commit.
    4. Cleanup (cleanup.py) removes the lists, and then the ledger.

To abort a restoration, its own process, or a sweep after the lease, sets the ledger to STOPPED. From then on,
no commit of the restoration succeeds. Then cleanup turns the listed parts into tombstones again.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Change, Restoration
from stratabase.core.domain.objects.commit_refusals import BeingRestored, Conflict, TooLarge
from stratabase.core.domain.objects.entity import Reference, whole_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.actions import try_commit
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Engine,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Put,
)
from stratabase.core.store.layout import codec, keys, ledgers
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write import deletions
from stratabase.core.store.write.transaction import WriteTransaction, plan_transaction
from stratabase.values.messages import ngettext

LEASE = 60_000
"""The duration of the lease, in milliseconds from the start of the restoration."""
MAX_STAGED_DURATION = 15_000
"""The time limit of a restoration in milliseconds. It is well below the lease and a function's timeout."""
_ROOM = MAX_ACTIONS - 2
"""The actions that fit in a commit of parts, besides the list of the parts and the check of the ledger."""
CommitTransaction = Callable[[WriteTransaction, Sequence[Action]], None]
"""Commits a transaction together with further actions. Raises as `commit` does."""


class RestorationStages(NamedTuple):
    """A restoration, split in two stages."""

    parts: tuple[Restoration, ...]
    """The parts to restore first, in several commits."""
    last: Change
    """Everything else, which is one commit."""


def split_restoration(store: StoreContext, change: Change) -> RestorationStages | None:
    """Split a restoration in two stages; return None for other changes, and for restorations without parts.

    A part that needs a guard which the change releases is in the last stage.
    """
    if change.root is None:
        return None
    released = _released_guards(store, change)
    parts = tuple(
        effect
        for effect in change.effects
        if isinstance(effect, Restoration)
        and effect.after.reference != change.root
        and whole_of(store.class_of(effect.after), effect.after.state) is not None
        and released.isdisjoint(deletions.guards_needed(store, effect.after))
    )
    staged = frozenset(map(id, parts))
    last = tuple(effect for effect in change.effects if id(effect) not in staged)
    return RestorationStages(parts, change.part(last)) if parts else None


def _released_guards(store: StoreContext, change: Change) -> frozenset[Key]:
    return frozenset(
        key
        for effect in change.object_effects()
        for key in {*deletions.guards_needed(store, effect.before)}.difference(
            deletions.guards_needed(store, effect.after)
        )
    )


class StagedRestoration:
    """The execution of a restoration in several commits."""

    def __init__(
        self, store: StoreContext, change: Change, stages: RestorationStages, commit: CommitTransaction
    ) -> None:
        assert change.root is not None
        self.ledger = keys.restoration(change.root)
        self._root = change.root
        self._store = store
        self._change = change
        self._stages = stages
        self._commit = commit
        self._id = _numbered(change, 0)
        self._expect_running = ledgers.expect_state(self._id, ledgers.RUNNING)

    def run(self, last: WriteTransaction) -> None:
        """Execute all stages. `last`: the transaction of the last commit.

        Raises LockedByOthers, Conflict, UniqueViolation, IntegrityViolation, TooLarge, Unavailable. Then
        nothing is restored, unless an Unavailable says that the outcome is unknown.
        """
        try:
            self._begin()
            self._restore_parts()
            self._commit_rest(last)
        except Exception:
            if not self._stop():
                raise

    def _begin(self) -> None:
        """Write the ledger.

        Raises Unavailable while another request restores the object. Raises Conflict if an earlier
        restoration has left a ledger: the repository then runs its cleanup, and the change is planned again.
        """
        ledger = ledgers.restoration_ledger(self.ledger, self._id, self._store.now() + LEASE)
        try:
            self._store.engine.commit(Batch(self._id, (Put(ledger, NOT_EXISTS),)))
        except ExpectationFailed as refusal:
            check_finished(refusal.failures[0].found, self._store.now())
            raise Conflict from None
        except OutcomeUnknown as doubt:
            found = doubt.failures[0].found
            if found is None or not ledgers.is_in_state(found, self._id, ledgers.RUNNING):
                raise

    def _restore_parts(self) -> None:
        """Restore the parts, as many in each commit as fit. Raises as `run` does."""
        parts, deadline = self._stages.parts, self._store.now() + MAX_STAGED_DURATION
        done, number, batch_size = 0, 0, _ROOM
        while done < len(parts):
            if self._store.now() > deadline:
                raise Unavailable(
                    ngettext(
                        "Restoring {count} part currently takes longer than {seconds} seconds. "
                        "Nothing was restored. Try again later.",
                        "Restoring {count} parts currently takes longer than {seconds} seconds. "
                        "Nothing was restored. Try again later.",
                        len(parts),
                        seconds=MAX_STAGED_DURATION // 1000,
                    )
                )
            number += 1
            change = self._part(parts[done : done + batch_size], number)
            # The number of actions for each part is only known after planning: if they do not fit, plan
            # fewer parts.
            transaction = plan_transaction(
                self._store, change, restored_later=self._restored_later(done + batch_size)
            )
            batch_size = _fitting(transaction)
            if batch_size < len(change.effects):
                continue
            try:
                self._commit(
                    transaction,
                    (Put(ledgers.part_list(self._root, change)), Check(self.ledger, self._expect_running)),
                )
                done += len(change.effects)
            except TooLarge:
                if batch_size == 1:
                    raise
                batch_size //= 2
            waiting.give_way()

    def _part(self, parts: Sequence[Restoration], number: int) -> Change:
        """Return the change of a commit that restores some of the parts."""
        change, restored = self._change, {part.after.reference for part in parts}
        return replace(
            change,
            commit_id=_numbered(change, number),
            effects=tuple(parts),
            # Only the last commit has the record, and claims objects that the restoration does not write.
            record=None,
            claims=tuple(each for each in change.claims if each.reference in restored),
        )

    def _commit_rest(self, last: WriteTransaction) -> None:
        """Commit everything else, and set the ledger to DONE. Raises as `run` does."""
        # `last` was planned before the parts were restored, and a remote engine does not check its fence.
        if last.is_outdated:
            raise Conflict
        self._commit(last, (ledgers.set_state(self.ledger, self._expect_running, ledgers.DONE),))

    def _restored_later(self, number: int) -> Collection[Reference]:
        """Return the objects that are restored after the first `number` parts."""
        effects = (*self._stages.parts[number:], *self._stages.last.effects)
        return frozenset(effect.after.reference for effect in effects if isinstance(effect, Restoration))

    def _stop(self) -> bool:
        """Set the ledger to STOPPED if it is RUNNING; return whether the restoration is known to be done."""
        with suppress(Unavailable):  # then a sweep stops the restoration when the lease has expired
            try:
                stop = ledgers.set_state(self.ledger, self._expect_running, ledgers.STOPPED)
                self._store.engine.commit(Batch(_numbered(self._change, -1), (stop,)))
            except ExpectationFailed as refusal:
                found = refusal.failures[0].found
                return found is not None and ledgers.is_in_state(found, self._id, ledgers.DONE)
        return False


def _numbered(change: Change, number: int) -> str:
    return f"{change.commit_id}.{number}"


def _fitting(transaction: WriteTransaction) -> int:
    """Return how many of the parts of a transaction fit in one commit, by their average number of actions."""
    number, actions = len(transaction.change.effects), len(transaction.actions())
    return number if actions <= _ROOM else max(1, number * _ROOM // actions)


def check_finished(ledger: Item | None, now: Instant) -> None:
    """Raise Unavailable if a ledger belongs to a running restoration."""
    if ledger is not None and ledgers.is_running(ledger, now):
        raise BeingRestored(keys.ledger_of(ledger.key))


def stop_restoration(engine: Engine, ledger: Item, commit_id: str) -> bool:
    """Stop a restoration whose lease has expired; return whether cleanup must delete its parts again.

    Raises Conflict if another process has changed the ledger.
    """
    state = ledgers.restoration_state(ledger)
    if state == ledgers.RUNNING:
        (id_,) = codec.commit_ids(ledger)
        stop = ledgers.set_state(ledger.key, ledgers.expect_state(id_, ledgers.RUNNING), ledgers.STOPPED)
        if try_commit(engine, Batch(commit_id, (stop,))):
            raise Conflict
    return state != ledgers.DONE
