"""Fakes for tests of everything above the store: in-memory objects, a settable clock and counted IDs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from itertools import count, islice

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import (
    Change,
    DeletedObject,
    DeletionPlace,
    Tombstone,
    reference_of,
)
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyRecorded,
    Conflict,
    IntegrityViolation,
    TooLarge,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import (
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
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Matches, Page, Paginator, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import ClassKind, Model, Unique
from stratabase.core.model.users import with_users
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.sources import NO_SOURCES, Sources, StoredQueries, read_elsewhere
from stratabase.values.cel.environment import EMPTY_CONTEXT, EvaluationContext
from stratabase.values.messages import verbatim
from tests.claim_rules import claim, refuse_claimed
from tests.lock_rules import refuse_held, refuse_unlockable, whole_of
from tests.role_rules import Graph, breaches, has_doubtful_links, taken

NOON = 1_577_880_000_000
"""2020-01-01T12:00:00Z."""
FUTURE_NOON = 4_102_488_000_000
"""2100-01-01T12:00:00Z. The emulator of DynamoDB removes expired records by the clock of the machine."""


MOST_TOGETHER = 100
"""How many objects a store locks at once."""


ADMINISTRATOR = Caller("m1", "ada", "Administrator", administrator=True)


class FrozenClock:
    """A clock that moves only when a test sets it."""

    def __init__(self, instant: Instant = NOON) -> None:
        self.instant = instant

    def now(self) -> Instant:
        return self.instant


class CountedIds:
    """A generator of predictable IDs: id1, id2 …, or with another prefix."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix
        self._numbers: Iterator[int] = count(1)

    def new(self) -> str:
        return f"{self._prefix}{next(self._numbers)}"


