"""The registry of queues of jobs: each with its storage, and how a write adds a job."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import Job, JobQueue
from stratabase.core.store.engine.port import Action, Engine, Put
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.layout import file_entries, keys, ledgers
from stratabase.core.store.layout.jobs import LEDGERS
from stratabase.core.store.write.job_queue import EngineQueue, LedgerQueue
from stratabase.members.mail import ForgottenPassword
from stratabase.members.mailers.sqlite_queue import SqliteMailQueue
from tests.contract.engine.engine_calls import commit, settle
from tests.contract.engine.engines import KINDS
from tests.fakes import FrozenClock


@dataclass
class TestedQueue:
    """A queue, and what a test needs beside its port."""

    __test__ = False
    open: Callable[[], JobQueue[Any]]
    """Returns the queue as another process sees it."""
    add: Callable[[str, Instant], object]
    """Adds a job with a name and an instant from which it is due, as a write does."""
    name_of: Callable[[Job[Any]], str]
    settle: Callable[[], object] = lambda: None
    """Makes lists show all writes."""
    removes: bool = True
    """Whether `finish` removes jobs. Otherwise, their kind does."""
    keeps: bool = True
    """Whether jobs can be set aside."""
    dates: bool = True
    """Whether a write says when its job is due. Otherwise, it is due at once."""
    threads: int = 4
    """The number of concurrent callers."""

    def due(self, now: Instant) -> list[str]:
        """Return the names of what is due at an instant."""
        self.settle()
        return [self.name_of(job) for job in self.open().due(now)]

    def job(self, name: str, now: Instant) -> Job[Any]:
        """Return a job that is due at an instant, as it is now."""
        self.settle()
        queue = self.open()
        (listed,) = (job for job in queue.due(now) if self.name_of(job) == name)
        job = queue.read(listed.key)
        assert job is not None
        return job


@dataclass(frozen=True)
class QueueImplementation:
    """A queue by its name."""

    name: str
    open: Callable[[Path], AbstractContextManager[TestedQueue]]


def _of_kind(engine: Engine, threads: int) -> TestedQueue:
    return TestedQueue(
        lambda: EngineQueue(engine, "work"),
        lambda name, due: EngineQueue(engine, "work").add(name, f"about {name}", due),
        lambda job: job.key,
        lambda: settle(engine),
        threads=threads,
    )


def _of_ledgers(engine: Engine, threads: int) -> TestedQueue:
    def add(name: str, _due: Instant) -> None:
        reference = Reference("Order", name)
        commit(engine, Put(ledgers.purge_ledger(keys.purge(reference), [], Change(f"c{name}", 1, ()))))

    return TestedQueue(
        lambda: LedgerQueue(engine, LEDGERS, lambda item: item.key),
        add,
        lambda job: keys.ledger_of(job.content).id,
        lambda: settle(engine),
        removes=False,
        dates=False,
        threads=threads,
    )


def _of_files(engine: Engine, threads: int) -> TestedQueue:
    def add(name: str, _due: Instant) -> None:
        release: Action = file_entries.release(name)
        commit(engine, release)

    return TestedQueue(
        lambda: EngineFileLedger(engine).released,
        add,
        lambda job: job.content.file_id,
        lambda: settle(engine),
        removes=False,
        dates=False,
        threads=threads,
    )


@contextmanager
def _on_engine(
    open_engine: Callable[[Path], Engine], make: Callable[[Engine], TestedQueue], folder: Path
) -> Iterator[TestedQueue]:
    with closing(open_engine(folder)) as engine:
        yield make(engine)


@contextmanager
def _of_mail(folder: Path) -> Iterator[TestedQueue]:
    clock = FrozenClock()
    with closing(SqliteMailQueue(folder / "mail-queue.db", clock.now, (0, 0))) as queue:

        def add(name: str, due: Instant) -> None:
            clock.instant = due
            queue.put(ForgottenPassword(name, "https://example.com"))

        yield TestedQueue(lambda: queue, add, lambda job: job.content.name, keeps=False)


QUEUES = (
    *(
        QueueImplementation(
            f"jobs on {kind.name}", partial(_on_engine, kind.open, partial(_of_kind, threads=kind.threads))
        )
        for kind in KINDS
    ),
    *(
        QueueImplementation(
            f"{name} on {kind.name}", partial(_on_engine, kind.open, partial(make, threads=kind.threads))
        )
        for name, make in (("ledgers", _of_ledgers), ("files", _of_files))
        for kind in KINDS
        if kind.name in {"lagging", "sqlite", "dynamodb-ministack"}
    ),
    QueueImplementation("mail", _of_mail),
)
