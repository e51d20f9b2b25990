"""The local server sweeps in a separate thread: at the start, after deletions, and periodically."""

import io
from collections.abc import Callable, Iterator
from threading import Event

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log
from stratabase.core.store.write.cleanup import CleanupSteps
from stratabase.server.process import sweeper
from stratabase.server.process.sweeper import Sweeper
from stratabase.values.messages import verbatim

PATIENCE = 30
"""Seconds that a test waits for what must come."""


class Store:
    """A store that counts sweeps. Each of the first sweeps may fail."""

    def __init__(self, *failures: Exception, last: int = 1) -> None:
        self.sweeps = 0
        self.swept = Event()
        """Set at the last sweep that a test waits for."""
        self.take: Callable[[CleanupSteps], None]
        self._failures = list(failures)
        self._last = last

    def hand_over_cleanup(self, take: Callable[[CleanupSteps], None]) -> None:
        self.take = take

    def sweep_steps(self) -> CleanupSteps:
        if self._failures:
            raise self._failures.pop(0)
        yield
        self.sweeps += 1
        if self.sweeps == self._last:
            self.swept.set()


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(lines: io.StringIO, request: pytest.FixtureRequest) -> Log:
    # Those of one service share what the first of them writes to.
    return Log(stream=lines, service=request.node.name)


def test_the_sweeper_sweeps_at_its_start(log: Log, lines: io.StringIO) -> None:
    store = Store()
    with Sweeper(store, log):
        assert store.swept.wait(PATIENCE)
    assert store.sweeps == 1
    assert lines.getvalue() == ""


def test_the_sweeper_sweeps_periodically(log: Log) -> None:
    store = Store(last=3)
    with Sweeper(store, log, period=0.0):
        assert store.swept.wait(PATIENCE)


def test_the_sweeper_deletes_what_a_deletion_left(log: Log) -> None:
    """Without waiting for its next time."""
    store, done = Store(), Event()

    def rest() -> Iterator[None]:
        yield
        done.set()

    with Sweeper(store, log):
        assert store.swept.wait(PATIENCE)
        store.take(rest())
        assert done.wait(PATIENCE)


def test_the_sweeper_retries_after_the_store_was_unavailable(
    log: Log, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "RETRY_PERIOD", 0.0)
    store = Store(Unavailable(verbatim("DynamoDB is asleep.")))
    with Sweeper(store, log):
        assert store.swept.wait(PATIENCE)
    assert '"level":"WARNING"' in lines.getvalue()
    assert "DynamoDB is asleep." in lines.getvalue()


def test_a_failed_sweep_is_logged_and_followed_by_others(
    log: Log, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "RETRY_PERIOD", 0.0)
    store = Store(KeyError("Lost"))
    with Sweeper(store, log):
        assert store.swept.wait(PATIENCE)
    assert "Cleanup after deletions failed" in lines.getvalue()
    assert "KeyError" in lines.getvalue()


def test_a_stop_ends_the_sweep_after_the_current_step(log: Log, lines: io.StringIO) -> None:
    """The sweep does not outlive the service, however much work is left."""
    store, begun, may_end, steps = Store(), Event(), Event(), 0

    def endless() -> Iterator[None]:
        nonlocal steps
        while True:
            begun.set()
            assert may_end.wait(PATIENCE)
            steps += 1
            yield

    with Sweeper(store, log) as running:
        assert store.swept.wait(PATIENCE)
        store.take(endless())
        assert begun.wait(PATIENCE)
        running._ending.set()
        may_end.set()
    assert not running._thread.is_alive()
    assert steps == 1
    assert lines.getvalue() == ""


def test_only_one_process_of_a_service_sweeps_but_each_cleans_up_after_its_deletions(log: Log) -> None:
    store, done = Store(), Event()

    def rest() -> Iterator[None]:
        yield
        done.set()

    with Sweeper(store, log, period=None):
        store.take(rest())
        assert done.wait(PATIENCE)
    assert store.sweeps == 0
