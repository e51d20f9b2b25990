"""The repository of a model with renamed classes, attributes, roles or enum values.

The store knows only stored names. This repository has the interface of `Repository` with the names of the
model. It translates all that comes in and goes out, so that no other code ever sees a stored name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.objects.change import Change, DeletedObject, DeletionPlace, Tombstone
from stratabase.core.domain.objects.commit_refusals import CommitRefusal
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, SerialName, State
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.derived import Derive, Related
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Matches, Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.users import with_users
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.repository import Repository
from stratabase.core.store.sources import NO_SOURCES, Sources
from stratabase.core.waiting import system_now

if TYPE_CHECKING:
    from stratabase.core.jobs.job import JobKind


class RenamedRepository:
    """The objects of a model in an engine, which has them under other names.

    Implements the port `operations.ports.EntityRepository`, which says what each method promises.
    """

    def __init__(self, repository: Repository, names: StoredNames) -> None:
        """`repository`: of the stored model."""
        self._repository = repository
        self._names = names
        self._in = NameTranslation.to_stored(names)
        self._out = self._in.inverse

    @contextmanager
    def _translated_refusals(self) -> Iterator[None]:
        try:
            yield
        except (CommitRefusal, Refusal) as refusal:
            translated = self._out.refusal(refusal)
            if translated is refusal:
                raise
            raise translated from refusal

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects in the order of their references, None for a missing object."""
        with self._translated_refusals():
            found = self._repository.read([*map(self._in.reference, references)], budget)
        return [*map(self._out.entity_or_none, found)]

    def as_of(self, moments: Sequence[Moment], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects as they were at instants, in the order of `moments`."""
        with self._translated_refusals():
            found = self._repository.as_of([*map(self._in.moment, moments)], budget)
        return [*map(self._out.entity_or_none, found)]

    def ids_at(
        self, class_name: str, instant: Instant, id_range: IdRange, budget: ReadBudget
    ) -> Iterator[Sequence[str]]:
        """Yield the IDs of all objects of a class that may have existed at an instant."""
        with self._translated_refusals():
            yield from self._repository.ids_at(self._in.class_name(class_name), instant, id_range, budget)

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
        with self._translated_refusals():
            yield from map(
                self._out.entity,
                self._repository.versions(
                    self._in.reference(reference),
                    since,
                    until,
                    backward=backward,
                    limit=limit,
                    budget=budget,
                ),
            )

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return the tombstones of deleted objects, None for other objects."""
        found = self._repository.tombstones([*map(self._in.reference, references)])
        return [*map(self._out.tombstone, found)]

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
        stored_name = self._in.class_name(class_name)
        with self._translated_refusals():
            for batch in self._repository.deleted(
                stored_name, start, budget, inclusive=inclusive, oldest_first=oldest_first, size=size
            ):
                yield [*map(self._out.deleted_object, batch)]

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return the instants at which objects were deleted whose purge is not finished; None for others."""
        return self._repository.pending_purges([*map(self._in.reference, references)])

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        """Run the pending cleanup of objects for a few seconds; return whether there was any."""
        with self._translated_refusals():
            return self._repository.finish_cleanup([*map(self._in.reference, references)])

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
        with self._translated_refusals():
            return self._repository.linked(self._in.role(role), ids, id_range, at=at, budget=budget)

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of at most `limit` objects that refer to an object by a required foreign key."""
        return self._repository.referrers(self._in.role(role), id_, limit)

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return for each pair of ids (owner, target) whether the owner has a link to the target."""
        with self._translated_refusals():
            return self._repository.are_linked(self._in.role(role), pairs)

    def check_role(self, role: RoleName) -> None:
        """Raise RoleUnavailable if the associations of a role are not where the model expects them."""
        with self._translated_refusals():
            self._repository.check_role(self._in.role(role))

    def known_size(self, class_name: str, limit: int) -> int | None:
        """Return the number of objects of a class, None if it is unknown or exceeds `limit`."""
        return self._repository.known_size(self._in.class_name(class_name), limit)

    def known_since(self, role: RoleName) -> Instant:
        """Return the instant since which objects have a role in their state, 0 for always."""
        return self._repository.known_since(self._in.role(role))

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        """Return a page of the objects of a class."""
        stored_derive = None if derive is None else self._in.derive(derive)
        stored_related = None if related is None else self._in.related(related)
        with self._translated_refusals():
            found = self._repository.page(self._in.query(query), budget, stored_derive, stored_related)
            return self._out.page(found)

    def matches(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Iterator[Matches]:
        """Yield all objects that match a query, in batches."""
        stored_derive = None if derive is None else self._in.derive(derive)
        stored_related = None if related is None else self._in.related(related)
        stored_query = self._in.query(query)
        stored_class = stored_query.class_name
        with self._translated_refusals():
            for batch in self._repository.matches(stored_query, budget, stored_derive, stored_related):
                yield batch._replace(states=self._out.states(stored_class, batch.states))

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object that has unique values, None if there is none."""
        translate = self._in
        with self._translated_refusals():
            found = self._repository.find_by_unique(
                translate.class_name(class_name),
                translate.directive(class_name, unique),
                translate.state(class_name, values),
                budget,
            )
        return self._out.entity_or_none(found)

    def unbuilt(self) -> tuple[str, ...]:
        """Return descriptions of what a reindex must build, such as `Employee @unique(email)`."""
        return self._repository.unbuilt(self._names)

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, Sequence[int]]:
        """Return new numbers of Serial attributes, as many as `wanted` says for each attribute."""
        with self._translated_refusals():
            found = self._repository.next_serials({self._in.serial(name): wanted[name] for name in wanted})
        return {self._out.serial(name): numbers for name, numbers in found.items()}

    def dry_run(self, change: Change) -> None:
        """Raise the exception that `commit` would raise now, and write nothing."""
        with self._translated_refusals():
            self._repository.dry_run(self._in.change(change))

    def fork(self) -> "RenamedRepository":
        """Return a repository of the same objects whose commits stay in memory."""
        return RenamedRepository(self._repository.fork(), self._names)

    def may_refuse(self, changes: Sequence[Change]) -> list[bool]:
        """Return for each change whether `dry_run` could refuse it now."""
        with self._translated_refusals():
            return self._repository.may_refuse([*map(self._in.change, changes)])

    def commit(self, change: Change) -> None:
        """Commit all of a change or nothing."""
        with self._translated_refusals():
            self._repository.commit(self._in.change(change))

    def lock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        lock: Lock,
        now: Instant,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Lock all of these objects or none."""
        with self._translated_refusals():
            self._repository.lock(commit_id, [*map(self._in.reference, references)], lock, now, record)

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
        stored = [*map(self._in.reference, references)]
        with self._translated_refusals():
            self._repository.unlock(commit_id, stored, member_id, now, anybodys=anybodys, record=record)

    def recorded(self, scope: str) -> list[IdempotencyRecord]:
        """Return all records of an idempotency key, also expired ones."""
        return self._repository.recorded(scope)

    def record(self, record: IdempotencyRecord, now: Instant) -> None:
        """Store the idempotency record of a step that has written nothing."""
        self._repository.record(record, now)

    def checkpoint(self, work: str) -> str | None:
        """Return the position at which a long task stopped, None if it has not started."""
        return self._repository.checkpoint(work)

    def begin_checkpoint(self, work: str, at: str) -> str:
        """Store the first position of a long task, unless it has one; return the stored one."""
        return self._repository.begin_checkpoint(work, at)

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Store the position at which a long task stopped; None removes it. Raises Unavailable."""
        self._repository.set_checkpoint(work, at)

    def jobs(self) -> "Sequence[JobKind[Any]]":
        """Return the kinds of job that writes of objects leave."""
        return self._repository.jobs()

    def sweep_steps(self) -> Iterator[None]:
        """Return the steps of one round of these jobs. They raise Unavailable, JobsFailed."""
        return self._repository.sweep_steps()

    def oldest_purge(self) -> Instant | None:
        """Return when the oldest work of a large write was left that is not done, None if there is none."""
        return self._repository.oldest_purge()

    def sweep(self) -> None:
        """Run one round of the jobs of writes. Raises Unavailable, JobsFailed."""
        self._repository.sweep()


def open_repository(  # noqa: PLR0913 - the settings of a repository
    engine: Engine,
    model: Model,
    parallel_map: ParallelMap = sequential_map,
    now: Callable[[], Instant] = system_now,
    *,
    sources: Sources = NO_SOURCES,
    serves: bool = False,
    read_only: bool = False,
) -> Repository | RenamedRepository:
    """Return the repository of the objects of a model. The arguments are those of `Repository`.

    A model without renames needs no translation.
    """
    names = StoredNames(model)
    repository = Repository(
        engine,
        names.stored_model,
        parallel_map,
        now,
        sources=sources,
        serves=serves,
        read_only=read_only,
    )
    if names.is_identity:
        return repository
    # Queries also name the roles that lead to objects of sources.
    return RenamedRepository(repository, StoredNames(with_users(model)) if sources else names)
