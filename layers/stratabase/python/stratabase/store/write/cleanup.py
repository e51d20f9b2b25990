"""Finish what writes have left for later: delete parts and links, and undo restorations that stopped.

The ledgers say what is left (layout/ledgers.py). Whatever stops a purge, the next one goes on, and several at
once do no harm. Nothing is refused here: whether everything may go was checked before.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from time import monotonic
from typing import NamedTuple

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.change import Change, Deletion, Effect, LinkDeletion, Tombstone
from stratabase.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.version import instant_after
from stratabase.store.engine.port import ITEMS, Batch, Delete, ExpectationFailed, Item, Key, OutcomeUnknown
from stratabase.store.layout import codec, keys, ledgers, links
from stratabase.store.read.context import StoreContext
from stratabase.store.write.commit import commit
from stratabase.store.write.staged_restoration import stop_restoration

CleanupSteps = Iterator[None]
"""Pieces of work, each done when the next value is asked for."""

SECONDS = 3.0
"""How long the request that has left something works on it."""
MOST_STEPS = 2000
_MOST_TOGETHER = 100
"""Parts, or lists of a restoration, that one commit removes."""
_MOST_LINKS_TOGETHER = 20
"""Each pair is two links, and perhaps two counts."""
_MAX_ATTEMPTS = 10
"""After these, an object that others keep writing is left to the next purge."""
_NO_MORE = object()


class _Purge(NamedTuple):
    """The ledger under work, and when the object that it is about was deleted."""

    ledger: Item
    ended: Instant = 0


class Purger:
    """Purges what ledgers name. A ledger that is removed says that all of it is done."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def pending_ledgers(self) -> Iterator[Key]:
        """Yield the keys of all ledgers; the listing may lack the last ones yet."""
        pages = self._store.engine.range(keys.LISTING, keys.PURGES)
        return (item.key for item in chain.from_iterable(pages))

    def ledgers(self, references: Sequence[Reference]) -> list[Item]:
        """Return the ledgers that writes of some objects have left."""
        found = self._store.parallel_map(self._ledgers_of, references)
        return list(chain.from_iterable(found))

    def _ledgers_of(self, reference: Reference) -> list[Item]:
        pages = self._store.engine.range(ITEMS, keys.ledgers(reference), keys.ALL_LEDGERS)
        return list(chain.from_iterable(pages))

    def steps(self, ledger_keys: Iterable[Key]) -> CleanupSteps:
        """Do what ledgers say, and yield after each attempt to write. Raises Unavailable."""
        waiting = list(ledger_keys)
        while waiting:
            key = waiting.pop()
            with suppress(Conflict):  # another purge does it, or the next one
                run = self._finish_restoration if keys.is_of_restoration(key) else self._purge
                yield from run(key, waiting)

    def _purge(self, key: Key, waiting: list[Key]) -> CleanupSteps:
        """Delete what is left of one object; add the ledgers that this leaves to `waiting`.

        Raises Conflict.
        """
        (ledger,) = self._store.engine.get([key])
        if ledger is None:
            return
        reference, parts = keys.ledger_of(key), ledgers.ledger_parts(ledger)
        purge = _Purge(ledger, ledgers.ended_at(ledger))
        if not self._model_has(reference, *parts):
            return
        for first in range(0, len(parts), _MOST_TOGETHER):
            existing = self._read(parts[first : first + _MOST_TOGETHER])
            late = {entity.reference for entity in existing if self._is_late(entity, purge.ended)}
            if late and not self._is_pending(purge):
                return
            deletions = [Deletion(entity) for entity in existing]
            in_time = [each for each in deletions if each.before.reference not in late]
            yield from self._delete(in_time, purge, waiting)
            yield from self._delete_each(
                [each for each in deletions if each.before.reference in late], purge, waiting
            )
        if keys.is_of_deletion(key):
            yield from self._unlink(reference)
        self._remove(ledger)
        yield

    def _finish_restoration(self, key: Key, waiting: list[Key]) -> CleanupSteps:
        """Undo a restoration that stopped, and remove its lists; of one that is done only these.

        One that runs is left alone. Raises Conflict.
        """
        engine = self._store.engine
        (ledger,) = engine.get([key])
        if ledger is None or ledgers.is_running(ledger, self._store.now()):
            return
        is_undone = stop_restoration(engine, ledger, _new_commit_id())
        lists = list(chain.from_iterable(ledgers.read_part_lists(engine, ledger)))
        for list_ in lists if is_undone else ():
            tombstones = {each.reference: each for each in ledgers.listed_tombstones(list_)}
            if not self._model_has(*tombstones):
                return
            purge = _Purge(ledger)
            yield from self._delete(list(self._withdrawals(list_, tombstones, purge)), purge, waiting)
        for first in range(0, len(lists), _MOST_TOGETHER):
            some = lists[first : first + _MOST_TOGETHER]
            engine.commit(Batch(_new_commit_id(), tuple(Delete(list_.key) for list_ in some)))
            yield
        self._remove(ledger)
        yield

    def _remove(self, ledger: Item) -> None:
        """Remove a ledger, unless there is a new one by now, or none."""
        with suppress(ExpectationFailed, OutcomeUnknown):
            self._store.engine.commit(
                Batch(_new_commit_id(), (Delete(ledger.key, ledgers.expect_same_ledger(ledger)),))
            )

    def _withdrawals(
        self, list_: Item, tombstones: Mapping[Reference, Tombstone], purge: _Purge
    ) -> Iterator[Deletion]:
        """Yield the deletions of those parts on a list that its commit has brought back."""
        (restored_by,) = codec.commit_ids(list_)
        existing = self._read([*tombstones])
        for entity in existing:
            if entity.commit_ids[-1] == restored_by:
                yield Deletion(entity, tombstones[entity.reference])
        changed = [each for each in existing if each.commit_ids[-1] != restored_by]
        if changed and self._is_pending(purge):  # whoever has written them meanwhile has made versions
            yield from (Deletion(entity) for entity in changed if restored_by in entity.commit_ids)

    def _model_has(self, *references: Reference) -> bool:
        """Return whether the model still has the classes, without which nobody knows what else is to end."""
        return all(reference.class_name in self._store.model.classes for reference in references)

    def _read(self, references: Sequence[Reference]) -> list[Entity]:
        """Return those of some objects that exist."""
        return [entity for entity in self._store.read_all(references) if entity is not None]

    def _is_late(self, entity: Entity, ended: Instant) -> bool:
        """Return whether an object's open version starts when the object should have ended, or later."""
        return self._store.class_of(entity).versioned and codec.entity_start(entity) >= ended

    def _delete(self, deletions: Sequence[Deletion], purge: _Purge, waiting: list[Key]) -> CleanupSteps:
        """Delete objects together, if that succeeds; otherwise half of them, down to one by one.

        They end when their whole did, or, if they were written after that, as soon as they can.
        """
        half = len(deletions) // 2
        if half == 0:
            yield from self._delete_each(deletions, purge, waiting)
            return
        try:
            waiting += self._commit(purge.ended, *deletions)
            yield
        except (Conflict, TooLarge):
            yield from self._delete(deletions[:half], purge, waiting)
            yield from self._delete(deletions[half:], purge, waiting)

    def _delete_each(self, deletions: Iterable[Deletion], purge: _Purge, waiting: list[Key]) -> CleanupSteps:
        """Delete objects one by one, each as it is by then. Raises Conflict."""
        for deletion in deletions:
            for _ in range(_MAX_ATTEMPTS):
                try:
                    waiting += self._commit(purge.ended, *self._reread(deletion, purge))
                    break
                except TooLarge:
                    yield from self._unlink(deletion.before.reference)
                except Conflict:
                    yield
            else:
                raise Conflict
            yield

    def _reread(self, deletion: Deletion, purge: _Purge) -> Iterator[Deletion]:
        """Yield the deletion of an object as it is by now, if it exists and is still to be deleted."""
        for entity in self._read([deletion.before.reference]):
            is_same = entity.commit_ids == deletion.before.commit_ids
            if is_same or self._is_pending(purge):
                yield Deletion(entity, deletion.withdrawn if is_same else None)

    def _is_pending(self, purge: _Purge) -> bool:
        """Return whether the ledger still exists; otherwise what was read before may have been restored."""
        (found,) = self._store.engine.get([purge.ledger.key])
        return found is not None and codec.commit_ids(found) == codec.commit_ids(purge.ledger)

    def _unlink(self, reference: Reference) -> CleanupSteps:
        """Delete the links of an object."""
        for association in self._store.associations.link_associations(reference.class_name):
            role = association.near.role
            while others := links.read_ids(self._store.engine, role, reference.id, _MOST_LINKS_TOGETHER):
                with suppress(Conflict):  # one of them has ended meanwhile
                    self._commit(0, *(LinkDeletion(role, reference.id, other) for other in others))
                yield

    def _commit(self, instant: Instant, *effects: Effect) -> list[Key]:
        """Commit effects at an instant, or after the starts of all versions; return new ledgers' keys."""
        if not effects:
            return []
        starts = (codec.entity_start(each.before) for each in effects if isinstance(each, Deletion))
        change = Change(_new_commit_id(), instant_after(instant, starts), effects)
        return commit(self._store, change, ignores_required=True)


