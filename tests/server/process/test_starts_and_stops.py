"""What happens while workers begin to serve: stops, reloads, deaths, and changes of the model."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from stratabase.server.process import supervisor
from stratabase.server.process.console import Console
from stratabase.server.process.messages import ReportKind, WorkerReport, WorkerTask
from stratabase.server.process.supervisor import Supervisor
from stratabase.server.process.watcher import Watcher

Script = Callable[["FakeWorker"], None]


class FakeWorker:
    """A worker without a process. A script says what happens when it is told to begin."""

    made: list["FakeWorker"]
    scripts: Iterator[Script]

    def __init__(
        self,
        job: WorkerTask,
        _listener: socket.socket,
        on_report: Callable[["FakeWorker", WorkerReport], None],
        on_end: Callable[["FakeWorker", int], None],
    ) -> None:
        self.number, self.metrics_process = job.number, job.metrics_process
        self.has_begun = False
        self.served_since: float | None = None
        self.orders: list[str] = []
        self.report = partial(on_report, self)
        self._end = partial(on_end, self)
        self.made.append(self)
        self.pid = len(self.made)
        self.send(ReportKind.PREPARED)

    def send(self, kind: ReportKind, *lines: str) -> None:
        self.report(WorkerReport(kind, lines))

    def die(self) -> None:
        self._end(-signal.SIGKILL)

    def begin(self) -> None:
        self.has_begun = True
        next(self.scripts)(self)

    def probe(self) -> None:
        self.send(ReportKind.ALIVE)

    def retire(self) -> None:
        self._leave("retire")

    def stop(self) -> None:
        self._leave("stop")

    def kill(self) -> None:
        self.orders.append("kill")
        self.die()

    def _leave(self, order: str) -> None:
        """Begin to serve, if that is still to come, and end."""
        self.orders.append(order)
        if self.served_since is None:
            self.send(ReportKind.READY)
        self._end(0)


def serve(worker: FakeWorker) -> None:
    worker.send(ReportKind.READY, f"Worker {worker.pid} serves.")


def serve_and_reload(worker: FakeWorker) -> None:
    serve(worker)
    reload(worker)


def serve_and_die(worker: FakeWorker) -> None:
    serve(worker)
    worker.die()


def reload(_: FakeWorker) -> None:
    os.kill(os.getpid(), signal.SIGHUP)


def stop(_: FakeWorker) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def serve_and_stop(worker: FakeWorker) -> None:
    serve(worker)
    stop(worker)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as opened:
        yield opened


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, listener: socket.socket
) -> Iterator[Callable[..., list[FakeWorker]]]:
    """Return a function that runs workers by scripts, and returns them."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    kept = [signal.getsignal(number) for number in numbers]
    model = tmp_path / "model.graphql"
    model.write_text("")

    def run_workers(*scripts: Script, watches: bool = False) -> list[FakeWorker]:
        FakeWorker.made, FakeWorker.scripts = [], iter(scripts)
        monkeypatch.setattr(supervisor, "WorkerProcess", FakeWorker)
        job = WorkerTask("http://127.0.0.1")
        served = Supervisor(job, model, listener, Console(), 0, watches=watches)
        assert served.run() == 0
        return FakeWorker.made

    yield run_workers
    for number, handler in zip(numbers, kept, strict=True):
        signal.signal(number, handler)


def test_a_stop_lets_a_worker_that_has_begun_finish(run: Callable[..., list[FakeWorker]]) -> None:
    (only,) = run(stop)
    assert only.orders == ["stop"]


def test_a_reload_lets_a_worker_that_has_begun_finish(run: Callable[..., list[FakeWorker]]) -> None:
    """Another reload comes when the workers of the new version have begun."""
    first, abandoned, last = run(serve_and_reload, reload, serve_and_stop)
    assert first.orders[0] == abandoned.orders[0] == "retire"
    assert "kill" not in first.orders + abandoned.orders
    assert last.orders == ["stop"]


def test_a_new_version_lets_a_replacement_that_has_begun_finish(
    run: Callable[..., list[FakeWorker]], capfd: pytest.CaptureFixture[str]
) -> None:
    """A worker has died, and its replacement has begun, when a reload is asked for."""
    _, replacement, last = run(serve_and_die, reload, serve_and_stop)
    assert replacement.orders[0] == "retire"
    assert "kill" not in replacement.orders
    assert last.orders == ["stop"]
    assert capfd.readouterr().out.count("Serving the new version.") == 1


def test_no_worker_starts_after_a_stop(run: Callable[..., list[FakeWorker]]) -> None:
    """The report of a prepared worker is still to be read when the service stops."""

    def serve_and_reload_and_stop(worker: FakeWorker) -> None:
        serve_and_reload(worker)
        stop(worker)

    first, second = run(serve_and_reload_and_stop)
    assert first.orders == ["stop"]
    assert second.orders == ["kill"]
    assert not second.has_begun


def test_a_change_before_the_model_is_watched_is_served(
    run: Callable[..., list[FakeWorker]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The first worker serves the model as it was before."""

    class LateWatcher(Watcher):
        """Sees none of the changes of this test."""

        def start(self) -> None: ...

        def stop(self) -> None: ...

    def change_and_serve(worker: FakeWorker) -> None:
        (tmp_path / "model.graphql").write_text("type Pet { name: String }")
        serve(worker)

    monkeypatch.setattr(supervisor, "Watcher", LateWatcher)
    first, second = run(change_and_serve, serve_and_stop, watches=True)
    assert first.orders[0] == "retire"
    assert second.orders == ["stop"]
