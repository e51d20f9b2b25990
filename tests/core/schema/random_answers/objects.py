"""Random objects in a store, the same objects in dicts, and what a member sees of them by the contract."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from stratabase.core.domain.objects.change import Change, Creation, Effect, LinkCreation, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.derived import Derive, Related
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Action, Class, Grant, Model, Role
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.renamed_repository import open_repository
from stratabase.evolution.backfill.reindex import Reindex
from tests.core.domain.query import naive
from tests.core.schema.random_answers.models import STORED, RandomModel, condition_of, label_of
from tests.fakes import NOON, DictEntities

_TOGETHER = 10
"""How many effects one commit has."""
MOST_OBJECTS = 150
"""Of one class, parts excepted. More than the service reads at first."""
SECOND = 1000
LAST_INSTANT = NOON + 20 * SECOND


class PlainEntities(DictEntities):
    """All objects in dicts. A page reads all of a class, and filters, sorts and cuts them by simple code."""

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        del budget, related
        class_ = self._model.classes[query.class_name]
        found: Sequence[Entity] = [
            Entity(reference, entity.state, start=entity.start)
            for reference, entity in self.objects.items()
            if reference.class_name == class_.name
        ]
        by_id = {entity.reference.id: entity for entity in (derive(found) if derive else found)}
        states = [entity.state for entity in by_id.values()]
        expected = naive.page(states, query.filter, query.order, query.window, class_)
        wanted = query.fields
        return Page(
            tuple(by_id[id_] for id_ in expected.ids) if wanted.items else (),
            expected.total_count if wanted.total_count else None,
            expected.has_next if wanted.has_next else None,
            expected.has_prev if wanted.has_prev else None,
        )

    def commit(self, change: Change) -> None:
        """Commit a change without checks: the store makes them."""
        self.graph = self.graph.after(change, self._model)
        self.locks = {each: lock for each, lock in self.locks.items() if self._there(each)}


class RandomObjects:
    """Random objects of a random model, in an engine and in dicts."""

    def __init__(
        self, engine: Engine, models: RandomModel, chance: Random, other: Engine | None = None
    ) -> None:
        """Store objects under the model without indexes, so that these lack until `reindex`.

        `other`: the same store, as another process has it open. It makes half of the later changes.
        """
        self.model = models.model
        self.plain = PlainEntities(self.model)
        self._chance = chance
        self._engine = engine
        self._commits = 0
        self._numbers = 0
        stored = open_repository(engine, models.without_indexes)
        states = self._random_states()
        keys = {reference: self._keys(reference, [*states]) for reference in states}
        self._unique_keys(keys)
        repositories: list[EntityRepository] = [stored, self.plain]
        self._commit(repositories, [Creation(Entity(*each)) for each in states.items()])
        self._modify(repositories, {reference: each for reference, each in keys.items() if each})
        self._commit(repositories, [*self._links([*states])])
        self._lock(repositories, [*states])
        self.stored = open_repository(engine, self.model)
        self._writers = [self.stored, open_repository(other or engine, self.model)]

    def change(self) -> None:
        """Change values of some objects."""
        some = [each for each in self.plain.objects if self._chance.random() < 0.2]
        changes = {each: self._values(self.model.classes[each.class_name], 0.5) for each in some}
        self._modify([self._chance.choice(self._writers), self.plain], changes)

    def some_to_delete(self) -> list[Reference]:
        """Return some objects that are not parts."""
        classes = self.model.classes
        found = [each for each in self.plain.objects if not classes[each.class_name].part]
        return self._chance.sample(found, min(len(found), 6))

    def next_instant(self) -> Instant:
        """Return the instant of a commit that something else makes."""
        self._commits += 1
        return NOON + self._commits * SECOND

    def reindex(self) -> None:
        """Build the indexes that lack."""
        for class_ in self.model.classes.values():
            Reindex(self._engine, self.model, sleep=lambda _: None).run(class_.name)

    def _random_states(self) -> dict[Reference, dict[str, Any]]:
        states: dict[Reference, dict[str, Any]] = {}
        classes = [each for each in self.model.classes.values() if each.name.startswith("C")]
        for class_ in classes:
            for number in range(0 if class_.part else self._chance.choice([6, 12, 12, 40, 40, MOST_OBJECTS])):
                self._add(states, Reference(class_.name, f"o{number:02}"))
        for class_ in classes:
            for role in class_.roles.values():
                if role.composition:
                    for whole in [each for each in states if each.class_name == class_.name]:
                        self._add_parts(states, whole, role)
        return states

    def _add(self, states: dict[Reference, dict[str, Any]], reference: Reference, **more: Any) -> None:
        class_ = self.model.classes[reference.class_name]
        values = {name: value for name, value in self._values(class_, 0.85).items() if value is not None}
        states[reference] = {"_id": reference.id, "_createdby": "ada", **values, **more}

    def _add_parts(self, states: dict[Reference, dict[str, Any]], whole: Reference, role: Role) -> None:
        ids = [
            f"o{sum(each.class_name == role.target for each in states) + number:02}"
            for number in range(self._chance.choice([0, 1, 2]) if role.many else self._chance.choice([0, 1]))
        ]
        for id_ in ids:
            self._add(states, Reference(role.target, id_), **{str(role.opposite): whole.id})
        if ids:
            states[whole][role.name] = ids if role.many else ids[0]

    def _values(self, class_: Class, odds: float) -> dict[str, Any]:
        """Return values of some attributes of an object. None is among them."""
        found: dict[str, Any] = {}
        for name in class_.attributes:
            if (name != "code" and name not in STORED) or self._chance.random() > odds:
                continue
            self._numbers += 1
            if name == "code":
                found[name] = f"{self._chance.choice('kK')}{self._numbers}"
                continue
            found[name] = self._chance.choice([*STORED[name], None])
            if name == "picture" and found[name] is not None:  # each object has files of its own
                found[name] = {**found[name], "fileId": f"f{self._numbers}"}
        return found

    def _keys(self, reference: Reference, all_: Sequence[Reference]) -> dict[str, Any]:
        class_ = self.model.classes[reference.class_name]
        return {
            role.name: self._chance.choice(ids)
            for role in class_.roles.values()
            if role.holds_key
            and (ids := [each.id for each in all_ if each.class_name == role.target])
            and self._chance.random() < 0.8
        }

    def _unique_keys(self, keys: Mapping[Reference, dict[str, Any]]) -> None:
        """Leave out the keys of one-to-one associations that another object has."""
        taken: set[tuple[str, str, str]] = set()
        for reference, each in keys.items():
            for name, id_ in [*each.items()]:
                role = self.model.classes[reference.class_name].roles[name]
                if role.opposite is None or self.model.classes[role.target].roles[role.opposite].many:
                    continue
                if (reference.class_name, name, id_) in taken:
                    del each[name]
                taken.add((reference.class_name, name, id_))

    def _links(self, all_: Sequence[Reference]) -> Iterator[LinkCreation]:
        """Yield links of associations without a key, each from one side."""
        for owner in all_:
            for role in self.model.classes[owner.class_name].roles.values():
                ids = [each.id for each in all_ if each.class_name == role.target]
                if role.many and role.name.startswith("to") and not role.composition and ids:
                    name = RoleName(owner.class_name, role.name)
                    for other in sorted(
                        {self._chance.choice(ids) for _ in range(self._chance.randint(0, 3))}
                    ):
                        yield LinkCreation(name, owner.id, other)

    def _lock(self, repositories: Iterable[EntityRepository], all_: Sequence[Reference]) -> None:
        locked = self._chance.sample(all_, min(4, len(all_)))
        for number, reference in enumerate(locked):
            until = LAST_INSTANT + self._chance.choice([-1, 60_000])
            lock = Lock(f"{number % 3 + 1}", f"name {number}", until)
            for each in repositories:
                each.lock(f"locked {number}", [reference], lock, NOON)

    def _modify(
        self, repositories: Sequence[EntityRepository], changes: Mapping[Reference, Mapping[str, Any]]
    ) -> None:
        self._commits += 1
        for first in range(0, len(changes), _TOGETHER):
            some = [*changes][first : first + _TOGETHER]
            for each in repositories:
                # A repository learns by a conflict that another process has built indexes.
                with suppress(Conflict):
                    self._modify_once(each, first, {reference: changes[reference] for reference in some})
                    continue
                self._modify_once(each, first, {reference: changes[reference] for reference in some})

    def _modify_once(
        self, entities: EntityRepository, first: int, changes: Mapping[Reference, Mapping[str, Any]]
    ) -> None:
        before = [entity for entity in entities.read([*changes]) if entity is not None]
        effects = [
            Modification(one, replace(one, state=_changed(one, changes[one.reference]))) for one in before
        ]
        self._commit_once(entities, first, effects)

    def _commit(self, repositories: Sequence[EntityRepository], effects: Sequence[Effect]) -> None:
        self._commits += 1
        for first in range(0, len(effects), _TOGETHER):
            for each in repositories:
                self._commit_once(each, first, effects[first : first + _TOGETHER])

    def _commit_once(self, entities: EntityRepository, first: int, effects: Sequence[Effect]) -> None:
        instant = NOON + self._commits * SECOND
        entities.commit(Change(f"c{self._commits} {first}", instant, tuple(effects)))


def _changed(entity: Entity, values: Mapping[str, Any]) -> Mapping[str, Any]:
    state = {**entity.state, **values}
    return {name: value for name, value in state.items() if value is not None}


class ContractVisibility:
    """What members of a profile see, object by object, by the sentences of the contract."""

    def __init__(self, model: Model, objects: Mapping[Reference, Entity], profile: str) -> None:
        self._model = model
        self._objects = objects
        self._profile = profile

    def shown(self, class_name: str, names: Sequence[str]) -> dict[str, set[str]]:
        """Return, by id of the objects that members see, which of these attributes they see a value of."""
        return {
            reference.id: {name for name in names if name in entity.state and self._shows(entity, name)}
            for reference, entity in self._objects.items()
            if reference.class_name == class_name and self._sees(entity)
        }

    def labels(self, class_name: str) -> dict[str, str | None]:
        """Return, by id of the objects that members see, their labels."""
        return {
            reference.id: self._label(entity)
            for reference, entity in self._objects.items()
            if reference.class_name == class_name and self._sees(entity)
        }

    def _label(self, entity: Entity) -> str | None:
        """Return a label: null if members see one of its parts nowhere, or else made of what they see."""
        class_ = self._model.classes[entity.reference.class_name]
        label = label_of(class_)
        if label is None or not all(self._is_readable(class_, *path) for path in label.paths):
            return None
        value = label.value([self._value(entity, *path) for path in label.paths])
        return None if value is None else str(value)

    def _is_readable(self, class_: Class, role: str, name: str) -> bool:
        """Return whether members see an attribute of some objects of a class, or of those of a role."""
        if not role:
            return self._is_open(class_, name)
        target = self._model.classes[class_.roles[role].target]
        return self._is_open(class_, role) and self._is_seen(target) and self._is_open(target, name)

    def _is_open(self, class_: Class, member: str) -> bool:
        grant = self._grant(class_, member)
        return grant is None or Action.READ in grant.allow

    def _is_seen(self, class_: Class) -> bool:
        """Return whether members see some objects of a class."""
        grant = self._grant(class_, None)
        if not class_.part:
            return grant is not None and Action.READ in grant.allow
        wholes = [
            (self._model.classes[role.target], str(role.opposite))
            for role in class_.roles.values()
            if role.whole
        ]
        is_open = any(self._is_seen(whole) and self._is_open(whole, member) for whole, member in wholes)
        return is_open and (grant is None or Action.READ in grant.allow)

    def _value(self, entity: Entity, role: str, name: str) -> Any:
        """Return what members see of an attribute of an object, or of the one that a role leads to."""
        at: Entity | None = entity
        if role:
            at = self._target(entity, role) if self._shows(entity, role) else None
            at = at if at is not None and self._sees(at) else None
        return at.state.get(name) if at is not None and self._shows(at, name) else None

    def _target(self, entity: Entity, name: str) -> Entity | None:
        """Return the object that a role leads to: by its key, by the key of the other, or as its part."""
        role = self._model.classes[entity.reference.class_name].roles[name]
        if name in entity.state:
            ids = entity.state[name]
            return self._objects.get(Reference(role.target, str(ids[0] if isinstance(ids, list) else ids)))
        if role.opposite is None or role.whole or role.composition or role.holds_key:
            return None
        # A grant that hides the role in the other object says nothing about this one.
        leads_back = (
            each
            for reference, each in self._objects.items()
            if reference.class_name == role.target and each.state.get(role.opposite) == entity.reference.id
        )
        return next(leads_back, None)

    def _sees(self, entity: Entity) -> bool:
        class_ = self._model.classes[entity.reference.class_name]
        grant = self._grant(class_, None)
        if not class_.part:
            return grant is not None and self._allows(grant, entity)
        role = next(role for role in class_.roles.values() if role.whole and role.name in entity.state)
        whole = self._objects[Reference(role.target, str(entity.state[role.name]))]
        is_shown = self._sees(whole) and self._shows(whole, str(role.opposite))
        return is_shown and (grant is None or self._allows(grant, entity))

    def _class_of(self, entity: Entity) -> Class:
        return self._model.classes[entity.reference.class_name]

    def _shows(self, entity: Entity, member: str) -> bool:
        grant = self._grant(self._class_of(entity), member)
        return grant is None or self._allows(grant, entity)

    def _allows(self, grant: Grant, entity: Entity) -> bool:
        if Action.READ not in grant.allow or grant.where is None:
            return Action.READ in grant.allow
        role, holds = condition_of(grant)
        if role is None:
            return holds(entity.state)
        target = self._model.classes[entity.reference.class_name].roles[role].target
        other = self._objects.get(Reference(target, str(entity.state.get(role))))
        return other is not None and holds(other.state)

    def _grant(self, class_: Class, member: str | None) -> Grant | None:
        found = (each for each in class_.grants if (each.profile, each.field) == (self._profile, member))
        return next(found, None)
