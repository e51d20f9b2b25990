"""The scheduled functions: what they do when they are invoked."""

import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from stratabase.core.observe import Log
from stratabase.core.settings import Settings
from stratabase.values.clock import SystemClock
from stratabase_aws.functions import handlers
from stratabase_aws.functions.handlers import SWEEP_STEP_MILLISECONDS, sweep_handler
from stratabase_aws.functions.request_log import OLDEST_PURGE_METRIC


class Sweeping:
    """An instance with steps of a sweep to do. `oldest`: the instant of the oldest purge that is left."""

    def __init__(self, oldest: int | None) -> None:
        self.log = Log("ERROR")
        self.entities = SimpleNamespace(oldest_purge=lambda: oldest)
        self.settings = Settings(stack="hr-prod")
        self.steps = 0

    def sweep_steps(self) -> Iterator[None]:
        while True:
            self.steps += 1
            yield


def invoke(instance: Sweeping, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Invoke the sweep with time for a number of steps."""
    times = iter([SWEEP_STEP_MILLISECONDS] * steps)
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: next(times, 0))
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
