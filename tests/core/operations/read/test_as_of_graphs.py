"""Random graphs as of any instant agree with recorded copies.

A store that told something else would be found out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import Entity, Moment, RoleName
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import DISTANT, EngineImplementation
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import CountedIds, fake_services
from tests.graphs.models import models
from tests.graphs.recorded_history import RecordedHistory
from tests.soak import count, mostly

REQUESTS = 12
INSTANTS = 6
MOST = 1000
"""Graphs after which a fault would have been seen."""


class OwnIds(CountedIds):
    """A generator of ordered ids that no other history uses, because histories share the emulator."""

    def __init__(self) -> None:
        super().__init__()
        # Pages as of an instant take other first letters for times.
        self._own = f"x{uuid4().hex}"

    def new(self) -> str:
        return f"{self._own}{super().new().removeprefix('id'):0>6}"


def kept(
    model: Model, chance: Random, entities: EntityRepository | None = None, requests: int = REQUESTS
) -> RecordedHistory:
    """Return the history of random requests, over an in-memory store by default."""
    services, objects, clock = fake_services(model)
    history = RecordedHistory(replace(services, entities=entities or objects, ids=OwnIds()), clock, chance)
    for _ in range(requests):
        history.run_request()
    return history


def check(history: RecordedHistory, chance: Random) -> None:
    """Check a history as of several instants at and around its changes, and its pages of versions."""
    instants = sorted(history.instants())
    for instant in chance.sample(instants, min(INSTANTS, len(instants))):
        history.check(instant)
    history.check_pages()


CLUB = read_model(
    """
    extend schema @application(name: "Club")
    type Team @class(versioned: true) {
      name: String  size: Int  members: [Person!] @association(opposite: "team")
    }
    type Person @class(versioned: true) {
      name: String  size: Int  team: Team @association(opposite: "members")  pets: [Pet!] @composition
    }
    type Pet @class(versioned: true) { name: String  size: Int }
    """,
    "club",
)


def test_role_filters_hold_as_of_some_instants_and_not_of_others() -> None:
    """Otherwise, the tests below would compare constants."""
    results = Counter[bool]()
    for number in range(8):
        chance = Random(number)
        history = kept(CLUB, chance)
        check(history, chance)
        results += history.role_filters
    assert min(results[True], results[False]) >= 5, results


@settings(max_examples=count(12, 2000))
@given(models(versioned=True), st.integers(0, 2**64))
def test_a_graph_as_of_an_instant_is_the_recorded_one(model: Model, number: int) -> None:
    # What is drawn depends on generated ids. So it comes from a seed, which Hypothesis can repeat.
    chance = Random(number)
    history = kept(model, chance)
    event(f"{history.restored} were restored")
    check(history, chance)


@settings(max_examples=count(8, 1000))
@given(models(versioned=True), st.integers(0, 2**64))
def test_a_graph_as_of_an_instant_is_the_recorded_one_over_a_store(model: Model, number: int) -> None:
    chance = Random(number)
    check(kept(model, chance, Repository(ReferenceEngine(), model)), chance)


@pytest.mark.soak
@pytest.mark.parametrize("kind", DISTANT, ids=lambda kind: kind.name)
@settings(max_examples=count(2, 40))
@given(models(versioned=True), st.integers())
def test_a_graph_as_of_an_instant_is_the_recorded_one_over_each_engine(
    kind: EngineImplementation, tmp_path_factory: pytest.TempPathFactory, model: Model, number: int
) -> None:
    engine, chance = kind.open(tmp_path_factory.mktemp("store")), Random(number)
    check(kept(model, chance, Repository(engine, model)), chance)
    engine.close()


Moments = Sequence[Moment]


class LateStarts(Repository):
    """A faulty store whose versions start a millisecond after the change that created them."""

    def as_of(self, moments: Moments, *given: Any) -> list[Entity | None]:
        """Read a millisecond early."""
        return super().as_of([Moment(reference, instant - 1) for reference, instant in moments], *given)


class LongVersions(Repository):
    """A faulty store whose versions include the instant at which they end."""

    def as_of(self, moments: Moments, *given: Any) -> list[Entity | None]:
        """Return the version that ends at the instant, if there is one."""
        found = super().as_of(moments, *given)
        before = super().as_of([Moment(reference, instant - 1) for reference, instant in moments], *given)
        pairs = zip(moments, found, before, strict=True)
        return [old if old and old.end == at else new for (_, at), new, old in pairs]


class LinksOfNow(Repository):
    """A faulty store that always returns the present targets of roles."""

    def linked(self, role: RoleName, ids: Sequence[str], *range_: Any, **given: Any) -> list[tuple[str, ...]]:
        """Ignore the instants."""
        return super().linked(role, ids, *range_, **{**given, "at": None})


class VersionsOfNow(Repository):
    """A faulty store that returns present states for objects that existed at the instant."""

    def as_of(self, moments: Moments, *given: Any) -> list[Entity | None]:
        """Combine the former existence with the present state."""
        then = super().as_of(moments, *given)
        now = self.read([reference for reference, _ in moments])
        return [new and old and replace(new, start=old.start) for new, old in zip(now, then, strict=True)]


class FaultDetected(Exception):
    """Ends the search for a difference."""


FAULTY = [LateStarts, LongVersions, LinksOfNow, VersionsOfNow]


@pytest.mark.parametrize("faulty", mostly(FAULTY, "LinksOfNow"))
def test_a_store_with_wrong_history_is_detected(faulty: type[Repository]) -> None:
    found = list[str]()

    # A difference is noted before it is raised: to repeat it, the ids would have to be the same.
    @settings(max_examples=MOST, phases=[Phase.generate], database=None, report_multiple_bugs=False)
    @given(models(versioned=True), st.integers(0, 2**32))
    def look(model: Model, seed: int) -> None:
        if not found:
            engine, chance = ReferenceEngine(), Random(seed)
            history = kept(model, chance, Repository(engine, model), 3 * REQUESTS)
            history.read_from(faulty(engine, model))
            try:
                check(history, chance)
            except AssertionError as difference:
                found.append(str(difference))
        if found:
            raise FaultDetected

    with pytest.raises(FaultDetected):
        look()
    assert "Reference" in found[0]
