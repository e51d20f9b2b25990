"""The stored objects: what the operations read and commit, over any engine."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

from stratabase.domain.objects.change import Change, Tombstone
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.domain.objects.identity import SINGLETON_ID
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.domain.objects.serials import SerialName
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.class_ import Unique
from stratabase.model.model import Model
from stratabase.store import (
    committing,
    endings,
    keys,
    linked,
    locking,
    standing,
    unique_reading,
    unlocking,
    versions,
)
from stratabase.store.aftermath import Aftermath, Steps
from stratabase.store.as_of import as_of
from stratabase.store.associations import Associations
from stratabase.store.desk import Desk, system_now
from stratabase.store.engine.parallel import ParallelMap, sequential_map
from stratabase.store.engine.port import Batch, Delete, Engine, Item, Key, Put
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.history import History
from stratabase.store.indexes.registry_cache import RegistryCache
from stratabase.store.linked import Range
from stratabase.store.purging import Purging
from stratabase.store.query import pages
from stratabase.store.serials import Serials
from stratabase.store.staging import check_finished


class StoredEntities:
    """The objects of a model, kept by an engine."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        together: ParallelMap = sequential_map,
        now: Callable[[], Instant] = system_now,
    ) -> None:
        """`together`: how several ranges are read, which may be at the same time.

        `now`: tells whether a restoration that takes several commits may still run.
        """
        self._engine = engine
        self._model = model
        associations = Associations(model)
        self._slots = RegistryCache(engine, model, associations=associations)
        self._serials = Serials(engine)
        self._desk = Desk(engine, model, associations, lambda: self._slots, together, now)
        self._purging = Purging(self._desk)
        self._aftermath = Aftermath(self._purging)

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once.

        A singleton is always there: before it is first written (by an Update) it has nothing but its `_id`.
        With an allowance, that is drawn from, so many at a time. Raises TooMuchRead when it was used up.
        """
        items = self._heads(references, allowance)
        return [self._now(reference, item) for reference, item in zip(references, items, strict=True)]

    def as_of(
        self, moments: Sequence[tuple[Reference, Instant]], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return objects as they were at instants, None where there was none; exact at once.

        Those of classes that are not versioned are as they are. With an allowance, as `read`. Raises
        Unavailable.
        """
        named = list(dict.fromkeys(reference for reference, _ in moments))
        heads = dict(zip(named, self._heads(named, allowance), strict=True))
        dated = [moment for moment in moments if self._model.classes[moment[0].class_name].versioned]
        known = as_of(self._desk, dated, heads, ReadLimiter(allowance, named[0].class_name if named else ""))
        return [
            known[moment] if moment in known else self._now(moment[0], heads[moment[0]]) for moment in moments
        ]

    def versions(  # noqa: PLR0913 - as the port has it
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        allowance: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        """Yield the versions of an object in the order of their starts (descending if `backward`); exact.

        The closed ones and the one that still holds, of those that began since an instant and before another,
        at most `limit`. Raises TooMuchRead, Unavailable.
        """
        history = History(self._desk, reference, ReadLimiter(allowance, reference.class_name))
        steps = (history.descending if backward else history.ascending)(since, until, limit)
        return islice((step.version for step in steps if step.version is not None), limit)

    def gone(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return what is remembered of objects that were deleted, None of others; exact at once."""
        return [versions.gone_of(item) for item in self._heads(references, None)]

    def purged(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return when objects were deleted of which something is left to be purged; None of others."""
        ledgers = self._engine.get([keys.purge(reference) for reference in references])
        return [None if ledger is None else endings.ended(ledger) for ledger in ledgers]

    def _heads(self, references: Sequence[Reference], allowance: ReadBudget | None) -> list[Item | None]:
        spending = ReadLimiter(allowance, references[0].class_name if references else "")
        return self._desk.got([keys.head(reference) for reference in references], spending)

    def linked(  # noqa: PLR0913 - as the port has it
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        at: Sequence[Instant] | None = None,
        allowance: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role leads to; exact at once.

        In order (descending if `backward`), after `start` in that order, at most `limit` of each owner; an
        object that is named may be there no more. With `at`, an instant for each owner, those that it may
        have led to then, if their class is versioned. With an allowance, as `read`.
        """
        return linked.linked(self._desk, role, ids, Range(start, limit, backward), allowance, at)

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of objects that lead to an object by a required key: at most `limit`."""
        return linked.referrers(self._desk, role, id_, limit)

    def joined(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return of each owner and other whether a link leads from the one to the other; exact at once."""
        return linked.joined(self._desk, role, pairs)

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class. Raises TooMuchRead.

        A query about derived attributes comes with `derive`, which gives objects that are read their values.
        """
        if standing.matters(self._desk, query):
            query, derive = standing.narrowed(self._desk, query, derive)
        class_, paths = self._model.classes[query.class_name], self._slots.paths(query.class_name)
        return pages.read_page(self._engine, class_, query, allowance, paths, derive)

    def holding(self, class_name: str, unique: Unique, values: State, allowance: ReadBudget) -> Entity | None:
        """Return the object that has unique values, None when there is none, or a value is null.

        Exact at once, as soon as all objects have their guards. Raises TooMuchRead.
        """
        class_ = self._model.classes[class_name]
        if self._slots.is_guarded(class_, unique):
            return unique_reading.holding(self._engine, class_, unique, values, allowance)
        found = self.page(unique_reading.likely(class_, unique, values), allowance).items
        named = (each.reference for each in found if unique_reading.has(class_, unique, each, values))
        there = (
            self.read([reference], allowance)[0] for reference in named
        )  # with all that a page tells not
        return next(
            (each for each in there if each and unique_reading.has(class_, unique, each, values)), None
        )

    def lacking(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as a person knows it."""
        return self._slots.unfinished_labels()

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return as many new numbers of each Serial attribute as are wanted: from 1, and never one again.

        Some may stay unused, whatever becomes of them. Raises Unavailable.
        """
        return self._serials.next(wanted)

    def rehearse(self, change: Change) -> None:
        """Raise what `commit` would raise for a change now, and write nothing."""
        if change.effects:
            with self._making_room(change):
                committing.rehearse(self._desk, change)

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing.

        Raises Held, Conflict, Taken, NotBuilt, Broken, TooLarge, Unavailable.
        """
        if not change.effects:
            return
        with self._making_room(change):
            left = committing.commit(self._desk, change, leave=self._aftermath.end)
        if left:
            self._aftermath.end(left)

    def leave_to(self, take: Callable[[Steps], None]) -> None:
        """Have `take` get what `commit` has no time to end of what deletions leave; without, a sweep does."""
        self._aftermath.leave_to(take)

    def sweeping(self) -> Steps:
        """Return what ends all that deletions have left, step by step. Each raises Unavailable."""
        return self._aftermath.sweeping()

    @contextmanager
    def _making_room(self, change: Change) -> Iterator[None]:
        """End what is left of objects that come back, if that may have kept them from it."""
        try:
            yield
        except Conflict:
            self._aftermath.end(self._in_the_way(change))
            raise

    def _in_the_way(self, change: Change) -> list[Key]:
        """Return the ledgers that may keep objects from coming back, or did."""
        wanted = [check.key for check in endings.purged(self._desk, change)]
        wanted += [] if change.root is None else [keys.restoration(change.root)]
        ledgers = self._engine.get(wanted) if wanted else []
        return [ledger.key for ledger in ledgers if ledger is not None]

    def settle(self, references: Sequence[Reference]) -> bool:
        """End what earlier writes of objects have left, while there is time; return whether there was any.

        Raises Unavailable, also while one of the objects is being restored.
        """
        ledgers = self._purging.ledgers(references)
        for ledger in ledgers:
            check_finished(ledger, self._desk.now())
        self._aftermath.end([ledger.key for ledger in ledgers])
        return bool(ledgers)

    def lock(self, commit_id: str, references: Sequence[Reference], lock: Lock, now: Instant) -> None:
        """Lock objects, each named once. Raises Unlockable, TooLarge, Unavailable."""
        locking.lock(self._desk, commit_id, references, lock, now)

    def unlock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
    ) -> None:
        """End the locks of a member, or `anybodys`. Raises Unlockable, TooLarge, Unavailable."""
        unlocking.unlock(self._desk, commit_id, references, member_id, now, anybodys=anybodys)

    def checkpoint(self, work: str) -> str | None:
        """Return how far some long work had come when it was stopped; None of work that is to begin."""
        (found,) = self._engine.get([keys.checkpoint(work)])
        return None if found is None else found.state

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Note how far some long work has come; None forgets it. Raises Unavailable."""
        key, id_ = keys.checkpoint(work), f"checkpoint{secrets.token_hex(12)}"
        self._engine.commit(Batch(id_, (Delete(key) if at is None else Put(Item(key, state=at)),)))

    def sweep(self) -> None:
        """End what deletions have left because they could not do it as one. Raises Unavailable."""
        for _ in self.sweeping():
            pass

    def _now(self, reference: Reference, head: Item | None) -> Entity | None:
        """Return an object as its head tells, if it is there."""
        return self._desk.entity_of(head) or self._unwritten(reference)

    def _unwritten(self, reference: Reference) -> Entity | None:
        """Return what a singleton is before it is written; None of other objects."""
        is_one = reference.id == SINGLETON_ID and self._desk.is_singleton(reference.class_name)
        return Entity(reference, {"_id": SINGLETON_ID}) if is_one else None