def _new_commit_id() -> str:
    return f"purge{secrets.token_hex(12)}"


class Cleanup:
    """Purges what a write has left for a few seconds; the rest goes to a background task, or to a sweep."""

    def __init__(self, purger: Purger, clock: Callable[[], float] = monotonic) -> None:
        """`clock`: seconds."""
        self._purger = purger
        self._clock = clock
        self._background: Callable[[CleanupSteps], None] = _leave_to_sweep

    def hand_over_to(self, background: Callable[[CleanupSteps], None]) -> None:
        """Give what is not finished in time to `background`. Without it, the next sweep finds it."""
        self._background = background

    def sweep_steps(self) -> CleanupSteps:
        """Return the steps that purge all ledgers, also those of other processes. They raise Unavailable."""
        return self._purger.steps(self._purger.pending_ledgers())

    def run(self, ledger_keys: Sequence[Key]) -> None:
        """Purge what ledgers name. The write that has left them is done, so nothing is raised."""
        try:
            self._run_for_a_while(self._purger.steps(ledger_keys))
        except Unavailable:
            self._background(self.sweep_steps())

    def _run_for_a_while(self, steps: CleanupSteps) -> None:
        end = self._clock() + SECONDS
        for _ in range(MOST_STEPS):
            if self._clock() >= end:
                break
            if next(steps, _NO_MORE) is _NO_MORE:
                return
        self._background(steps)


def _leave_to_sweep(_steps: CleanupSteps) -> None:
    """Leave the rest to its ledgers, which a sweep finds."""
