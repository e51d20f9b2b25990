"""The port of queues: what is due, and who of several runners gets a job."""

from stratabase.core.jobs.job import NEVER
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.jobs.queues import TestedQueue
from tests.fakes import NOON


def test_jobs_are_due_in_the_order_of_their_instants(queue: TestedQueue) -> None:
    for name, due in (("c", NOON + 3), ("a", NOON + 1), ("d", NOON + 4), ("b", NOON + 2)):
        queue.add(name, due)
    if not queue.dates:
        assert sorted(queue.due(0)) == ["a", "b", "c", "d"]
        return
    assert queue.due(NOON) == []
    assert queue.due(NOON + 3) == ["a", "b", "c"]


def test_a_moved_job_is_due_at_its_new_instant(queue: TestedQueue) -> None:
    for name in ("a", "b"):
        queue.add(name, NOON)
    moved = queue.open().move(queue.job("a", NOON), NOON + 60_000, 3)
    assert moved is not None
    assert (moved.due, moved.attempts) == (NOON + 60_000, 3)
    assert queue.due(NOON + 59_999) == ["b"]
    assert queue.due(NOON + 60_000) == ["b", "a"]
    assert queue.job("a", NOON + 60_000) == moved
    assert queue.open().next_due(NOON) == NOON + 60_000
    assert queue.open().next_due(NOON + 60_000) is None


def test_of_several_that_read_a_job_one_moves_it(queue: TestedQueue) -> None:
    queue.add("a", NOON)
    job = queue.job("a", NOON)
    first = queue.open().move(job, NOON + 1, 1)
    assert first is not None
    assert queue.open().move(job, NOON + 2, 1) is None
    assert queue.job("a", NOON + 2) == first
    assert queue.open().move(first, NOON + 3, 2) is not None


def test_each_job_goes_to_one_of_concurrent_runners(queue: TestedQueue) -> None:
    for number in range(6):
        queue.add(f"{number}", NOON)
    queue.settle()

    def lease_all() -> list[str]:
        opened, names = queue.open(), list[str]()
        for listed in list(opened.due(NOON)):
            job = opened.read(listed.key)
            if job is not None and job.due <= NOON and opened.move(job, NOON + 1000, 1) is not None:
                names.append(queue.name_of(job))
        return names

    leased = [name for names in run_concurrently(*[lease_all] * queue.threads) for name in names]
    assert sorted(leased) == [f"{number}" for number in range(6)]


def test_a_finished_job_is_gone(queue: TestedQueue) -> None:
    queue.add("a", NOON)
    job = queue.job("a", NOON)
    queue.open().finish(job)
    assert (queue.open().read(job.key) is None) == queue.removes
    if queue.removes:
        assert queue.due(NEVER) == []
        assert queue.open().move(job, NOON, 1) is None
        queue.open().finish(job)


def test_a_job_that_is_set_aside_is_never_due_until_somebody_moves_it(queue: TestedQueue) -> None:
    if not queue.keeps:
        assert list(queue.open().set_aside()) == []
        return
    for name in ("a", "b"):
        queue.add(name, NOON)
    assert queue.open().move(queue.job("a", NOON), NEVER, 11) is not None
    assert queue.due(NEVER - 1) == ["b"]
    assert queue.open().next_due(NOON) is None
    (listed,) = queue.open().set_aside()
    assert queue.name_of(listed) == "a"
    job = queue.open().read(listed.key)
    assert job is not None
    assert (job.due, job.attempts) == (NEVER, 11)

    assert queue.open().move(job, NOON, 0) is not None
    assert sorted(queue.due(NOON)) == ["a", "b"]
    assert list(queue.open().set_aside()) == []
