"""Concurrent updates by processes with different clocks keep the history of each object consistent.

A fault of the store, or an instant that is chosen too early, would be found out.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from threading import Lock
from uuid import uuid4

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write import effects
from stratabase.core.domain.write.commands import Update
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.versions import get_version
from stratabase.core.operations.write.services import save
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.layout import object_items
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import DISTANT, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.faulty_engine import FAULTY, FaultyEngine
from tests.core.store.thread_switching import switching_threads_often
from tests.fakes import ADMINISTRATOR, NOON, request_of, unlimited_budget
from tests.graphs.commands import create_command
from tests.rows import each_row
from tests.soak import count, seed

UPDATES = count(60, 5000)
MOST = 100
"""Histories after which a fault would have been seen."""
THREADS, OBJECTS = 4, 3
APART, HOUR = 500, 3_600_000
MODEL = read_model(
    'extend schema @application(name: "Histories") type Sheet @class(versioned: true) { name: String }', "m"
)


class JumpingClock:
    """The clock of a host. It advances a few milliseconds per reading, and sometimes jumps back."""

    def __init__(self, ahead: Instant, chance: Random) -> None:
        self._instant = NOON + ahead
        self._chance = chance
        self._one = Lock()

    def now(self) -> Instant:
        with self._one:
            jumps = self._chance.random() < 0.05
            self._instant += -self._chance.randrange(HOUR) if jumps else self._chance.randrange(3)
            return self._instant


class RandomIds:
    """Random ids."""

    def new(self) -> str:
        return uuid4().hex


class UpdatingProcess:
    """A process that updates objects."""

    def __init__(self, engine: Engine, ahead: Instant, clock_seed: int) -> None:
        clock = JumpingClock(ahead, Random(clock_seed))
        self.services = Services(
            MODEL, Repository(engine, MODEL), clock, RandomIds(), unlimited_budget, pause=lambda _: None
        )

    def change(self, sheets: Sequence[Reference], thread: int, chance: Random) -> list[tuple[Reference, str]]:
        """Give random objects new, unique names, and return each object with its name."""
        done = []
        for number in range(UPDATES // THREADS):
            sheet, name = chance.choice(sheets), f"{thread}.{number}"
            save(self.services, Update(sheet, {"name": name}), ADMINISTRATOR)
            done.append((sheet, name))
        return done


engine = engine_fixture(DISTANT)


@pytest.mark.soak
def test_versions_are_never_lost_invented_or_overlapping(engine: Engine) -> None:
    check_history(engine)


FAULTS = (AssertionError, ValueError, Unavailable)
"""In which a fault shows: at the latest in that versions do not fit together, however often one looks."""


def test_the_check_accepts_a_correct_store() -> None:
    with switching_threads_often():
        for _ in range(5):
            check_history(ReferenceEngine())


@each_row("faulty", FAULTY)
def test_the_check_detects_a_faulty_store(faulty: type[FaultyEngine]) -> None:
    with switching_threads_often(), pytest.raises(FAULTS):
        check_histories(lambda: faulty(ReferenceEngine()))


@pytest.mark.parametrize("guarded", [True, False])
def test_the_check_detects_an_instant_before_the_read(
    monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    """The store refuses such an instant. If it did not, the check would find the consequences."""
    monkeypatch.setattr(effects, "instant_after", lambda now, _: now)
    if not guarded:
        monkeypatch.setattr(object_items, "_version", _unguarded)
    with switching_threads_often(), pytest.raises(ValueError if guarded else FAULTS):
        check_histories(ReferenceEngine)


def _unguarded(before: Entity, change: Change) -> Item:
    """Return the closed version that the store writes, without its check that the end follows the start."""
    closed = _version(before, replace(change, instant=2**60))
    return replace(closed, attributes={**closed.attributes, object_items.END: change.instant})


_version = object_items._version


def check_histories(engine: Callable[[], Engine]) -> None:
    """Check the histories of several engines, enough to find a fault."""
    for number in range(MOST):
        check_history(engine(), seed() + number * THREADS)


def check_history(engine: Engine, first_seed: int | None = None) -> None:
    """Change objects from several hosts, and compare their history with the changes.

    The threads take one seed each, from `first_seed` or that of the run.
    """
    seeds = range(seed(), seed() + THREADS) if first_seed is None else range(first_seed, first_seed + THREADS)
    hosts = [UpdatingProcess(engine, ahead, one) for ahead, one in zip((0, APART), seeds, strict=False)]
    sheets = [
        save(hosts[0].services, create_command("Sheet", name="made"), ADMINISTRATOR).reference
        for _ in range(OBJECTS)
    ]
    done = run_concurrently(
        *(
            lambda thread=thread, one=one: hosts[thread % 2].change(sheets, thread, Random(one))
            for thread, one in enumerate(seeds)
        )
    )
    changes = [change for each in done for change in each]
    assert len(changes) == THREADS * (UPDATES // THREADS)
    for sheet in sheets:
        found = [*hosts[0].services.entities.versions(sheet)]
        names = ["made", *(name for changed, name in changes if changed == sheet)]
        assert sorted(str(each.state["name"]) for each in found) == sorted(names)
        check_intervals(found)
        check_reading(hosts[1].services, found)


def check_intervals(found: Sequence[Entity]) -> None:
    """Assert that each version ends when the next begins, is not empty, and that the last one has no end."""
    for one, next_ in pairwise(found):
        assert one.start is not None
        assert next_.start is not None
        assert one.start < next_.start
        assert one.end == next_.start
    assert found[-1].end is None


def check_reading(services: Services, kept: Sequence[Entity]) -> None:
    """Assert that some versions are found as of their first instants."""
    for one in Random(seed()).sample(kept, min(20, len(kept))):
        assert one.start is not None
        found = get_version(request_of(services.model, services.entities), one.reference, one.start)
        assert found is not None
        assert found.state == one.state
