"""Deferred cleanup: deletes parts and links that large writes have left, and undoes aborted restorations.

A ledger (layout/ledgers.py) lists the work of one write, and is its job (`core/jobs`). The process that wrote
it works on it for a few seconds (`MAX_CLEANUP_SECONDS`), and leaves the rest to a runner.

All work is idempotent. If a process stops, the next round continues. Several processes can work on the same
ledger. Cleanup checks no required roles or locks: the write has checked before whether it may delete all.

"Purge" means the deletion of what is left of one object.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from time import monotonic
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Change, Deletion, Effect, LinkDeletion, Tombstone
from stratabase.core.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author, instant_after
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    ITEMS,
    Batch,
    DeleteItem,
    Item,
    Key,
)
from stratabase.core.store.layout import codec, keys, ledgers, links
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.commit import commit
from stratabase.core.store.write.staged_restoration import stop_restoration

CleanupSteps = Iterator[None]
"""An iterator whose `next` does one step of work, so that the caller can stop in between."""

MAX_CLEANUP_SECONDS = 3.0
"""The maximum time in seconds for which a request works on the cleanup that it has left."""
MAX_CLEANUP_STEPS = 2000
"""The maximum number of steps in this time."""
_MAX_BATCH = 100
"""The maximum number of parts, or of lists of a restoration, that one commit removes."""
_MAX_LINK_BATCH = 20
"""The maximum number of pairs that one commit unlinks: each takes two links, and possibly two counts."""
_MAX_ATTEMPTS = 10
"""The maximum number of attempts to delete an object that others keep writing. The next round tries again."""
_MAX_DATED = 100
"""The maximum number of ledgers to read in order to find the oldest."""
_NO_MORE = object()


class _Purge(NamedTuple):
    """The work on one ledger."""

    ledger: Item
    ended: Instant = 0
    """The instant at which the write deleted the object or took out its parts."""
    author: Author | None = None
    """Who made the write."""


class Purger:
    """Does the work that ledgers list. A ledger is removed when all of its work is done."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def pending_ledgers(self) -> Iterator[Key]:
        """Yield the keys of all ledgers. The index may lag, so the newest ones may be missing."""
        pages = self._store.engine.range(keys.LISTING, keys.PURGES)
        return (item.key for item in chain.from_iterable(pages))

    def oldest(self) -> Instant | None:
        """Return when the oldest work was left that is not done, None if there is none.

        Of a large backlog, this only looks at the first ledgers. Restorations do not count.
        """
        first = list(islice(self.pending_ledgers(), _MAX_DATED))
        ledgers_ = filter(None, self._store.get(first) if first else ())
        return min((ended for ledger in ledgers_ if (ended := ledgers.ended_at(ledger))), default=None)

    def ledgers(self, references: Sequence[Reference]) -> list[Item]:
        """Return the ledgers of objects."""
        found = self._store.parallel_map(self._ledgers_of, references)
        return list(chain.from_iterable(found))

    def _ledgers_of(self, reference: Reference) -> list[Item]:
        pages = self._store.engine.range(ITEMS, keys.ledgers(reference), keys.ALL_LEDGERS)
        return list(chain.from_iterable(pages))

    def steps(self, ledger_keys: Iterable[Key]) -> CleanupSteps:
        """Do the work of ledgers, and yield after each attempt to write. Raises Unavailable.

        If the work of a ledger fails for another reason, raises that after the work of all others.
        """
        waiting = list(ledger_keys)
        failure: Exception | None = None
        while waiting:
            key = waiting.pop()
            run = self._finish_restoration if keys.is_of_restoration(key) else self._purge
            try:
                yield from run(key, waiting)
            except Conflict:
                pass  # another process does this work, or the next round
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 - one that fails each time must not stop the others
                failure = failure or error
        if failure is not None:
            raise failure

    def _purge(self, key: Key, waiting: list[Key]) -> CleanupSteps:
        """Delete the listed parts and the links of one object. Raises Conflict.

        A part may have parts of its own, whose deletion leaves a further ledger. Its key is added to
        `waiting`.
        """
        (ledger,) = self._store.engine.get([key])
        if ledger is None:
            return
        reference, parts = keys.ledger_of(key), ledgers.ledger_parts(ledger)
        purge = _Purge(ledger, ledgers.ended_at(ledger), ledgers.ended_by(ledger))
        if not self._model_has(reference, *parts):
            return
        for first in range(0, len(parts), _MAX_BATCH):
            existing = self._read(parts[first : first + _MAX_BATCH])
            # 1. A part that was written after the deletion may have been restored since. Delete it only if
            #    the ledger still exists now that the part has been read.
            late = {entity.reference for entity in existing if self._is_late(entity, purge.ended)}
            if late and not self._is_pending(purge):
                return
            deletions = [Deletion(entity) for entity in existing]
            # 2. Delete the other parts together. Their last version ends when their whole was deleted.
            in_time = [each for each in deletions if each.before.reference not in late]
            yield from self._delete(in_time, purge, waiting)
            yield from self._delete_each(
                [each for each in deletions if each.before.reference in late], purge, waiting
            )
        # 3. The ledger of a deletion also stands for links. Remove the ledger last: it ends the purge.
        if keys.is_of_deletion(key):
            yield from self._unlink(reference)
        self._remove(ledger)
        yield

    def _finish_restoration(self, key: Key, waiting: list[Key]) -> CleanupSteps:
        """Undo an aborted restoration, and remove its lists and its ledger. Raises Conflict.

        If the restoration is done, only remove its lists and ledger. If it is still running, do nothing.
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
        for first in range(0, len(lists), _MAX_BATCH):
            some = lists[first : first + _MAX_BATCH]
            engine.commit(Batch(_new_commit_id(), tuple(DeleteItem(list_.key) for list_ in some)))
            yield
        self._remove(ledger)
        yield

    def _remove(self, ledger: Item) -> None:
        """Remove a ledger, unless it was already removed or replaced by a new one."""
        delete = DeleteItem(ledger.key, ledgers.expect_same_ledger(ledger))
        is_committed(self._store.engine, Batch(_new_commit_id(), (delete,)))

    def _withdrawals(
        self, list_: Item, tombstones: Mapping[Reference, Tombstone], purge: _Purge
    ) -> Iterator[Deletion]:
        """Yield the deletions of the listed parts that were restored by the commit of the list."""
        (restored_by,) = codec.commit_ids(list_)
        existing = self._read([*tombstones])
        for entity in existing:
            if entity.commit_ids[-1] == restored_by:
                yield Deletion(entity, tombstones[entity.reference])
        # Parts that somebody has written since the restoration: their later versions stay in the history.
        changed = [each for each in existing if each.commit_ids[-1] != restored_by]
        if changed and self._is_pending(purge):
            yield from (Deletion(entity) for entity in changed if restored_by in entity.commit_ids)

    def _model_has(self, *references: Reference) -> bool:
        """Return whether the model still has the classes of objects.

        Without the class, this process does not know which parts and links to delete with an object. So it
        leaves the ledger to a process whose model has the class.
        """
        return all(reference.class_name in self._store.model.classes for reference in references)

    def _read(self, references: Sequence[Reference]) -> list[Entity]:
        """Return the objects that exist."""
        return [entity for entity in self._store.read_all(references) if entity is not None]

    def _is_late(self, entity: Entity, ended: Instant) -> bool:
        """Return whether the current version of an object started at the instant `ended` or later."""
        return self._store.class_of(entity).versioned and codec.entity_start(entity) >= ended

    def _delete(self, deletions: Sequence[Deletion], purge: _Purge, waiting: list[Key]) -> CleanupSteps:
        """Delete objects in one commit. If that fails, split them in halves, down to single objects.

        Their last version ends at the instant of the purge, or just after its own start if that is later.
        """
        half = len(deletions) // 2
        if half == 0:
            yield from self._delete_each(deletions, purge, waiting)
            return
        try:
            waiting += self._commit(purge, *deletions)
            yield
        except (Conflict, TooLarge):
            yield from self._delete(deletions[:half], purge, waiting)
            yield from self._delete(deletions[half:], purge, waiting)

    def _delete_each(self, deletions: Iterable[Deletion], purge: _Purge, waiting: list[Key]) -> CleanupSteps:
        """Delete objects one by one, and read each again before. Raises Conflict after too many attempts."""
        for deletion in deletions:
            for _ in range(_MAX_ATTEMPTS):
                try:
                    waiting += self._commit(purge, *self._reread(deletion, purge))
                    break
                except TooLarge:
                    yield from self._unlink(deletion.before.reference)
                except Conflict:
                    yield
            else:
                raise Conflict
            yield

    def _reread(self, deletion: Deletion, purge: _Purge) -> Iterator[Deletion]:
        """Yield the deletion of an object as it is now; nothing if it is gone or was restored."""
        for entity in self._read([deletion.before.reference]):
            is_same = entity.commit_ids == deletion.before.commit_ids
            if is_same or self._is_pending(purge):
                yield Deletion(entity, deletion.withdrawn if is_same else None)

    def _is_pending(self, purge: _Purge) -> bool:
        """Return whether the ledger still exists. If not, objects that were just read may be restored."""
        (found,) = self._store.engine.get([purge.ledger.key])
        return found is not None and codec.commit_ids(found) == codec.commit_ids(purge.ledger)

    def _unlink(self, reference: Reference) -> CleanupSteps:
        """Delete the links of an object, some in each commit."""
        for association in self._store.associations.link_associations(reference.class_name):
            role = association.near.role
            while others := links.read_ids(self._store.engine, role, reference.id, _MAX_LINK_BATCH):
                with suppress(Conflict):  # somebody else has removed one of them: read them again
                    self._commit(None, *(LinkDeletion(role, reference.id, other) for other in others))
                yield

    def _commit(self, purge: _Purge | None, *effects: Effect) -> list[Key]:
        """Commit effects; return the keys of the ledgers that this leaves.

        The last versions end at the instant of the purge. If a version started later, they end just after its
        start.
        """
        if not effects:
            return []
        starts = (codec.entity_start(each.before) for each in effects if isinstance(each, Deletion))
        ended, author = (0, None) if purge is None else (purge.ended, purge.author)
        change = Change(_new_commit_id(), instant_after(ended, starts), effects, author)
        return commit(self._store, change, ignores_required=True)


def _new_commit_id() -> str:
    return new_commit_id("purge")


class Cleanup:
    """Decides when cleanup runs: at once for a few seconds, then as a job."""

    def __init__(self, purger: Purger, clock: Callable[[], float] = monotonic) -> None:
        """`clock`: returns seconds."""
        self._purger = purger
        self._clock = clock
        self._announce: Callable[[], None] = _leave_to_others

    def on_left(self, announce: Callable[[], None]) -> None:
        """Call `announce()` from now on when a write leaves work that it has no time for."""
        self._announce = announce

    def run(self, ledger_keys: Sequence[Key]) -> None:
        """Do the work of ledgers for a few seconds. Raise nothing, because the write itself is committed."""
        try:
            self._run_for_a_while(self._purger.steps(ledger_keys))
        except Unavailable:
            self._announce()

    def _run_for_a_while(self, steps: CleanupSteps) -> None:
        end = self._clock() + MAX_CLEANUP_SECONDS
        for _ in range(MAX_CLEANUP_STEPS):
            if self._clock() >= end:
                break
            if next(steps, _NO_MORE) is _NO_MORE:
                return
        self._announce()


def _leave_to_others() -> None:
    """Do nothing: a runner of another process finds the ledgers."""
