"""Random changes of random graphs: a store agrees with the reference, and both ends agree."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    Deletion,
    Effect,
    LinkCreation,
    LinkDeletion,
    LinkEffect,
    Modification,
    ObjectEffect,
    Restoration,
    reference_of,
)
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import instant_after
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.core.store.graph_agreement import disagreements
from tests.core.store.graphs import KINDS, associated, change, everything, remembering
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import DictEntities
from tests.role_rules import is_linked, opposite_of, role_of, roles
from tests.soak import count, seed

MANY = 4
"""Objects of a class, more or less."""
CHANGES = 60
"""In one story."""
STORIES = count(1, 80)


class MirroredGraph:
    """A graph in a store, and the same graph in memory."""

    def __init__(self, model: Model, engine: Engine, chance: random.Random) -> None:
        self._model = model
        self._chance = chance
        self.plain = DictEntities(model)
        self.stored = Repository(engine, model)
        self.done = 0
        self.now = 1000
        self._numbers = itertools.count()
        self._rarely = 1 / (1 + len([*roles(model)]) // 4)
        """With many roles, each is written seldom: otherwise something would always be wrong."""
        self._ids = {name: [self._new_id() for _ in range(MANY)] for name in model.classes}

    def go_on(self) -> None:
        """Commit a random change. Assert that both refuse or accept it, and stay equal."""
        result = self._change()
        expected = _outcome(self.plain, result)
        rehearsed = _rehearsed(self.stored, result)
        met = _outcome(self.stored, result)
        assert _agree(expected, met), (result, expected, met)
        assert _agree(expected, rehearsed), (result, expected, rehearsed)
        self.done += met is None
        self._compare()

    def _change(self) -> Change:
        """Return a random change. Its clock steps back now and then."""
        effects = self._effects()
        self.now += self._chance.choice([-5, 0, 1, 10])
        earlier = (_earlier(effect) for effect in effects if isinstance(effect, ObjectEffect))
        return replace(change(*effects), instant=instant_after(self.now, earlier))

    def _new_id(self) -> str:
        return f"id{next(self._numbers)}"

    def _references(self) -> list[Reference]:
        """Return the objects that exist or can be restored. No other ids are used again."""
        self._ids = {
            name: [id_ if self._stays(Reference(name, id_)) else self._new_id() for id_ in ids]
            for name, ids in self._ids.items()
        }
        return [Reference(name, id_) for name, ids in self._ids.items() for id_ in ids]

    def _stays(self, reference: Reference) -> bool:
        is_remembered = reference in self.plain.graph.past.gone and self._chance.random() < 0.9
        return is_remembered or reference in self.plain.objects

    def _compare(self) -> None:
        references = [Reference(name, id_) for name, ids in self._ids.items() for id_ in ids]
        assert [_state(each) for each in self.stored.read(references)] == [
            _state(each) for each in self.plain.read(references)
        ]
        for stored, plain in zip(self.stored.read(references), self.plain.read(references), strict=True):
            if plain is not None and plain.reference not in self.plain.graph.past.restored:
                assert stored is not None
                assert stored.counts == plain.counts
        self._compare_past()
        for name, role in roles(self._model):
            if is_linked(role):
                living = [id_ for class_name, id_ in self.plain.objects if class_name == name.class_name]
                assert self.stored.linked(name, living) == self.plain.linked(name, living)

    def _compare_past(self) -> None:
        """Compare the state as of a random instant."""
        past, at = self.plain.graph.past, self._chance.randint(900, self.now + 1)
        moments = [Moment(reference, at) for reference in {*past.closed, *self.plain.objects}]
        met, expected = (each.as_of(moments) for each in (self.stored, self.plain))
        assert [_state(each) for each in met] == [_state(each) for each in expected]
        for name, role in roles(self._model):
            if is_linked(role):
                ids = [*self._ids[name.class_name]]
                assert self._led_to(self.stored, name, ids, at) == self._led_to(self.plain, name, ids, at)

    def _led_to(
        self, entities: DictEntities | Repository, name: RoleName, ids: Sequence[str], at: Instant
    ) -> list[list[str]]:
        """Return the ids that a role led to, according to the versions of the candidates."""
        back, target = opposite_of(self._model, name), role_of(self._model, name).target
        found = entities.linked(name, ids, at=[at] * len(ids))
        if back is None or not role_of(self._model, back).holds_key:
            return [[*others] for others in found]
        led: list[list[str]] = []
        for id_, others in zip(ids, found, strict=True):
            versions = entities.as_of([Moment(Reference(target, other), at) for other in others])
            led.append(
                [each.reference.id for each in versions if each and each.state.get(back.role_name) == id_]
            )
        return led

    def _effects(self) -> Sequence[Effect]:
        references = self._references()
        chosen = self._chance.sample(references, self._chance.choice([0, 1, 1, 1, 2, 3, 4]))
        on_objects = [self._effect(reference) for reference in chosen]
        after = {reference_of(effect): effect.after for effect in on_objects}
        return [*on_objects, *self._links({**self.plain.objects, **after})]

    def _effect(self, reference: Reference) -> ObjectEffect:
        (before,) = self.stored.read([reference])
        if before is None:
            after, (gone,) = (
                Entity(reference, self._state(reference, {})),
                self.stored.tombstones([reference]),
            )
            return Creation(after) if gone is None else Restoration(gone, after)
        if self._chance.random() < 0.3:
            return Deletion(before)
        return Modification(
            before, Entity(reference, self._state(reference, before.state), before.commit_ids)
        )

    def _state(self, reference: Reference, before: object) -> dict[str, str]:
        state = {**before} if isinstance(before, dict) else {}
        for name, role in roles(self._model):
            if (
                role.holds_key
                and name.class_name == reference.class_name
                and self._chance.random() < 0.6 * self._rarely
            ):
                state[role.name] = self._target(role.target)
        return {"_id": reference.id, **{name: value for name, value in state.items() if value is not None}}

    def _target(self, class_name: str) -> str | None:
        """Return the id of a random object, which mostly exists."""
        living = [id_ for name, id_ in self.plain.objects if name == class_name]
        return self._chance.choice([*self._ids[class_name], *living, *living, *living, None])

    def _links(self, after: Mapping[Reference, Entity | None]) -> Iterator[LinkEffect]:
        """Yield random changes of links. Few concern missing links, and none deleted objects."""
        for name, role in roles(self._model):
            opposite = opposite_of(self._model, name)
            is_key = role.holds_key or (opposite is not None and role_of(self._model, opposite).holds_key)
            if is_key or (opposite is not None and opposite < name):
                continue
            for owner in self._ids[name.class_name]:
                others = self.plain.linked(name, [owner])[0]
                for other in self._ids[role.target]:
                    ends = Reference(name.class_name, owner), Reference(role.target, other)
                    are_there = all(after.get(end) for end in ends)
                    chance = 0.15 if are_there else 0.0 if any(end in after for end in ends) else 0.01
                    if self._chance.random() < chance * self._rarely:
                        yield (LinkDeletion if other in others else LinkCreation)(name, owner, other)


def _outcome(entities: DictEntities | Repository, result: Change) -> IntegrityViolation | Conflict | None:
    try:
        entities.commit(result)
    except (IntegrityViolation, Conflict) as refusal:
        return refusal
    return None


def _rehearsed(entities: Repository, result: Change) -> IntegrityViolation | Conflict | None:
    try:
        entities.dry_run(result)
    except (IntegrityViolation, Conflict) as refusal:
        return refusal
    return None


def _agree(expected: IntegrityViolation | Conflict | None, met: IntegrityViolation | Conflict | None) -> bool:
    """Return whether two refusals agree. Some violations only appear after others are fixed."""
    if isinstance(expected, IntegrityViolation) and isinstance(met, IntegrityViolation):
        return bool(met.violations) and set(met.violations) <= set(expected.violations)
    return type(expected) is type(met)


def _earlier(effect: ObjectEffect) -> Instant | None:
    if isinstance(effect, Restoration):
        return effect.tombstone.last_end
    return None if effect.before is None else effect.before.start


def _state(entity: Entity | None) -> object:
    return entity and entity.state


MODELS = {
    **{kind: associated(kind) for kind in KINDS},
    **{f"{kind} within a class": associated(kind, within=True) for kind in KINDS},
    "everything": everything(),
    **{f"{kind}, remembered": remembering(associated(kind), "A", "B") for kind in KINDS},
    "list within a class, remembered": remembering(associated("key and list", within=True), "A"),
    "the one remembered": remembering(associated("both required"), "A"),
    "the other remembered": remembering(associated("one to one, other required"), "B"),
    "everything, remembered": remembering(everything(), "A", "B"),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", random.Random(seed()).sample([*MODELS], count(16, len(MODELS))))
def test_random_changes_agree_with_the_reference_and_both_ends_agree(name: str) -> None:
    model, done = MODELS[name], 0
    for number in range(STORIES):
        engine = WatchedEngine()
        mirrored = MirroredGraph(model, engine, random.Random(f"{seed()} {number}"))
        for _ in range(CHANGES):
            mirrored.go_on()
            assert disagreements(model, mirrored.plain.graph, engine.items) == []
        done += mirrored.done
    assert done > STORIES * CHANGES / 20
