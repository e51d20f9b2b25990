"""The local server runs jobs in threads: at the start, after writes that leave some, and periodically."""

import io
from collections.abc import Callable, Iterator
from threading import Event
from threading import enumerate as all_threads
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.core.observe import Log
from stratabase.core.store.write.job_queue import EngineQueue
from stratabase.core.waiting import SystemClock
from stratabase.server.process import job_threads
from stratabase.server.process.job_threads import JobThreads
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine

PATIENCE = 30
"""Seconds that a test waits for what must come."""
now = SystemClock().now


class Work:
    """Counts its rounds. Each of the first rounds may fail."""

    def __init__(self, *failures: Exception, last: int = 1) -> None:
        self.rounds = 0
        self.done = Event()
        """Set in the last round that a test waits for."""
        self.announce: Callable[[], None] = lambda: None
        self._failures = list(failures)
        self._last = last

    def on_added(self, announce: Callable[[], None]) -> None:
        self.announce = announce

    def run(self, _job: Job[Any]) -> Iterator[None]:
        if self._failures:
            raise self._failures.pop(0)
        yield
        self.rounds += 1
        if self.rounds == self._last:
            self.done.set()

    def kind(self, period: float = 300.0) -> JobKind[None]:
        return JobKind("work", EachRound(), self.run, lease=None, period=period, on_added=self.on_added)


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(lines: io.StringIO, request: pytest.FixtureRequest) -> Log:
    # Those of one service share what the first of them writes to.
    return Log(stream=lines, service=request.node.name)


def test_jobs_run_at_the_start(log: Log, lines: io.StringIO) -> None:
    work = Work()
    with JobThreads([work.kind()], now, log):
        assert work.done.wait(PATIENCE)
    assert work.rounds == 1
    assert lines.getvalue() == ""


def test_jobs_run_periodically(log: Log) -> None:
    work = Work(last=3)
    with JobThreads([work.kind(period=0.0)], now, log):
        assert work.done.wait(PATIENCE)


def test_jobs_run_when_this_process_has_added_some(log: Log) -> None:
    """Without waiting for the next round."""
    work = Work(last=2)
    with JobThreads([work.kind()], now, log):
        work.announce()
        assert work.done.wait(PATIENCE)


def test_one_kind_does_not_wait_for_another(log: Log) -> None:
    """A mail server that does not answer delays no cleanup."""
    begun, may_end, work = Event(), Event(), Work()

    def hang(_job: Job[None]) -> Iterator[None]:
        begun.set()
        assert may_end.wait(PATIENCE)
        yield

    with JobThreads([JobKind("hanging", EachRound(), hang, lease=None), work.kind()], now, log):
        assert begun.wait(PATIENCE)
        assert work.done.wait(PATIENCE)
        may_end.set()


def test_an_outage_is_logged_and_followed_by_another_round(
    log: Log, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_threads, "RETRY_PERIOD", 0.0)
    work = Work(Unavailable(verbatim("DynamoDB is asleep.")))
    with JobThreads([work.kind()], now, log):
        assert work.done.wait(PATIENCE)
    assert '"level":"WARNING"' in lines.getvalue()
    assert "DynamoDB is asleep." in lines.getvalue()


def test_a_failed_job_is_logged_once_and_followed_by_another_round(
    log: Log, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_threads, "RETRY_PERIOD", 0.0)
    work = Work(KeyError("Lost"))
    with JobThreads([work.kind()], now, log):
        assert work.done.wait(PATIENCE)
    (line,) = lines.getvalue().splitlines()
    assert "Job failed" in line
    assert "KeyError" in line


class BrokenQueue(EachRound):
    """A queue whose first list fails."""

    is_broken = True

    def due(self, now: int) -> Iterator[Job[None]]:
        if self.is_broken:
            self.is_broken = False
            raise KeyError("a bug")
        return super().due(now)


def test_the_thread_survives_a_bug_of_a_queue(
    log: Log, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_threads, "RETRY_PERIOD", 0.0)
    work = Work()
    with JobThreads([JobKind("work", BrokenQueue(), work.run, lease=None)], now, log):
        assert work.done.wait(PATIENCE)
    assert "Jobs postponed" in lines.getvalue()


def test_a_job_that_is_due_later_runs_then_without_another_announcement(log: Log) -> None:
    """In every process, because only the process that added it is told."""
    queue, work = EngineQueue(ReferenceEngine(), "work"), Work()
    kind = JobKind("work", queue, work.run, on_added=queue.on_added)
    with JobThreads([kind], now, log, looks=False):
        queue.add("a", "", now() + 50)
        assert work.done.wait(PATIENCE)
    assert queue.read("a") is None


def test_a_stop_ends_a_round_after_the_current_step(log: Log, lines: io.StringIO) -> None:
    """The threads do not outlive the service, however much work is left."""
    begun, may_end, steps = Event(), Event(), 0

    def endless(_job: Job[None]) -> Iterator[None]:
        nonlocal steps
        while True:
            begun.set()
            assert may_end.wait(PATIENCE)
            steps += 1
            yield

    threads = JobThreads([JobKind("endless", EachRound(), endless, lease=None)], now, log)
    with threads:
        assert begun.wait(PATIENCE)
        threads._threads[0].end()
        may_end.set()
    assert not any("endless" in thread.name for thread in all_threads())
    assert steps == 1
    assert lines.getvalue() == ""


def test_only_one_process_of_a_service_looks_but_each_runs_after_its_own_writes(log: Log) -> None:
    work, others = Work(), Work()
    silent = JobKind("others", EachRound(), others.run, lease=None)
    with JobThreads([work.kind(), silent], now, log, looks=False) as threads:
        assert len(threads._threads) == 1
        assert work.rounds == 0
        work.announce()
        assert work.done.wait(PATIENCE)
    assert (work.rounds, others.rounds) == (1, 0)
