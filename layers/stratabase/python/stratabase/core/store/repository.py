"""The repository: the entry to the store, through which the operations read and commit objects."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from stratabase.core.domain.objects.change import Change, DeletedObject, DeletionPlace, Tombstone
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import (
    SINGLETON_ID,
    Entity,
    Moment,
    Reference,
    RoleName,
    SerialName,
    State,
    states_of,
)
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.derived import Derive, Related
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Matches, Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.users import with_users
from stratabase.core.store.catalog.catalog_store import ServedNames
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.overlay import OverlayEngine
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Batch,
    DeleteItem,
    Engine,
    Item,
    Key,
    Put,
)
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.ids import younger_ids
from stratabase.core.store.indexes.listing import count_listed
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import keys, object_items
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.ledgers import ended_at
from stratabase.core.store.query import pages
from stratabase.core.store.query.index_entries import count_entries
from stratabase.core.store.read import links, unbuilt_roles, unique_lookup
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.read.deleted_objects import deleted_objects
from stratabase.core.store.read.history import History, read_as_of
from stratabase.core.store.read.past_ids import ids_at
from stratabase.core.store.sources import NO_SOURCES, Sources, StoredQueries, read_elsewhere
from stratabase.core.store.write import commit, deletions, idempotency, lock_and_unlock, refusals
from stratabase.core.store.write.cleanup import Cleanup, Purger
from stratabase.core.store.write.serials import SerialCounters
from stratabase.core.store.write.staged_restoration import check_finished
from stratabase.core.waiting import system_now

if TYPE_CHECKING:
    from stratabase.core.jobs.job import JobKind


class Repository:
    """The objects of a model: those in an engine, and those of further classes from their sources.

    Implements the port `operations.ports.EntityRepository`, which says what each method promises.
    """

    def __init__(  # noqa: PLR0913 - the settings of a repository
        self,
        engine: Engine,
        model: Model,
        parallel_map: ParallelMap = sequential_map,
        now: Callable[[], Instant] = system_now,
        *,
        sources: Sources = NO_SOURCES,
        serves: bool = False,
        read_only: bool = False,
    ) -> None:
        """`model`: as it is stored, without the classes of `sources`.

        `parallel_map`: runs reads of several batches or ranges, possibly in parallel.

        `now`: the clock that decides whether the lease of a staged restoration has expired. `serves`: record
        in the catalog of stored names that this process serves the model. `read_only`: the repository is used
        only to read objects, so it does not add to the registry what the model needs.
        """
        self._engine = engine
        self._model = model
        self._sources = sources
        self._queries = StoredQueries(with_users(model) if sources else model, sources)
        associations = Associations(model)
        mark_served = ServedNames(engine, model, now).mark if serves else None
        registry = RegistryCache(
            engine, model, associations=associations, mark_served=mark_served, read_only=read_only
        )
        self._serials = SerialCounters(engine, parallel_map)
        self._store = StoreContext(engine, model, associations, registry, parallel_map, now)
        self._purger = Purger(self._store)
        self._cleanup = Cleanup(self._purger)

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects in the order of their references, None for a missing object."""
        elsewhere = self._elsewhere(references, budget)
        if elsewhere:
            stored = [each for each in references if each not in elsewhere]
            found = elsewhere | dict(zip(stored, self.read(stored, budget), strict=True))
            return [found[each] for each in references]
        # A write reads what it changes, so a kept object would be of use to it only once. Finding out whether
        # something was written since costs as much as reading one.
        if budget is None:
            read = self._store.read_all(references)
        else:
            limiter = ReadLimiter(budget, references[0].class_name if references else "")
            read = self._store.read_kept(references, limiter)
        return [
            entity or self._singleton(reference) for reference, entity in zip(references, read, strict=True)
        ]

    def as_of(self, moments: Sequence[Moment], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects as they were at instants, in the order of `moments`."""
        named = list(dict.fromkeys(moment.reference for moment in moments))
        elsewhere = self._elsewhere(named, budget)
        if elsewhere:
            stored = [each for each in moments if each.reference not in elsewhere]
            then = dict(zip(stored, self.as_of(stored, budget), strict=True))
            return [then[each] if each in then else elsewhere[each.reference] for each in moments]
        heads = dict(zip(named, self._read_heads(named, budget), strict=True))
        versioned = [
            moment for moment in moments if self._model.classes[moment.reference.class_name].versioned
        ]
        found = read_as_of(
            self._store, versioned, heads, ReadLimiter(budget, named[0].class_name if named else "")
        )
        return [
            found[moment] if moment in found else self._entity_of(moment.reference, heads[moment.reference])
            for moment in moments
        ]

    def ids_at(
        self, class_name: str, instant: Instant, id_range: IdRange, budget: ReadBudget
    ) -> Iterator[Sequence[str]]:
        """Yield the IDs of all objects of a class that may have existed at an instant."""
        limiter, younger = ReadLimiter(budget, class_name), younger_ids(instant, self._store.now())
        return ids_at(self._store, class_name, instant, id_range, limiter, younger=younger)

    def versions(  # noqa: PLR0913 - the signature of the port
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        budget: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        """Yield the versions of an object in the order of their starts."""
        history = History(self._store, reference, ReadLimiter(budget, reference.class_name))
        steps = (history.descending if backward else history.ascending)(since, until, limit)
        return islice((step.version for step in steps if step.version is not None), limit)

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return the tombstones of deleted objects, None for other objects."""
        stored = [each for each in references if each.class_name not in self._sources]
        heads = dict(zip(stored, self._read_heads(stored, None), strict=True))
        return [object_items.read_tombstone(heads.get(each)) for each in references]

    def deleted(  # noqa: PLR0913 - the signature of the port
        self,
        class_name: str,
        start: DeletionPlace | None,
        budget: ReadBudget,
        *,
        inclusive: bool = False,
        oldest_first: bool = False,
        size: int = 1,
    ) -> Iterator[Sequence[DeletedObject]]:
        """Yield the deleted objects of a class in batches, the latest deletion first."""
        limiter = ReadLimiter(budget, class_name)
        return deleted_objects(
            self._store,
            class_name,
            start,
            limiter,
            inclusive=inclusive,
            oldest_first=oldest_first,
            size=size,
        )

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return the instants at which objects were deleted whose purge is not finished; None for others."""
        ledgers = self._engine.get([keys.purge(reference) for reference in references])
        return [None if ledger is None else ended_at(ledger) for ledger in ledgers]

    def _elsewhere(
        self, references: Sequence[Reference], budget: ReadBudget | None
    ) -> dict[Reference, Entity | None]:
        """Return the objects of sources among others; nothing if there are none."""
        wanted = [each for each in references if each.class_name in self._sources]
        return read_elsewhere(self._sources, wanted, budget) if wanted else {}

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
        """Return the ids of the objects that a role refers to, as one tuple for each owner."""
        return links.linked(self._store, role, ids, id_range, budget, at)

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of at most `limit` objects that refer to an object by a required foreign key."""
        return links.referrers(self._store, role, id_, limit)

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return for each pair of ids (owner, target) whether the owner has a link to the target."""
        return links.are_linked(self._store, role, pairs)

    def check_role(self, role: RoleName) -> None:
        """Raise RoleUnavailable if the associations of a role are not where the model expects them."""
        if role not in self._queries.unknown_roles:
            unbuilt_roles.refuse_if_stored_elsewhere(self._store, role)

    def known_size(self, class_name: str, limit: int) -> int | None:
        """Return the number of objects of a class, None if it is unknown or exceeds `limit`."""
        if not self._engine.is_embedded or class_name in self._sources:
            return None
        number = count_listed(self._engine, class_name, limit + 1)
        return None if number > limit else number

    def known_since(self, role: RoleName) -> Instant:
        """Return the instant since which objects have a role in their state, 0 for always."""
        # Roles that lead to objects of sources are never stored differently.
        return 0 if role in self._queries.unknown_roles else self._store.write_schema().moved_at(role)

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        """Return a page of the objects of a class."""
        source = self._sources.get(query.class_name)
        if source is not None:
            return source.page(query, budget, derive)
        query = self._queries.stored_query(query)
        # Parts that a purge or a restoration is still working on would make the total count wrong.
        if query.fields.total_count and links.may_count_unlisted_parts(self._store, query):
            query, derive = links.exclude_unlisted_parts(self._store, query, derive)
        return pages.read_page(self._store, query, budget, derive, related)

    def matches(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Iterator[Matches]:
        """Yield all objects that match a query, in batches."""
        source = self._sources.get(query.class_name)
        if source is not None:
            return iter([Matches(states_of(source.page(query, budget, derive).items))])
        query = self._queries.stored_query(query)
        if links.may_count_unlisted_parts(self._store, query):
            query, derive = links.exclude_unlisted_parts(self._store, query, derive)
        counted = count_entries(self._store, query, budget) if derive is None else None
        return counted or pages.read_matches(self._store, query, budget, derive, related)

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object that has unique values, None if there is none."""
        source = self._sources.get(class_name)
        if source is not None:
            return source.find_by_unique(unique, values, budget)
        class_ = self._model.classes[class_name]
        for name in class_.roles.keys() & set(unique.attributes):
            self.check_role(RoleName(class_name, name))
        if self._store.registry.is_guarded(class_, unique):
            return unique_lookup.find_by_unique(self._engine, class_, unique, values, budget)
        # Some objects may still lack their guard: find candidates by a query, and read them by key, because
        # an index may lag and does not carry all attributes.
        page = self.page(unique_lookup.candidates_query(class_, unique, values), budget)
        for candidate in page.items:
            if unique_lookup.has_values(class_, unique, candidate, values):
                (entity,) = self.read([candidate.reference], budget)
                if entity and unique_lookup.has_values(class_, unique, entity, values):
                    return entity
        return None

    def unbuilt(self, names: StoredNames | None = None) -> tuple[str, ...]:
        """Return descriptions of what a reindex must build, such as `Employee @unique(email)`.

        `names`: the names to show instead of stored ones.
        """
        return self._store.registry.unfinished_labels(names)

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, Sequence[int]]:
        """Return new numbers of Serial attributes, as many as `wanted` says for each attribute."""
        return self._serials.next(wanted)

    def dry_run(self, change: Change) -> None:
        """Raise the exception that `commit` would raise now, and write nothing."""
        if change.effects:
            try:
                commit.dry_run(self._store, change)
            except Conflict:
                self._clean_up_after_conflict(change)
                raise

    def fork(self) -> "Repository":
        """Return a repository of the same objects whose commits stay in memory."""
        store = self._store
        overlay, sources = OverlayEngine(self._engine), self._sources
        return Repository(overlay, self._model, store.parallel_map, store.now, sources=sources)

    def may_refuse(self, changes: Sequence[Change]) -> list[bool]:
        """Return for each change whether `dry_run` could refuse it now."""
        return refusals.may_refuse(self._store, changes)

    def commit(self, change: Change) -> None:
        """Commit all of a change or nothing."""
        if not change.effects:
            return
        try:
            left = commit.commit(self._store, change, schedule_cleanup=self._cleanup.run)
        except Conflict:
            self._clean_up_after_conflict(change)
            raise
        if left:
            self._cleanup.run(left)

    def jobs(self) -> "Sequence[JobKind[Any]]":
        """Return the kinds of job that writes of objects leave."""
        # Imported only here, because the functions that answer requests run no jobs.
        from stratabase.core.store.write.cleanup_jobs import cleanup_jobs  # noqa: PLC0415

        return cleanup_jobs(self._store, self._purger, self._cleanup)

    def sweep_steps(self) -> Iterator[None]:
        """Return the steps of one round of these jobs. They raise Unavailable, JobsFailed."""
        from stratabase.core.jobs.runner import Runner  # noqa: PLC0415 - see `jobs`
        from stratabase.core.observe import Log  # noqa: PLC0415

        return Runner(self._store.now, Log()).steps(self.jobs())

    def oldest_purge(self) -> Instant | None:
        """Return when the oldest work of a large write was left that is not done, None if there is none."""
        return self._purger.oldest()

    def _clean_up_after_conflict(self, change: Change) -> None:
        """Run the pending cleanup of restored objects, which may have caused a Conflict."""
        self._cleanup.run(self._blocking_ledgers(change))

    def _blocking_ledgers(self, change: Change) -> list[Key]:
        """Return the keys of the ledgers that may block the restorations of a change."""
        wanted = [check.key for check in deletions.expect_nothing_to_purge(self._store, change)]
        wanted += [] if change.root is None else [keys.restoration(change.root)]
        ledgers = self._engine.get(wanted) if wanted else []
        return [ledger.key for ledger in ledgers if ledger is not None]

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        """Run the pending cleanup of objects for a few seconds; return whether there was any."""
        ledgers = self._purger.ledgers(references)
        for ledger in ledgers:
            check_finished(ledger, self._store.now())
        self._cleanup.run([ledger.key for ledger in ledgers])
        return bool(ledgers)

    def lock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        lock: Lock,
        now: Instant,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Lock all of these objects or none."""
        lock_and_unlock.lock(self._store, commit_id, references, lock, now, record)

    def unlock(  # noqa: PLR0913 - the signature of the port
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Remove a member's locks from objects, or all locks if `anybodys`."""
        lock_and_unlock.unlock(
            self._store, commit_id, references, member_id, now, anybodys=anybodys, record=record
        )

    def recorded(self, scope: str) -> list[IdempotencyRecord]:
        """Return all records of an idempotency key, also expired ones."""
        return idempotency.read_records(self._engine, scope)

    def record(self, record: IdempotencyRecord, now: Instant) -> None:
        """Store the idempotency record of a step that has written nothing."""
        idempotency.add_record(self._engine, record, now)

    def checkpoint(self, work: str) -> str | None:
        """Return the position at which a long task stopped, None if it has not started."""
        (found,) = self._engine.get([keys.checkpoint(work)])
        return None if found is None else found.state

    def begin_checkpoint(self, work: str, at: str) -> str:
        """Store the first position of a long task, unless it has one; return the stored one."""
        put = Put(Item(keys.checkpoint(work), state=at), NOT_EXISTS)
        if is_committed(self._engine, Batch(new_commit_id("checkpoint"), (put,))):
            return at
        return self.checkpoint(work) or self.begin_checkpoint(work, at)

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Store the position at which a long task stopped; None removes it. Raises Unavailable."""
        key = keys.checkpoint(work)
        self._engine.commit(
            Batch(new_commit_id("checkpoint"), (DeleteItem(key) if at is None else Put(Item(key, state=at)),))
        )

    def sweep(self) -> None:
        """Run one round of the jobs of writes. Raises Unavailable, JobsFailed."""
        for _ in self.sweep_steps():
            pass

    def _entity_of(self, reference: Reference, head: Item | None) -> Entity | None:
        """Return the object of a head, None if it does not exist."""
        return self._store.entity_of(reference, head) or self._singleton(reference)

    def _singleton(self, reference: Reference) -> Entity | None:
        """Return a singleton that has no head yet, None if the object is not a singleton."""
        is_singleton = reference.id == SINGLETON_ID and self._store.is_singleton(reference.class_name)
        if not is_singleton:
            return None
        class_ = self._model.classes[reference.class_name]
        return Entity(reference, {**class_.state_reader.read({}), ID: SINGLETON_ID})
