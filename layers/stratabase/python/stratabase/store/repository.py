"""The repository: what the operations read and commit, over any engine."""

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
from stratabase.domain.query.id_range import ALL_IDS, IdRange
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.model import Model, Unique
from stratabase.store.engine.parallel import ParallelMap, sequential_map
from stratabase.store.engine.port import Batch, Delete, Engine, Item, Key, Put
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.indexes.registry_cache import RegistryCache
from stratabase.store.layout import keys, versions
from stratabase.store.layout.associations import Associations
from stratabase.store.layout.ledgers import ended_at
from stratabase.store.query import pages
from stratabase.store.read import links, unique_lookup, unlisted_parts
from stratabase.store.read.context import StoreContext, system_now
from stratabase.store.read.history import History, read_as_of
from stratabase.store.write import commit, deletions, locking
from stratabase.store.write.cleanup import Cleanup, CleanupSteps, Purger
from stratabase.store.write.serials import SerialCounters
from stratabase.store.write.staged_restoration import check_finished


class Repository:
    """The objects of a model, kept by an engine."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        parallel_map: ParallelMap = sequential_map,
        now: Callable[[], Instant] = system_now,
    ) -> None:
        """`parallel_map`: reads several ranges, perhaps at the same time.

        `now`: the clock by which restorations in several commits are taken to run.
        """
        self._engine = engine
        self._model = model
        associations = Associations(model)
        self._slots = RegistryCache(engine, model, associations=associations)
        self._serials = SerialCounters(engine)
        self._store = StoreContext(engine, model, associations, lambda: self._slots, parallel_map, now)
        self._purger = Purger(self._store)
        self._cleanup = Cleanup(self._purger)

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once.

        A singleton is always there: before it is first written (by an Update) it has nothing but its `_id`.
        With an allowance, that is drawn from, so many at a time. Raises ReadBudgetExceeded when it was used
        up.
        """
        items = self._read_heads(references, budget)
        return [self._entity_of(reference, item) for reference, item in zip(references, items, strict=True)]

    def as_of(
        self, moments: Sequence[tuple[Reference, Instant]], budget: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return objects as they were at instants, None where there was none; exact at once.

        Those of classes that are not versioned are as they are. With an allowance, as `read`. Raises
        Unavailable.
        """
        named = list(dict.fromkeys(reference for reference, _ in moments))
        heads = dict(zip(named, self._read_heads(named, budget), strict=True))
        versioned = [moment for moment in moments if self._model.classes[moment[0].class_name].versioned]
        found = read_as_of(
            self._store, versioned, heads, ReadLimiter(budget, named[0].class_name if named else "")
        )
        return [
            found[moment] if moment in found else self._entity_of(moment[0], heads[moment[0]])
            for moment in moments
        ]

    def versions(  # noqa: PLR0913 - as the port has it
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        budget: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        """Yield the versions of an object in the order of their starts (descending if `backward`); exact.

        The closed ones and the one that still holds, of those that began since an instant and before another,
        at most `limit`. Raises ReadBudgetExceeded, Unavailable.
        """
        history = History(self._store, reference, ReadLimiter(budget, reference.class_name))
        steps = (history.descending if backward else history.ascending)(since, until, limit)
        return islice((step.version for step in steps if step.version is not None), limit)

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return what the tombstones of deleted objects say, None of other objects; exact at once."""
        return [versions.read_tombstone(item) for item in self._read_heads(references, None)]

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return when objects were deleted of which something is left to purge; None of others."""
        ledgers = self._engine.get([keys.purge(reference) for reference in references])
        return [None if ledger is None else ended_at(ledger) for ledger in ledgers]

    def _read_heads(self, references: Sequence[Reference], budget: ReadBudget | None) -> list[Item | None]:
        limiter = ReadLimiter(budget, references[0].class_name if references else "")
        return self._store.get([keys.head(reference) for reference in references], limiter)

    def linked(
        self,
        role: RoleName,
        ids: Sequence[str],
        id_range: IdRange = ALL_IDS,
        *,
        at: Sequence[Instant] | None = None,
        budget: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role leads to; exact at once.

        Of each owner, those that are in the range, in its order; an object that is named may be there no
        more. With `at`, an instant for each owner, those that it may have led to then, if their class is
        versioned. With an allowance, as `read`.
        """
        return links.linked(self._store, role, ids, id_range, budget, at)

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of objects that lead to an object by a required key: at most `limit`."""
        return links.referrers(self._store, role, id_, limit)

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return of each owner and other whether a link leads from the one to the other; exact at once."""
        return links.are_linked(self._store, role, pairs)

    def page(self, query: Query, budget: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class. Raises ReadBudgetExceeded.

        A query about derived attributes comes with `derive`, which gives objects that are read their values.
        """
        if unlisted_parts.may_count_unlisted_parts(self._store, query):
            query, derive = unlisted_parts.exclude_unlisted_parts(self._store, query, derive)
        class_, paths = self._model.classes[query.class_name], self._slots.paths(query.class_name)
        return pages.read_page(self._engine, class_, query, budget, paths, derive)

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object that has unique values, None when there is none, or a value is null.

        Exact at once, as soon as all objects have their guards. Raises ReadBudgetExceeded.
        """
        class_ = self._model.classes[class_name]
        if self._slots.is_guarded(class_, unique):
            return unique_lookup.find_by_unique(self._engine, class_, unique, values, budget)
        # Not every object has its guard yet: look for the values in a page, then read what a page leaves out.
        page = self.page(unique_lookup.candidates_query(class_, unique, values), budget)
        for candidate in page.items:
            if unique_lookup.has_values(class_, unique, candidate, values):
                (entity,) = self.read([candidate.reference], budget)
                if entity and unique_lookup.has_values(class_, unique, entity, values):
                    return entity
        return None

    def unbuilt(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as people know it."""
        return self._slots.unfinished_labels()

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return as many new numbers of each Serial attribute as are wanted: from 1, and never one again.

        Some may stay unused, whatever becomes of them. Raises Unavailable.
        """
        return self._serials.next(wanted)

    def dry_run(self, change: Change) -> None:
        """Raise what `commit` would raise for a change now, and write nothing."""
        if change.effects:
            with self._clearing_the_way(change):
                commit.dry_run(self._store, change)

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing.

        Raises LockedByOthers, Conflict, UniqueViolation, UniqueNotBuilt, IntegrityViolation, TooLarge,
        Unavailable.
        """
        if not change.effects:
            return
        with self._clearing_the_way(change):
            left = commit.commit(self._store, change, schedule_cleanup=self._cleanup.run)
        if left:
            self._cleanup.run(left)

    def hand_over_cleanup(self, take: Callable[[CleanupSteps], None]) -> None:
        """Give the cleanup that `commit` has no time for to `take`. Without it, a sweep does it."""
        self._cleanup.hand_over_to(take)

    def sweep_steps(self) -> CleanupSteps:
        """Return the steps that finish everything that writes have left. They raise Unavailable."""
        return self._cleanup.sweep_steps()

    @contextmanager
    def _clearing_the_way(self, change: Change) -> Iterator[None]:
        """After a Conflict, finish what is left of objects that come back, which may have caused it."""
        try:
            yield
        except Conflict:
            self._cleanup.run(self._ledgers_in_the_way(change))
            raise

    def _ledgers_in_the_way(self, change: Change) -> list[Key]:
        """Return the keys of the ledgers that may keep objects from coming back."""
        wanted = [check.key for check in deletions.expect_nothing_to_purge(self._store, change)]
        wanted += [] if change.root is None else [keys.restoration(change.root)]
        ledgers = self._engine.get(wanted) if wanted else []
        return [ledger.key for ledger in ledgers if ledger is not None]

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        """Finish what earlier writes of objects have left, while there is time; return whether there was any.

        Raises Unavailable, also while one of the objects is being restored.
        """
        ledgers = self._purger.ledgers(references)
        for ledger in ledgers:
            check_finished(ledger, self._store.now())
        self._cleanup.run([ledger.key for ledger in ledgers])
        return bool(ledgers)

    def lock(self, commit_id: str, references: Sequence[Reference], lock: Lock, now: Instant) -> None:
        """Lock objects, each named once. Raises LockRefused, TooLarge, Unavailable."""
        locking.lock(self._store, commit_id, references, lock, now)

    def unlock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
    ) -> None:
        """End the locks of a member, or `anybodys`. Raises LockRefused, TooLarge, Unavailable."""
        locking.unlock(self._store, commit_id, references, member_id, now, anybodys=anybodys)

    def checkpoint(self, work: str) -> str | None:
        """Return where a long task stopped, None if it has not begun."""
        (found,) = self._engine.get([keys.checkpoint(work)])
        return None if found is None else found.state

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Note where a long task stopped; None forgets it. Raises Unavailable."""
        key, id_ = keys.checkpoint(work), f"checkpoint{secrets.token_hex(12)}"
        self._engine.commit(Batch(id_, (Delete(key) if at is None else Put(Item(key, state=at)),)))

    def sweep(self) -> None:
        """Finish everything that writes have left. Raises Unavailable."""
        for _ in self.sweep_steps():
            pass

    def _entity_of(self, reference: Reference, head: Item | None) -> Entity | None:
        """Return the object of a head, None if it does not exist; a singleton does before it is written."""
        if entity := self._store.entity_of(head):
            return entity
        is_singleton = reference.id == SINGLETON_ID and self._store.is_singleton(reference.class_name)
        return Entity(reference, {"_id": SINGLETON_ID}) if is_singleton else None
