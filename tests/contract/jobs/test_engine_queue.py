"""The queue of a kind of job in an engine: jobs are added in the batch of a write, and can be replaced."""

import pytest

from stratabase.core.jobs.job import Job
from stratabase.core.store.engine.port import NOT_EXISTS, Batch, Engine, ExpectationFailed, Item, Put
from stratabase.core.store.write.job_queue import EngineQueue
from tests.contract.engine.engine_calls import HERE, settle
from tests.contract.engine.engines import KINDS, engine_fixture
from tests.fakes import NOON
from tests.soak import mostly

engine = engine_fixture(mostly(KINDS, "dynamodb-moto"))


def read(queue: EngineQueue, key: str) -> Job[str]:
    job = queue.read(key)
    assert job is not None
    return job


def test_a_job_is_added_with_the_write_that_causes_it_or_not_at_all(engine: Engine) -> None:
    queue = EngineQueue(engine, "work")

    def write(id_: str) -> None:
        put = queue.put("a", f"for {id_}", NOON, id_)
        engine.commit(Batch(id_, (Put(Item(HERE, {"id": id_}), NOT_EXISTS), put)))

    write("one")
    with pytest.raises(ExpectationFailed):
        write("two")
    (job,) = EngineQueue(settle(engine), "work").due(NOON)
    assert (job.key, job.content, job.due) == ("a", "for one", NOON)
    assert read(queue, "a").attempts == 0


def test_a_job_that_is_replaced_while_it_runs_is_not_removed(engine: Engine) -> None:
    """So what the later write wants is done, too."""
    queue = EngineQueue(engine, "work")
    queue.add("a", "old", NOON)
    unleased = read(queue, "a")
    queue.add("a", "new", NOON)
    assert queue.move(unleased, NOON + 1, 1) is None
    leased = queue.move(read(queue, "a"), NOON + 1, 1)
    assert leased is not None
    queue.add("a", "newest", NOON)
    queue.finish(leased)
    assert queue.move(leased, NOON + 1, 1) is None
    assert read(queue, "a").content == "newest"


def test_kinds_have_their_own_jobs(engine: Engine) -> None:
    one, other = EngineQueue(engine, "one"), EngineQueue(engine, "other")
    one.add("a#b/c d", "first", NOON)
    other.add("a#b/c d", "second", NOON)
    settle(engine)
    assert [(job.key, job.content) for job in one.due(NOON)] == [("a#b/c d", "first")]
    one.finish(read(one, "a#b/c d"))
    assert one.read("a#b/c d") is None
    assert read(other, "a#b/c d").content == "second"


def test_the_jobs_of_a_kind_are_spread_over_partitions_and_still_in_order(engine: Engine) -> None:
    queue = EngineQueue(engine, "work")
    for number in range(20):
        queue.add(f"{number:02}", "", NOON + number)
    places = {place.partition for item in _items(engine, 20) for place in item.places.values()}
    assert len(places) > 3
    assert [job.key for job in EngineQueue(settle(engine), "work").due(NOON + 18)] == [
        f"{number:02}" for number in range(19)
    ]


def _items(engine: Engine, number: int) -> list[Item]:
    layout = EngineQueue(engine, "work")._layout
    found = engine.get([layout.key(f"{each:02}") for each in range(number)])
    return [item for item in found if item is not None]
