"""A reindex that is stopped continues where it was, and works on several batches side by side."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.store.engine.parallel import ParallelMap, ThreadedMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import guard_holder, unique_constraint
from stratabase.evolution.backfill import class_heads
from stratabase.evolution.backfill.class_heads import OutOfTime
from stratabase.evolution.backfill.reindex import BATCHES_SIDE_BY_SIDE, Reindex, ReindexOutcome
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.clocks import Time
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.evolution.backfill.unique_cases import CODE, is_guarded, with_uniques
from tests.models import model
from tests.soak import count, seed

OBJECTS = 3 * BATCHES_SIDE_BY_SIDE + 1
KILLED = count(12, 200)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_heads, "READ_BATCH", 1)


@pytest.fixture
def threads() -> Iterator[ThreadedMap]:
    """A map that works side by side."""
    threads = ThreadedMap(4)
    yield threads
    threads.close()


class Killed(BaseException):
    """The process has ended."""


def filled(engine: Engine, code: Callable[[int], str | None] = str) -> Class:
    """Write objects under a model without constraints; return the class with an index and a constraint."""
    bare = fresh_class()
    before = Store(engine, bare)
    for number in range(OBJECTS):
        before.create(f"id{number:03}", code=code(number))
    settle(engine)
    return replace(with_uniques(bare, ("code",)), indexes=(Index(("code",)),))


class Build:
    """Runs a reindex again and again with one clock."""

    def __init__(self, engine: Engine, class_: Class, parallel_map: ParallelMap = sequential_map) -> None:
        self._engine, self._class = engine, class_
        self._time = Time()
        self._parallel_map = parallel_map
        self.reported = 0

    def run(self, groups: int | None = None, *, dies: bool = False) -> ReindexOutcome:
        """Run until a number of groups of batches are built, and stop or die then. None: to the end."""
        left = -1 if groups is None else groups

        def has_time() -> bool:
            nonlocal left
            left -= 1
            if not left and dies:
                raise Killed
            return left != 0

        self.reported = 0
        reindex = Reindex(
            self._engine,
            model(self._class),
            now=self._time.milliseconds,
            sleep=self._time.sleep,
            has_time=has_time,
            parallel_map=self._parallel_map,
        )
        return reindex.run(self._class.name, self._report)

    def _report(self, objects: int) -> None:
        self.reported += objects


def guarded(engine: Engine, class_: Class) -> int:
    """Return the number of objects that hold their guard."""
    guards = [unique_constraint(class_, CODE).guard_key({"code": str(number)}) for number in range(OBJECTS)]
    return sum(guard_holder(item) is not None for item in engine.get([key for key in guards if key]))


@pytest.mark.parametrize("dies", [False, True])
def test_a_run_continues_where_the_one_before_was(*, dies: bool) -> None:
    engine = WatchedEngine()
    class_ = filled(engine)
    build = Build(engine, class_)
    try:
        assert build.run(1, dies=dies).is_stopped
    except Killed:
        assert dies
    assert build.reported == guarded(engine, class_) == BATCHES_SIDE_BY_SIDE
    assert not is_guarded(engine, class_)
    engine.keys_got.clear()

    assert build.run() == ReindexOutcome()

    assert build.reported == OBJECTS - BATCHES_SIDE_BY_SIDE
    assert keys.head(Reference(class_.name, "id000")) not in engine.keys_got
    assert guarded(engine, class_) == OBJECTS
    assert is_guarded(engine, class_)


def test_a_run_that_is_done_leaves_no_progress() -> None:
    engine = ReferenceEngine()
    class_ = filled(engine)
    assert Build(engine, class_).run() == ReindexOutcome()
    checkpoint = keys.checkpoint(f"reindex {class_.name}")
    assert engine.get([checkpoint]) == [None]


def test_duplicates_before_the_stop_are_not_forgotten() -> None:
    """Also if the run that continues passes no other duplicate."""
    engine = ReferenceEngine()
    class_ = filled(engine, lambda number: "same" if number in {1, 3} else str(number))
    build = Build(engine, class_)
    assert build.run(1).is_stopped

    outcome = build.run()

    assert [(dict(each.values), each.ids) for each in outcome.duplicates] == [
        ({"code": "same"}, ("id001", "id003"))
    ]
    assert not is_guarded(engine, class_)


def test_duplicates_that_were_resolved_meanwhile_are_built() -> None:
    engine = ReferenceEngine()
    class_ = filled(engine, lambda number: "same" if number in {1, 3} else str(number))
    build = Build(engine, class_)
    assert build.run(1).is_stopped
    earlier = Store(engine, replace(with_uniques(class_), indexes=()))
    earlier.commit(earlier.update("id003", code="other"))

    assert build.run() == ReindexOutcome()
    assert is_guarded(engine, class_)


def test_a_violation_after_the_stop_makes_the_next_run_start_over() -> None:
    """A process with a model without the constraint gives an object, already passed, the value of another."""
    engine = ReferenceEngine()
    class_ = filled(engine)
    build = Build(engine, class_)
    assert build.run(1).is_stopped
    earlier = Store(engine, replace(with_uniques(class_), indexes=()))
    earlier.commit(earlier.update("id000", code="2"))

    outcome = build.run()

    assert build.reported == OBJECTS
    assert [each.ids for each in outcome.duplicates] == [("id000", "id002")]


def test_an_enum_with_more_values_after_the_stop_makes_the_next_run_start_over() -> None:
    """The objects that were passed can have the new value already, from an earlier model."""
    engine = ReferenceEngine()
    bare = fresh_class()
    before = Store(engine, bare)
    for number in range(OBJECTS):
        before.create(f"id{number:03}", colour="GREEN" if number == 1 else None)
    unique = replace(bare, uniques=(Unique(("colour",)),))
    red_only = replace(
        unique,
        attributes={**bare.attributes, "colour": Attribute("colour", EnumType("Colour", ["RED"]))},
    )
    assert Build(engine, red_only).run(1).is_stopped

    build = Build(engine, unique)
    Store(engine, unique).create("last", name="x")  # a process serves the new model before the build
    assert build.run() == ReindexOutcome()

    assert build.reported == OBJECTS + 1
    constraint = unique_constraint(unique, Unique(("colour",)))
    (guard,) = engine.get([constraint.guard_key({"colour": "GREEN"}) or keys.REGISTRY])
    assert guard_holder(guard) == "id001"


def test_a_run_without_time_to_wait_for_other_processes_stops() -> None:
    engine = ReferenceEngine()
    class_ = filled(engine)

    def sleep(_seconds: float) -> None:
        raise OutOfTime

    reindex = Reindex(engine, model(class_), now=Time().milliseconds, sleep=sleep)
    outcome = reindex.run(class_.name)
    assert outcome.is_stopped
    assert {*outcome.interrupted} == {"@index(code)", "@unique(code)"}


@pytest.mark.soak
def test_runs_that_are_killed_anywhere_build_everything(threads: ThreadedMap) -> None:
    """Several batches side by side, over indexes that lag, among objects of which some share a value."""
    for number in range(KILLED):
        engine = LaggingEngine(seed() + number)
        class_ = filled(engine, lambda each: str(each % (OBJECTS - 2)))
        build = Build(engine, class_, threads)
        for groups in (1, 1 + number % 2):
            try:
                build.run(groups, dies=True)
            except Killed:
                settle(engine)
        outcome = build.run()
        assert sorted(each.ids for each in outcome.duplicates) == [
            ("id000", f"id{OBJECTS - 2:03}"),
            ("id001", f"id{OBJECTS - 1:03}"),
        ]
        assert guarded(engine, class_) == OBJECTS - 2
        for id_ in ("id000", "id001"):
            store = Store(engine, class_)
            store.commit(store.deletion(id_))
        settle(engine)
        assert build.run() == ReindexOutcome()
        settle(engine)
        assert guarded(engine, class_) == OBJECTS - 2
