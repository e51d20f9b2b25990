"""Concurrent callers: every committed version is kept once, and reads are consistent.

A fault of the engine, or of the store, would be found out.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from threading import Event
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity, Moment, Reference
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import named, remembering
from tests.contract.versions.versioned_objects import HOUR, VersionedObjects
from tests.core.store.faulty_engine import BlindWriteEngine, EarlyVersionEngine, FaultyEngine
from tests.core.store.thread_switching import switching_threads_often
from tests.models import model
from tests.rows import each_row
from tests.soak import count as times

WRITERS = 4
WRITES = times(15, 300)
"""Of each writer."""
MOST = 100
"""Races after which a fault would have been seen."""

_numbers = count(1)


class Race:
    """An object with several writers and readers, whose clocks differ by hours."""

    def __init__(self, engine: Engine, entities: type[Repository] = Repository) -> None:
        self._engine = engine
        self._entities = entities
        self.class_ = remembering(named(f"Racer{next(_numbers)}"))
        self.reference = Reference(self.class_.name, "x")
        self.process(0).create(*self.reference, name="0", note="0")

    def process(self, number: int) -> VersionedObjects:
        """Return the object as a new process sees it."""
        objects = VersionedObjects(self._entities(self._engine, model(self.class_)))
        objects.clock += (number - 1) * HOUR
        return objects

    def write(self, number: int, over: Event) -> list[str]:
        """Update, delete and restore the object again and again, and return the names that it got."""
        try:
            return self._written(number)
        finally:
            if number == 0:
                over.set()

    def _written(self, number: int) -> list[str]:
        objects, done = self.process(number), list[str]()
        for step in range(WRITES):
            name = f"{number}.{step}"
            for _ in range(1000):
                with suppress(Conflict, AssertionError):  # another came between, or has deleted it
                    done += self._written_once(objects, name, step)
                    break
            else:
                raise AssertionError("others came between for ever")
        return done

    def _written_once(self, objects: VersionedObjects, name: str, step: int) -> list[str]:
        """Restore, delete or update the object, and return the names in the new version, if there is one."""
        if objects.find(*self.reference) is None:
            objects.restore(*self.reference, name=name, note=name)
        elif step % 5 == 4:
            objects.delete(*self.reference)
            return []
        else:
            objects.update(*self.reference, name=name, note=name)
        return [name]

    def read(self, over: Event) -> list[str]:
        """Read all versions while others write, and return the mistakes in them."""
        objects, wrong, backward = self.process(9), list[str](), False
        while not over.is_set():
            backward = not backward
            found = objects.versions(*self.reference, backward=backward)
            wrong += mistakes(found[::-1] if backward else found)
            for version in found[:: max(1, len(found) // 5)]:
                assert version.start is not None
                (again,) = objects.entities.as_of([Moment(self.reference, version.start)])
                if again is None or again.state["name"] != version.state["name"]:
                    wrong.append(f"{version.start} is {again}, not {version}")
        return wrong


def mistakes(versions: Sequence[Entity]) -> list[str]:
    """Return the mistakes in an object's versions."""
    torn = [f"{each} is torn" for each in versions if each.state["name"] != each.state["note"]]
    overlaps = [
        f"{one} and {other} overlap"
        for one, other in pairwise(versions)
        if one.end is None or other.start is None or one.end > other.start
    ]
    return torn + overlaps


@pytest.mark.soak
def test_concurrent_writes_keep_all_versions_and_reads_are_consistent(engine: Engine) -> None:
    check(Race(engine))


FAULTS = (AssertionError, ValueError, Unavailable)
"""In which a fault shows: at the latest in that versions do not fit together, however often one looks."""


class LateStarts(Repository):
    """A faulty store whose versions start a millisecond after the change that created them."""

    def as_of(self, moments: Sequence[Moment], *arguments: Any) -> list[Entity | None]:
        """Read a millisecond early."""
        return super().as_of([Moment(reference, instant - 1) for reference, instant in moments], *arguments)


def test_the_check_accepts_a_correct_store() -> None:
    with switching_threads_often():
        check(Race(ReferenceEngine()))


@each_row("faulty", [BlindWriteEngine, EarlyVersionEngine])
def test_the_check_detects_a_faulty_engine(faulty: type[FaultyEngine]) -> None:
    with switching_threads_often(), pytest.raises(FAULTS):
        check_all(lambda: Race(faulty(ReferenceEngine())))


def test_the_check_detects_a_faulty_reader() -> None:
    with switching_threads_often(), pytest.raises(AssertionError):
        check_all(lambda: Race(ReferenceEngine(), LateStarts))


def check_all(races: Callable[[], Race]) -> None:
    """Check races, enough to find a fault."""
    for _ in range(MOST):
        check(races())


def check(race: Race) -> None:
    """Run writers and readers. Assert that exactly the written versions are found."""
    over = Event()
    writers = [partial(race.write, number, over) for number in range(WRITERS)]
    readers = [partial(race.read, over) for _ in range(2)]
    outcomes = run_concurrently(*writers, *readers)
    written, wrong = outcomes[:WRITERS], outcomes[WRITERS:]
    assert [each for each in wrong if each] == []
    versions = race.process(0).versions(*race.reference)
    assert mistakes(versions) == []
    kept = [str(version.state["name"]) for version in versions]
    assert len(kept) == len(set(kept))
    assert set(kept) == {"0", *(name for each in written for name in each)}