class DictEntities:
    """An in-memory store of objects. `before_commit` runs before each commit, as a concurrent write would.

    It enforces the roles of its model as a store does. While `sweeping` is false, links to deleted objects
    are not purged, and are therefore broken.
    """

    def __init__(self, model: Model, sources: Sources = NO_SOURCES) -> None:
        self._model = model
        self._sources = sources
        self._queries = StoredQueries(with_users(model), sources)
        self.graph = Graph()
        self.commits: list[Change] = []
        self.queries: list[Query] = []
        self.allowances: list[ReadBudget] = []
        self.before_commit: Callable[[], None] = lambda: None
        self.refuse: Exception | None = None
        self.sweeping = True
        self.serials: Counter[SerialName] = Counter()
        self.locks: dict[Reference, Lock] = {}
        self.records: dict[tuple[str, str], IdempotencyRecord] = {}
        self.checkpoints: dict[str, str | None] = {}

    @property
    def objects(self) -> dict[Reference, Entity]:
        """All objects that exist."""
        return self.graph.objects

    def fill(
        self,
        objects: Mapping[str, Mapping[str, State]],
        links: Iterable[tuple[str, str, str, str]],
    ) -> None:
        """Store objects without validation.

        `objects` are states by class and id. Each of the `links` is a class, a role, an owner and a target.
        """
        for class_name, states in objects.items():
            for id_, state in states.items():
                reference = Reference(class_name, id_)
                self.objects[reference] = Entity(reference, {**state, "_id": id_}, ("before",))
        for class_name, role, owner, other in links:
            self.graph.link(self._model, RoleName(class_name, role), owner, other)

    def fork(self) -> "DictEntities":
        """Return a copy of the store, without what runs before commits."""
        fork = copy(self)
        fork.graph, fork.locks, fork.serials = deepcopy(self.graph), dict(self.locks), Counter(self.serials)
        fork.commits, fork.before_commit = [], lambda: None
        return fork

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        if budget is not None:
            self.allowances.append(budget)
        elsewhere = read_elsewhere(self._sources, references, budget)
        return [
            elsewhere[each] if each in elsewhere else self._counted(self._there(each)) for each in references
        ]

    def linked(
        self,
        role: RoleName,
        ids: Sequence[str],
        id_range: IdRange = ALL_IDS,
        *,
        at: Sequence[Instant] | None = None,
        budget: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        if budget is not None:
            self.allowances.append(budget)
        moments = zip(ids, [None] * len(ids) if at is None else at, strict=True)
        return [
            tuple(id_range.select(self.graph.led_to(self._model, role, id_, one))) for id_, one in moments
        ]

    def check_role(self, role: RoleName) -> None:
        """Do nothing: no model changes."""

    def known_size(self, class_name: str, limit: int) -> int | None:
        return None

    def known_since(self, role: RoleName) -> Instant:
        del role
        return 0

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        holders = (each for each in self.objects.values() if each.reference.class_name == role.class_name)
        leading = [each.reference.id for each in holders if each.state.get(role.role_name) == id_]
        return tuple(sorted(leading)[:limit])

    def as_of(self, moments: Sequence[Moment], budget: ReadBudget | None = None) -> list[Entity | None]:
        now = self.read([moment.reference for moment in moments], budget)
        return [
            self.graph.past.at(*moment, self.objects)
            if moment.reference.class_name not in self._sources
            and self._model.classes[moment.reference.class_name].versioned
            else entity
            for moment, entity in zip(moments, now, strict=True)
        ]

    def ids_at(
        self, class_name: str, instant: Instant, id_range: IdRange, budget: ReadBudget
    ) -> Iterator[Sequence[str]]:
        del instant
        self.allowances.append(budget)
        references = {*self.objects, *self.graph.past.gone}
        ids = [each.id for each in references if each.class_name == class_name]
        yield from ([id_] for id_ in id_range._replace(limit=None).select(ids))

    def versions(
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        budget: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        if budget is not None:
            self.allowances.append(budget)
        found = [
            version
            for version in self.graph.past.versions(reference, self.objects)
            if (since is None or (version.start or 0) >= since)
            and (until is None or (version.start or 0) < until)
        ]
        return islice(reversed(found) if backward else found, limit)

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        return [self.graph.past.gone.get(reference) for reference in references]

    def deleted(
        self,
        class_name: str,
        start: DeletionPlace | None,
        budget: ReadBudget,
        *,
        inclusive: bool = False,
        oldest_first: bool = False,
        size: int = 1,
    ) -> Iterator[Sequence[DeletedObject]]:
        self.allowances.append(budget)
        past = self.graph.past
        found = {
            DeletionPlace(gone.last_end, each.id): DeletedObject(gone, past.closed[each][-1])
            for each, gone in past.gone.items()
            if each.class_name == class_name
        }
        for place in sorted(found, reverse=not oldest_first):
            beyond = start is None or (place > start if oldest_first else place < start)
            if beyond or (inclusive and place == start):
                yield [found[place]]
        del size

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        return [None] * len(references)  # all ends at once here

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        raise AssertionError(f"nothing is left of {references}: all ends at once here")

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        return [other in self.graph.led_to(self._model, role, owner) for owner, other in pairs]

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        self.queries.append(query)
        self.allowances.append(budget)
        if query.class_name in self._sources:
            return self._sources[query.class_name].page(query, budget, derive)
        query = self._queries.stored_query(query)
        paginator = Paginator(
            query, self._model.classes[query.class_name], partial(budget.compare_in, query.class_name)
        )
        found = [each for each in self.objects.values() if each.reference.class_name == query.class_name]
        return paginator.page(derive(found) if derive else found)

    def matches(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Iterator[Matches]:
        yield Matches(states_of(self.page(query, budget, derive, related).items))

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        self.allowances.append(budget)
        if class_name in self._sources:
            return self._sources[class_name].find_by_unique(unique, values, budget)
        return self._counted(next(self.graph.holding(self._model.classes[class_name], unique, values), None))

    def commit(self, change: Change) -> None:
        self.before_commit()
        if self.refuse is not None:
            raise self.refuse
        after = self._allowed(change)
        claim(after, change)
        if not self.sweeping:
            after.links |= self.graph.leading_to_gone(change, self._model)
        if change.record is not None:
            self.record(change.record, change.time)
        self.commits.append(change)
        self.graph = after
        self.locks = {each: lock for each, lock in self.locks.items() if self._there(each)}

    def lock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        lock: Lock,
        now: Instant,
        record: IdempotencyRecord | None = None,
    ) -> None:
        assert commit_id
        self._refuse_unlockable(references, lock.owner, now)
        if record is not None:
            self.record(record, now)
        self.locks |= dict.fromkeys(references, lock)

    def unlock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
        record: IdempotencyRecord | None = None,
    ) -> None:
        assert commit_id
        self._refuse_unlockable(references, member_id, now, locks={} if anybodys else self.locks)
        if record is not None:
            self.record(record, now)
        self.locks = {each: lock for each, lock in self.locks.items() if each not in references}

    def checkpoint(self, work: str) -> str | None:
        return self.checkpoints.get(work)

    def begin_checkpoint(self, work: str, at: str) -> str:
        self.checkpoints = {work: at, **self.checkpoints}
        return self.checkpoints[work] or at

    def set_checkpoint(self, work: str, at: str | None) -> None:
        self.checkpoints = {**self.checkpoints, work: at}

    def _refuse_unlockable(
        self,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        locks: Mapping[Reference, Lock] | None = None,
    ) -> None:
        self.before_commit()
        if self.refuse is not None:
            raise self.refuse
        if len(references) > MOST_TOGETHER:
            raise TooLarge(verbatim(f"{len(references)} objects. The maximum is {MOST_TOGETHER}."))
        there = [self._stands(reference) for reference in references]
        refuse_unlockable(references, there, self.locks if locks is None else locks, member_id, now)

    def _stands(self, reference: Reference) -> bool:
        """Return whether an object and all its wholes exist."""
        entity = self._there(reference)
        whole = None if entity is None else whole_of(self._model, entity)
        return entity is not None and (whole is None or self._stands(whole))

    def recorded(self, scope: str) -> list[IdempotencyRecord]:
        return [record for (of, _step), record in self.records.items() if of == scope]

    def record(self, record: IdempotencyRecord, now: Instant) -> None:
        before = self.records.get((record.scope, record.step))
        if before is not None and before.expires > now:
            raise AlreadyRecorded
        self.records[record.scope, record.step] = record

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, Sequence[int]]:
        value = {
            name: range(first := self.serials[name] + 1, first + number) for name, number in wanted.items()
        }
        self.serials.update(wanted)
        return value

    def dry_run(self, change: Change) -> None:
        self._allowed(change)

    def may_refuse(self, changes: Sequence[Change]) -> list[bool]:
        return [True for _ in changes]

    def _allowed(self, change: Change) -> Graph:
        """Return the graph after a change.

        Raises Conflict, LockedByOthers, UniqueViolation, IntegrityViolation.
        """
        if any(self._there(reference_of(effect)) != effect.before for effect in change.object_effects()):
            raise Conflict
        if any(map(self.graph.past.forbids, change.object_effects())):
            raise Conflict
        if any(self._there(entity.reference) is None for entity in change.checked_entities()):
            raise Conflict
        if any(self._there(entity.reference) != entity for entity in change.unchanged_entities()):
            raise Conflict
        refuse_claimed(self.graph, change)
        refuse_held(change, self.locks)
        if has_doubtful_links(self._model, self.graph, change):
            raise Conflict
        after = self.graph.after(change, self._model)
        if twice := tuple(taken(self._model, after, change)):
            raise UniqueViolation(twice)
        if broken := breaches(self._model, self.graph, after, change):
            raise IntegrityViolation(broken)
        return after

    def _there(self, reference: Reference) -> Entity | None:
        is_singleton = (
            reference.id == "1" and self._model.classes[reference.class_name].kind is ClassKind.SINGLETON
        )
        return self.objects.get(reference) or (
            Entity(reference, {"_id": reference.id}) if is_singleton else None
        )

    def _counted(self, entity: Entity | None) -> Entity | None:
        if entity is None:
            return None
        counts, lock = self.graph.counts(self._model, entity.reference), self.locks.get(entity.reference)
        return replace(entity, counts=counts, lock=lock)


def unlimited_budget() -> ReadBudget:
    """Return a read budget that is never used up."""
    return ReadBudget(2**60, 1, clock=lambda: 0.0)


def request_of(
    model: Model,
    entities: EntityRepository,
    evaluation: EvaluationContext = EMPTY_CONTEXT,
    budget: ReadBudget | None = None,
) -> ReadContext:
    """Return the context of a read request, by default without a caller."""
    return ReadContext(model, entities, budget or unlimited_budget(), evaluation)


def fake_services(model: Model) -> tuple[Services, DictEntities, FrozenClock]:
    """Return the services of a model, the in-memory store below them, and their clock."""
    entities, clock = DictEntities(model), FrozenClock()
    services = Services(model, entities, clock, CountedIds(), unlimited_budget, pause=lambda _: None)
    return services, entities, clock
