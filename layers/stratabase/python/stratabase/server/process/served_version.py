"""The workers of one version: those that serve one state of the model and the code."""

from collections.abc import Iterator

from stratabase.server.process.messages import WorkerReport
from stratabase.server.process.worker_process import WorkerProcess


class ServedVersion:
    """The workers of one version, by their numbers. `size` is how many of them serve once it is complete.

    The workers of a new version begin to serve together. So clients get no answers of a version that fails
    to start in one of its workers.
    """

    def __init__(self, model: str | None, size: int) -> None:
        self.model = model
        """The text of the model at the start of the version."""
        self.size = size
        self.starting: dict[int, WorkerProcess] = {}
        """The workers that do not serve yet. One can start beside a serving worker, to replace it."""
        self.prepared: set[WorkerProcess] = set()
        """Those of them that wait for the order to begin."""
        self.serving: dict[int, WorkerProcess] = {}
        self.reports: list[WorkerReport] = []
        """What to show when the version takes over."""

    @property
    def is_prepared(self) -> bool:
        """Whether all workers of a new version wait for the order to begin."""
        return len(self.prepared) == self.size

    @property
    def is_complete(self) -> bool:
        """Whether all workers serve."""
        return len(self.serving) == self.size

    def vacant(self) -> list[int]:
        """Return the numbers of the workers that neither serve nor start."""
        return [n for n in range(self.size) if n not in self.serving and n not in self.starting]

    def workers(self) -> Iterator[WorkerProcess]:
        """Yield all workers."""
        yield from self.starting.values()
        yield from self.serving.values()

    def __contains__(self, worker: WorkerProcess) -> bool:
        return worker in self.workers()

    def is_serving(self, worker: WorkerProcess) -> bool:
        """Return whether a worker serves."""
        return self.serving.get(worker.number) is worker

    def is_starting(self, worker: WorkerProcess) -> bool:
        """Return whether a worker does not serve yet."""
        return self.starting.get(worker.number) is worker

    def record_ready(self, worker: WorkerProcess) -> WorkerProcess | None:
        """Record that a starting worker serves. Return the worker that it replaces, if there is one."""
        del self.starting[worker.number]
        self.prepared.discard(worker)
        replaced = self.serving.get(worker.number)
        self.serving[worker.number] = worker
        return replaced

    def remove(self, worker: WorkerProcess) -> None:
        """Forget a worker that has ended or failed."""
        self.prepared.discard(worker)
        for workers in (self.starting, self.serving):
            if workers.get(worker.number) is worker:
                del workers[worker.number]
