"""The scheduled functions: what they do when they are invoked."""

import io
import json
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from stratabase.core.jobs.job import NEVER, EachRound, Job, JobKind
from stratabase.core.jobs.runner import JobsFailed
from stratabase.core.observe import Log
from stratabase.core.settings import Settings
from stratabase.core.waiting import SystemClock
from stratabase_aws.functions import handlers
from stratabase_aws.functions.handlers import SWEEP_STEP_MILLISECONDS, sweep_handler
from stratabase_aws.functions.request_log import OLDEST_PURGE_METRIC, SET_ASIDE_METRIC


class SetAside(EachRound):
    """A queue with two jobs that are set aside."""

    def set_aside(self) -> Iterator[Job[None]]:
        return (Job(key, None, NEVER) for key in "ab")


class Sweeping:
    """An instance with a job that never ends. `oldest`: the instant of the oldest purge that is left."""

    def __init__(self, oldest: int | None, error: Exception | None = None) -> None:
        self.lines = io.StringIO()
        # Those of one service share what the first of them writes to.
        self.log = Log("ERROR", self.lines, f"sweeping {id(self)}")
        self.clock = SystemClock()
        self.entities = SimpleNamespace(oldest_purge=lambda: oldest)
        self.settings = Settings(stack="hr-prod")
        self.has_marked_stores = True
        self.steps = 0
        self.queue = EachRound()
        self._error = error

    def job_kinds(self) -> Sequence[JobKind[Any]]:
        return [JobKind("endless", self.queue, self._run, lease=None)]

    def _run(self, _job: Job[None]) -> Iterator[None]:
        if self._error is not None:
            raise self._error
        while True:
            self.steps += 1
            yield


def invoke(
    instance: Sweeping, monkeypatch: pytest.MonkeyPatch, steps: int, queue: EachRound | None = None
) -> None:
    """Invoke the sweep with time for a number of steps."""
    times = iter([SWEEP_STEP_MILLISECONDS] * steps)
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: next(times, 0))
    instance.queue = queue or EachRound()
    monkeypatch.setattr(handlers, "app", lambda: instance)
    sweep_handler()({}, context)


def test_the_sweep_stops_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Sweeping(None)
    invoke(instance, monkeypatch, 3)
    assert instance.steps == 4


def test_the_sweep_publishes_the_age_of_the_oldest_purge(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(Sweeping(SystemClock().now() - 90_000), monkeypatch, 1)
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line[OLDEST_PURGE_METRIC] >= 90
    assert (line["service"], line["stack"]) == ("sweep", "hr-prod")


def test_the_sweep_publishes_nothing_without_a_purge(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    invoke(Sweeping(None), monkeypatch, 1)
    assert capsys.readouterr().out == ""


def test_a_sweep_with_failed_jobs_fails_after_it_has_published_what_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So the alarms notice both."""
    instance = Sweeping(None, KeyError("a bug"))
    with pytest.raises(JobsFailed, match="endless: 1"):
        invoke(instance, monkeypatch, 3, SetAside())
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line[SET_ASIDE_METRIC] == 2
    assert "Job failed" in instance.lines.getvalue()
