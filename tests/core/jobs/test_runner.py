"""The runner: leases, pauses, and when a job is done. `tests/contract/jobs` tests it with every kind."""

import io
import json
from collections.abc import Callable, Iterator

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.jobs.job import JOB_LEASE, NEVER, PAUSES, Job, JobKind, Steps
from stratabase.core.jobs.runner import OUTAGE_PAUSE, JobsFailed, Runner
from stratabase.core.observe import Log
from stratabase.core.store.write.job_queue import EngineQueue
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import NOON, FrozenClock


class Scenario:
    """A queue with one job, a clock, and the log."""

    def __init__(self, name: str) -> None:
        self.queue = EngineQueue(ReferenceEngine(), "work")
        self.clock = FrozenClock()
        self.lines = io.StringIO()
        self.runner = Runner(self.clock.now, Log("WARNING", self.lines, name))
        self.queue.add("a", "content", NOON)

    def kind(self, run: Callable[[Job[str]], Steps]) -> JobKind[str]:
        return JobKind("work", self.queue, run)

    def round(self, run: Callable[[Job[str]], Steps]) -> Iterator[None]:
        return self.runner.steps([self.kind(run)])

    def job(self) -> Job[str]:
        job = self.queue.read("a")
        assert job is not None
        return job


@pytest.fixture
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return Scenario(request.node.name)


def once(_job: Job[str]) -> Iterator[None]:
    yield


def failing(_job: Job[str]) -> Iterator[None]:
    raise ValueError("bad")
    yield


def unavailable(_job: Job[str]) -> Iterator[None]:
    raise Unavailable(verbatim("asleep"))
    yield


def test_a_job_is_removed_when_its_steps_are_done(scenario: Scenario) -> None:
    assert list(scenario.round(once)) == [None]
    assert scenario.queue.read("a") is None


def test_a_job_is_not_run_before_it_is_due(scenario: Scenario) -> None:
    scenario.clock.instant -= 1
    assert list(scenario.round(once)) == []
    assert scenario.job().due == NOON


def test_a_running_job_belongs_to_its_runner_until_the_lease_ends(scenario: Scenario) -> None:
    held = scenario.round(once)
    next(held)
    assert (scenario.job().due, scenario.job().attempts) == (NOON + JOB_LEASE, 1)
    scenario.clock.instant += JOB_LEASE - 1
    assert list(scenario.round(once)) == []
    scenario.clock.instant += 1
    assert list(scenario.round(once)) == [None]


def test_a_lease_lasts_as_long_as_steps_are_done(scenario: Scenario) -> None:
    def long(_job: Job[str]) -> Iterator[None]:
        for _ in range(10):
            scenario.clock.instant += JOB_LEASE - 1
            yield

    held = scenario.round(long)
    for _ in held:
        assert list(scenario.round(once)) == []
    assert scenario.queue.read("a") is None


def test_a_runner_that_has_lost_its_lease_stops(scenario: Scenario) -> None:
    done: list[str] = []

    def two_steps(_job: Job[str]) -> Iterator[None]:
        done.append("first")
        yield
        done.append("second")
        yield
        done.append("third")

    slow = scenario.round(two_steps)
    next(slow)
    scenario.clock.instant += JOB_LEASE
    taken_over = scenario.round(once)
    next(taken_over)
    assert list(slow) == []
    assert done == ["first", "second"]
    assert scenario.job().attempts == 2
    assert list(taken_over) == []
    assert scenario.queue.read("a") is None


def test_a_job_whose_round_is_stopped_is_due_at_once_and_its_attempt_does_not_count(
    scenario: Scenario,
) -> None:
    stopped = scenario.runner.steps([scenario.kind(once)])
    next(stopped)
    stopped.close()
    assert (scenario.job().due, scenario.job().attempts) == (NOON, 0)


def test_a_job_can_say_when_it_goes_on(scenario: Scenario) -> None:
    def later(job: Job[str]) -> Steps:
        yield
        return NOON + 5000 if scenario.clock.instant < NOON + 5000 else None

    list(scenario.round(later))
    assert (scenario.job().due, scenario.job().attempts) == (NOON + 5000, 0)
    scenario.clock.instant += 5000
    list(scenario.round(later))
    assert scenario.queue.read("a") is None


def test_the_pauses_grow_until_a_job_is_set_aside(scenario: Scenario) -> None:
    for attempt, pause in enumerate(PAUSES, 1):
        with pytest.raises(JobsFailed, match="work: 1"):
            list(scenario.round(failing))
        assert (scenario.job().due, scenario.job().attempts) == (scenario.clock.instant + pause, attempt)
        assert list(scenario.round(failing)) == []
        scenario.clock.instant += pause
    assert [*PAUSES] == sorted(PAUSES)
    with pytest.raises(JobsFailed):
        list(scenario.round(failing))
    assert scenario.job().due == NEVER


def test_a_job_that_ends_its_process_each_time_is_set_aside(scenario: Scenario) -> None:
    """No attempt fails, so the attempts are counted when they begin. Otherwise, it would stop all others."""

    class Killed(BaseException):
        pass

    def kill(_job: Job[str]) -> Iterator[None]:
        raise Killed
        yield

    for _ in range(len(PAUSES) + 1):
        with pytest.raises(Killed):
            list(scenario.round(kill))
        scenario.clock.instant += JOB_LEASE
    assert list(scenario.round(kill)) == []
    assert scenario.job().due == NEVER
    (line,) = scenario.lines.getvalue().splitlines()
    assert json.loads(line)["message"] == "Job set aside"


def test_an_outage_ends_the_round_of_a_kind_but_not_that_of_others(scenario: Scenario) -> None:
    other = EngineQueue(ReferenceEngine(), "other")
    other.add("b", "", NOON)
    kinds = [scenario.kind(unavailable), JobKind("other", other, once)]
    with pytest.raises(Unavailable, match="asleep"):
        list(scenario.runner.steps(kinds))
    assert (scenario.job().due, scenario.job().attempts) == (NOON + OUTAGE_PAUSE, 0)
    assert other.read("b") is None


def test_a_kind_can_count_outages_as_failures(scenario: Scenario) -> None:
    """For a server that is not ours, nobody knows whether it ever comes back."""
    kind = JobKind("work", scenario.queue, unavailable, counts_outages=True)
    with pytest.raises(JobsFailed):
        list(scenario.runner.steps([kind]))
    assert (scenario.job().due, scenario.job().attempts) == (NOON + PAUSES[0], 1)
    (line,) = scenario.lines.getvalue().splitlines()
    assert (json.loads(line)["reason"], json.loads(line)["level"]) == ("asleep", "WARNING")


def test_a_kind_that_may_not_run_leaves_its_jobs(scenario: Scenario) -> None:
    kind = JobKind("work", scenario.queue, once, may_run=lambda: False)
    assert list(scenario.runner.steps([kind])) == []
    assert scenario.job().attempts == 0
