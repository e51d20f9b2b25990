"""Restore an object with more parts than fit in one commit.

The parts come back first, some in each commit, and the restored object last. Until then nobody sees the
parts, because their whole does not exist, or does not list them. All versions start at the instant of the
change.

    1. A ledger says that the restoration runs, and until when others take that for true (its lease).
    2. Each commit of parts expects the ledger to say so still. It lists these parts beside the ledger, with
       what their tombstones said.
    3. The last commit changes everything else, and sets the ledger to DONE.
    4. cleanup.py removes the lists, and then the ledger.

To stop a restoration, its own process, or a sweep after the lease, first sets the ledger to STOPPED: after
that no commit of it succeeds. Then cleanup.py makes the parts on the lists tombstones again.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.change import Change, Restoration
from stratabase.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.domain.objects.entity import Reference, describe_object
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import whole_of
from stratabase.messages import _, ngettext
from stratabase.store.engine.port import (
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
from stratabase.store.layout import codec, keys, ledgers
from stratabase.store.read.context import StoreContext
from stratabase.store.write import deletions
from stratabase.store.write.refusals import try_commit
from stratabase.store.write.transaction import WriteTransaction, plan_transaction

LEASE = 60_000
"""Milliseconds from its start for which a restoration is taken to run."""
LONGEST = 15_000
"""Milliseconds after which a restoration gives up, long before its lease or a function ends."""
_ROOM = MAX_ACTIONS - 2
"""Actions of a commit that restores parts, besides their list and the check of the ledger."""
CommitTransaction = Callable[[WriteTransaction, Sequence[Action]], None]
"""Commits a transaction with further actions. Raises as `commit` does."""


class RestorationStages(NamedTuple):
    """The parts that come back first, and the change that ends the restoration."""

    parts: tuple[Restoration, ...]
    last: Change


def split_restoration(store: StoreContext, change: Change) -> RestorationStages | None:
    """Split a restoration in two stages; return None for any other change, and for one without parts.

    A part that takes a guard which the change releases comes back with the rest.
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
    return RestorationStages(parts, replace(change, effects=last)) if parts else None


def _released_guards(store: StoreContext, change: Change) -> frozenset[Key]:
    return frozenset(
        key
        for effect in change.object_effects()
        for key in {*deletions.guards_needed(store, effect.before)}.difference(
            deletions.guards_needed(store, effect.after)
        )
    )


class StagedRestoration:
    """A restoration in several commits."""

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
        """Do all of it. `last`: the transaction of the last commit.

        Raises LockedByOthers, Conflict, UniqueViolation, IntegrityViolation, TooLarge, Unavailable. Then
        nothing is restored, unless it is an Unavailable that says that the outcome is unknown.
        """
        try:
            self._begin()
            self._restore_parts()
            self._commit_rest(last)
        except Exception:
            if not self._stop():
                raise

    def _begin(self) -> None:
        """Write the ledger. Raises Conflict, and Unavailable while another request restores the object."""
        ledger = ledgers.restoration_ledger(self.ledger, self._id, self._store.now() + LEASE)
        try:
            self._store.engine.commit(Batch(self._id, (Put(ledger, NOT_EXISTS),)))
        except ExpectationFailed as refusal:
            check_finished(refusal.failures[0].found, self._store.now())
            raise Conflict from None  # what an earlier restoration has left is purged first
        except OutcomeUnknown as doubt:
            found = doubt.failures[0].found
            if found is None or not ledgers.is_in_state(found, self._id, ledgers.RUNNING):
                raise

    def _restore_parts(self) -> None:
        """Restore the parts, as many in each commit as fit. Raises as `run`."""
        parts, deadline = self._stages.parts, self._store.now() + LONGEST
        done, number, together = 0, 0, _ROOM
        while done < len(parts):
            if self._store.now() > deadline:
                raise Unavailable(
                    ngettext(
                        "Restoring {count} part currently takes longer than {seconds} seconds. "
                        "Nothing was restored. Try again later.",
                        "Restoring {count} parts currently takes longer than {seconds} seconds. "
                        "Nothing was restored. Try again later.",
                        len(parts),
                        seconds=LONGEST // 1000,
                    )
                )
            number += 1
            change = replace(
                self._change,
                commit_id=_numbered(self._change, number),
                effects=parts[done : done + together],
            )
            transaction = plan_transaction(self._store, change, coming=self._coming(done + together))
            together = _fitting(transaction)
            if together < len(change.effects):
                continue
            try:
                self._commit(
                    transaction,
                    (Put(ledgers.part_list(self._root, change)), Check(self.ledger, self._expect_running)),
                )
                done += len(change.effects)
            except TooLarge:
                if together == 1:
                    raise
                together //= 2
            waiting.give_way()

    def _commit_rest(self, last: WriteTransaction) -> None:
        """Commit everything else, and note that the restoration is done. Raises as `run`."""
        if last.is_outdated:  # it was planned before the parts came back, and not all engines check fences
            raise Conflict
        self._commit(last, (ledgers.set_state(self.ledger, self._expect_running, ledgers.DONE),))

    def _coming(self, number: int) -> Collection[Reference]:
        """Return the objects that come back after the first so many parts."""
        later = (*self._stages.parts[number:], *self._stages.last.effects)
        return frozenset(effect.after.reference for effect in later if isinstance(effect, Restoration))

    def _stop(self) -> bool:
        """Stop the restoration unless it has ended; return whether it is known to be done."""
        with suppress(Unavailable):  # then its lease ends it
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
    """Return how many of the parts that a transaction restores fit in one commit."""
    number, actions = len(transaction.change.effects), len(transaction.actions())
    return number if actions <= _ROOM else max(1, number * _ROOM // actions)


def check_finished(ledger: Item | None, now: Instant) -> None:
    """Raise Unavailable if a ledger is that of a restoration that runs."""
    if ledger is not None and ledgers.is_running(ledger, now):
        named = describe_object(Reference(*keys.ledger_of(ledger.key)))
        raise Unavailable(_("Another request is restoring {object}. Try again in a moment.", object=named), 5)


def stop_restoration(engine: Engine, ledger: Item, commit_id: str) -> bool:
    """Stop a restoration whose lease has ended; return whether its parts are to be deleted again.

    Raises Conflict when another process has changed the ledger.
    """
    state = ledgers.restoration_state(ledger)
    if state == ledgers.RUNNING:
        (id_,) = codec.commit_ids(ledger)
        stop = ledgers.set_state(ledger.key, ledgers.expect_state(id_, ledgers.RUNNING), ledgers.STOPPED)
        if try_commit(engine, Batch(commit_id, (stop,))):
            raise Conflict
    return state != ledgers.DONE
