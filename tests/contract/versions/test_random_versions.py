"""Random histories on every store, compared with the in-memory oracle."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Creation, Deletion, Effect, Modification, Restoration
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation, UniqueViolation
from stratabase.core.domain.objects.entity import Entity, Moment, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests import soak
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import HOUR, NOON, VersionedObjects
from tests.fakes import DictEntities

_numbers = count(1)
WALKED = (("Team", "members"), ("Desk", "owner"), ("Room", "people"))


class RandomChange(NamedTuple):
    """A change of several objects: the new values of each, or None to delete it."""

    step: Instant
    """How many milliseconds the clock advances before the change. It can be negative."""
    objects: Mapping[tuple[str, str], Mapping[str, str | None] | None]


VALUES: Mapping[str, Mapping[str, list[str | None]]] = {
    "Employee": {
        "name": ["x", "y", None],
        "code": ["1", "2", None],
        "team": ["t", "u", None],
        "desk": ["d", "e", None],
        "room": ["r", None],
    },
    "Team": {"name": ["x", "y", None]},
    "Desk": {"name": ["x", "y"]},
    "Room": {"name": ["x"]},
}
IDS = {"Employee": "abc", "Team": "tu", "Desk": "de", "Room": "r"}
OBJECTS = [(class_name, id_) for class_name, ids in IDS.items() for id_ in ids]


def _values(class_name: str) -> st.SearchStrategy[Mapping[str, str | None] | None]:
    values = {name: st.sampled_from(known) for name, known in VALUES[class_name].items()}
    return st.one_of(st.none(), st.fixed_dictionaries({}, optional=values), st.fixed_dictionaries(values))


@st.composite
def deeds(draw: st.DrawFn) -> RandomChange:
    chosen = draw(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=3, unique=True))
    step = draw(st.sampled_from([0, 1, 1000, HOUR, -1000, -HOUR]))
    return RandomChange(step, {each: draw(_values(each[0])) for each in chosen})


class Company:
    """The objects of one history. They have their own ids and unique values in a shared store."""

    def __init__(self, entities: EntityRepository, number: int) -> None:
        self.entities = entities
        self._chronicle = VersionedObjects(entities)
        self._number = number

    def named(self, class_name: str, id_: str) -> Reference:
        """Return the reference of an object in this history."""
        return Reference(class_name, f"{id_}{self._number}")

    def do(self, change: RandomChange, commit_id: str) -> object:
        """Commit a change, and return the kind of refusal, or None.

        If a change breaks several rules, stores may report different ones.
        """
        self._chronicle.clock += change.step
        effects = [self._effect(self.named(*each), values) for each, values in change.objects.items()]
        try:
            self._chronicle.commit(*(effect for effect in effects if effect), commit_id=commit_id)
        except Conflict:
            return "another came between"
        except (IntegrityViolation, UniqueViolation):
            return "refused"
        return None

    def _effect(self, reference: Reference, values: Mapping[str, str | None] | None) -> Effect | None:
        (before,), (gone,) = self.entities.read([reference]), self.entities.tombstones([reference])
        if values is None:
            return None if before is None else Deletion(before)
        own = {name: value and f"{value}{self._number}" for name, value in values.items()}
        state = {**(before.state if before else {"_id": reference.id}), **own}
        after = Entity(reference, {name: value for name, value in state.items() if value is not None})
        if before is not None:
            return Modification(before, Entity(reference, after.state, before.commit_ids))
        return Creation(after) if gone is None else Restoration(gone, after)

    def remembered(self) -> dict[str, object]:
        """Return all versions, tombstones, and states at the instants around each change."""
        references = [self.named(*each) for each in OBJECTS]
        found: dict[str, object] = {
            "gone": [gone and gone[:3] for gone in self.entities.tombstones(references)]
        }
        marks = {NOON}
        for reference in references:
            forward = [*self.entities.versions(reference)]
            assert [*self.entities.versions(reference, backward=True)] == forward[::-1]
            found[str(reference)] = [(each.start, each.end, each.state) for each in forward]
            marks |= {time for each in forward for time in (each.start, each.end) if time is not None}
        for at in {mark + step for mark in marks for step in (-1, 0, 1)}:
            met = self.entities.as_of([Moment(reference, at) for reference in references])
            found[f"at {at}"] = [each and each.state for each in met]
            found[f"roles at {at}"] = [
                self._chronicle.led_to(at, class_name, role, self.named(class_name, id_).id)
                for class_name, role in WALKED
                for id_ in IDS[class_name]
            ]
        return found


def opened(kind: EngineImplementation, factory: pytest.TempPathFactory) -> Iterator[EntityRepository]:
    engine: Engine = kind.open(factory.mktemp("store"))
    yield Repository(engine, COMPANY)
    engine.close()


HERE, FAR = (
    [kind for kind in KINDS if kind.threads > 1 and kind.name.startswith("dynamodb") == is_far]
    for is_far in (False, True)
)
"""Engines in this process, which run many examples, and engines over DynamoDB, which run fewer."""


@pytest.fixture(scope="module", params=HERE, ids=lambda kind: kind.name)
def here(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EntityRepository]:
    yield from opened(request.param, tmp_path_factory)


@pytest.fixture(scope="module", params=FAR, ids=lambda kind: kind.name)
def far(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EntityRepository]:
    yield from opened(request.param, tmp_path_factory)


HISTORIES = st.lists(deeds(), min_size=1, max_size=12)


@pytest.mark.soak
@settings(max_examples=soak.count(12, 500))
@given(HISTORIES)
def test_a_store_keeps_the_versions_of_the_reference(
    here: EntityRepository, history: list[RandomChange]
) -> None:
    check(here, history)


@pytest.mark.soak
@settings(max_examples=soak.count(3, 100))
@given(HISTORIES)
def test_a_remote_store_keeps_the_versions_of_the_reference(
    far: EntityRepository, history: list[RandomChange]
) -> None:
    check(far, history)


def check(store: EntityRepository, history: list[RandomChange]) -> None:
    """Run a history in a store and in memory. Assert that both refuse and remember the same."""
    number = next(_numbers)
    stored, plain = Company(store, number), Company(DictEntities(COMPANY), number)
    for step, change in enumerate(history):
        commit_id = f"{number} {step}"
        assert stored.do(change, commit_id) == plain.do(change, commit_id)
    assert stored.remembered() == plain.remembered()
