"""Object stores with one class each, so that many can share one engine."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.query.planner import PlanCandidate
from stratabase.core.store.query.plans import QueryPlan
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.schema import QuerySchema
from stratabase.core.store.repository import Repository
from tests.fakes import unlimited_budget
from tests.models import THING, model

_numbers: Iterator[int] = count(1)


def fresh_class(*uniques: tuple[str, ...], indexes: Iterable[tuple[str, ...]] = ()) -> Class:
    """Return a copy of THING with a unique name and the given uniqueness constraints and indexes."""
    return replace(
        THING,
        name=f"Thing{next(_numbers)}",
        uniques=tuple(map(Unique, uniques)),
        indexes=tuple(map(Index, indexes)),
    )


def unlimited() -> ReadLimiter:
    """Return a read limiter that never refuses."""
    return ReadLimiter(unlimited_budget(), "Thing")


def schema_of(engine: Engine, class_: Class) -> QuerySchema:
    """Return what a planner knows of a store with a single class."""
    stored = model(class_)
    registry = RegistryCache(engine, stored).write_schema()
    return QuerySchema(stored, Associations(stored), registry)


def built(candidate: PlanCandidate, source: PlanSource, query: Query) -> QueryPlan:
    """Return the plan of a candidate, which reads as little as estimated, for a query."""
    plan = candidate.build(source, query)
    assert plan is not None
    return plan


class UnguardedRegistryCache(RegistryCache):
    """The registry as an early version of the service uses it: it keeps only guards of its model."""

    def write_schema(self) -> WriteSchema:
        """Return the schema of a registry in which nothing is listed."""
        return WriteSchema(Registry(), self._model, self._now)


def use_registry(entities: Repository, registry: RegistryCache) -> None:
    """Replace the cached registry of a repository."""
    object.__setattr__(entities._store, "registry", registry)


class Store:
    """Short methods that write and read the objects of one class."""

    def __init__(self, engine: Engine, class_: Class) -> None:
        self.class_ = class_
        self._engine = engine
        self.entities = Repository(engine, model(class_))

    def unguarded(self) -> "Store":
        """Return a store on the same class that writes objects without any guards."""
        self.entities.unbuilt()  # the registry is written before
        store = Store(self._engine, replace(self.class_, uniques=()))
        use_registry(store.entities, UnguardedRegistryCache(self._engine, model(store.class_)))
        return store

    def entity(self, id_: str, **state: Any) -> Entity:
        """Return a new object."""
        return Entity(Reference(self.class_.name, id_), {"_id": id_, **state})

    def find(self, id_: str) -> Entity | None:
        """Return an object, or None if it does not exist."""
        return self.entities.read([Reference(self.class_.name, id_)])[0]

    def get(self, id_: str) -> Entity:
        """Return an existing object."""
        entity = self.find(id_)
        assert entity is not None
        return entity

    def commit(self, *effects: Effect, commit_id: str | None = None) -> None:
        """Commit effects as one change."""
        self.entities.commit(Change(commit_id or f"c{next(_numbers)}", 0, effects))

    def create(self, id_: str, **state: Any) -> None:
        self.commit(Creation(self.entity(id_, **state)))

    def creation(self, id_: str, **state: Any) -> Creation:
        return Creation(self.entity(id_, **state))

    def update(self, id_: str, **changes: Any) -> Modification:
        """Return the modification of an object in its present state."""
        before = self.get(id_)
        return Modification(before, Entity(before.reference, {**before.state, **changes}, before.commit_ids))

    def deletion(self, id_: str) -> Deletion:
        """Return the deletion of an object in its present state."""
        return Deletion(self.get(id_))

    def fill(self, states: Iterable[Mapping[str, Any]]) -> None:
        effects = [Creation(Entity(Reference(self.class_.name, state["_id"]), state)) for state in states]
        for first in range(0, len(effects), 100):
            self.commit(*effects[first : first + 100])

    def page(self, query: Query, budget: ReadBudget | None = None) -> Page:
        """Return the page that answers a query, within a read budget."""
        return self.entities.page(replace(query, class_name=self.class_.name), budget or unlimited_budget())
