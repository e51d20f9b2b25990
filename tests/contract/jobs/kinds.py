"""Kinds of job with work that writes have left, whose stores can be interrupted."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.objects.change import Deletion
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import PAUSES, Job, JobKind
from stratabase.core.operations.file_ports import BlobStore, FileStores
from stratabase.core.operations.files.sweep import file_jobs
from stratabase.core.operations.ports import Clock
from stratabase.core.store.engine.port import Engine, Key
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.core.store.write import cleanup
from stratabase.core.store.write.cleanup import CleanupSteps
from stratabase.core.store.write.job_queue import EngineQueue
from stratabase.evolution.erasure.erase import Erasures
from stratabase.members.mail import ForgottenPassword
from stratabase.members.mailers.sqlite_queue import RETRY_DELAYS, SqliteMailQueue, mail_jobs
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import ADA, FileScenario, file_id_of
from tests.core.operations.files.interrupted_stores import Calls, InterruptedBlobs, InterruptedEngine
from tests.core.store.graphs import Objects, class_with, parts, whole
from tests.fakes import NOON, FrozenClock
from tests.models import model


class LeftWork(Protocol):
    """Jobs that writes have left: three, of which one is bad if a test says so."""

    attempts: int
    """The number of attempts after which a bad job is given up."""
    keeps: bool
    """Whether a bad job is set aside."""

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        """Return the kinds of job as a process with this clock sees them."""

    def done(self) -> set[str]:
        """Return the names of the jobs whose work is done."""

    def close(self) -> None:
        """Close the files."""


class NewKind:
    """A kind of job in the store of objects, as an extension adds it: one row and one function."""

    attempts, keeps = len(PAUSES) + 1, True

    def __init__(self, _folder: Path) -> None:
        self._engine = ReferenceEngine()
        self.runs = Counter[str]()
        for name in "abc":
            EngineQueue(self._engine, "work").add(name, f"about {name}", NOON)

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        del clock

        def note(job: Job[str]) -> None:
            assert job.content == f"about {job.key}"
            if bad and job.key == "b":
                raise ValueError("bad")
            self.runs[job.key] += 1

        def run(job: Job[str]) -> Iterator[None]:
            calls.run(lambda: None)
            yield
            calls.run(note, job)
            yield

        return [JobKind("work", EngineQueue(InterruptedEngine(self._engine, calls), "work"), run)]

    def done(self) -> set[str]:
        return set(self.runs)

    def close(self) -> None:
        """Do nothing: all is in memory."""


class LeftCleanup:
    """Large deletions of orders, which have left their lines."""

    attempts, keeps = len(PAUSES) + 1, True

    def __init__(self, _folder: Path) -> None:
        self._engine = ReferenceEngine()
        order = class_with("Order", parts("lines", "Line", "order_"))
        self._objects = Objects(
            self._engine, model(order, class_with("Line", whole("order_", "Order", "lines")))
        )
        with patch.object(cleanup, "MAX_CLEANUP_STEPS", 0):
            for name in "abc":
                self._delete(name)

    def _delete(self, name: str) -> None:
        lines = [f"{name}{number:03}" for number in range(101)]
        self._objects.create("Order", name, lines=lines)
        for first in range(0, len(lines), 40):
            self._objects.create("Line", *lines[first : first + 40], order_=name)
        whole_ = [self._objects.get("Order", name), *(self._objects.get("Line", line) for line in lines)]
        self._objects.commit(*map(Deletion, whole_))

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        entities = Repository(InterruptedEngine(self._engine, calls), self._objects.model, now=clock.now)
        if bad:
            purger = entities._purger
            purger._purge = partial(_purge_others, purger._purge)  # type: ignore[method-assign]
        return entities.jobs()

    def done(self) -> set[str]:
        ledgers = (key for key in self._engine._items if key.partition.startswith(keys.PURGES))
        left = {keys.ledger_of(key).id for key in ledgers}
        lines = (self._objects.find("Line", f"{name}{number:03}") for name in "abc" for number in range(101))
        return set("abc") - left - {line.reference.id[0] for line in lines if line is not None}

    def close(self) -> None:
        """Do nothing: all is in memory."""


def _purge_others(
    purge: Callable[[Key, list[Key]], CleanupSteps], key: Key, waiting: list[Key]
) -> CleanupSteps:
    if keys.ledger_of(key).id == "b":
        raise ValueError("bad")
    return purge(key, waiting)


class LeftFiles:
    """Files that objects have released, in a folder of a member who has also left an upload."""

    attempts, keeps = len(PAUSES) + 1, True

    def __init__(self, _folder: Path) -> None:
        self._scenario = scenario = FileScenario()
        photos = [scenario.create(picture=scenario.upload(name.encode())) for name in "abc"]
        self._file_ids = {content.decode(): file_id for file_id, content in scenario.contents.items()}
        for photo in photos:
            scenario.delete(photo.reference)

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        blobs: Any = InterruptedBlobs(self._scenario.blobs, calls)
        if bad:
            blobs = _BadBlobs(blobs, self._file_ids["b"])
        ledger = EngineFileLedger(
            InterruptedEngine(self._scenario.engine, calls), self._scenario.services.model
        )
        return file_jobs(FileStores(lambda: blobs, ledger), clock)

    def done(self) -> set[str]:
        stored = self._scenario.stored_keys()
        engine = self._scenario.engine
        assert isinstance(engine, ReferenceEngine)
        entries = {key.partition for key in engine._items}
        return {
            name
            for name, file_id in self._file_ids.items()
            if not any(key.endswith(file_id) for key in stored)
            and keys.file_entry(file_id).partition not in entries
        }

    def close(self) -> None:
        """Do nothing: all is in memory."""


class _BadBlobs:
    """Passes all calls on, but for deletions and erasures of one file, which fail."""

    def __init__(self, blobs: Any, file_id: str) -> None:
        self._blobs = blobs
        self._file_id = file_id

    def delete(self, keys_: Sequence[str]) -> None:
        if any(key.endswith(self._file_id) for key in keys_):
            raise ValueError("bad")
        self._blobs.delete(keys_)

    def erase(self, keys_: Sequence[str]) -> None:
        if any(key.endswith(self._file_id) for key in keys_):
            raise ValueError("bad")
        self._blobs.erase(keys_)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._blobs, name)


class LeftMail:
    """Requests of people who forgot their passwords."""

    attempts, keeps = len(RETRY_DELAYS) + 1, False

    def __init__(self, folder: Path) -> None:
        self._queue = SqliteMailQueue(folder / "mail-queue.db", FrozenClock().now, (0, 0))
        self.runs = Counter[str]()
        for name in "abc":
            self._queue.put(ForgottenPassword(name, "https://example.com"))

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        del clock

        def note(request: ForgottenPassword) -> None:
            if bad and request.name == "b":
                raise ValueError("bad")
            self.runs[request.name] += 1

        queue: Any = InterruptedBlobs(self._queue, calls)  # type: ignore[arg-type]
        return [mail_jobs(queue, partial(calls.run, note))]

    def done(self) -> set[str]:
        return set(self.runs)

    def close(self) -> None:
        self._queue.close()


class LeftErasures:
    """Letters whose erasure has begun: they are deleted, and their versions and files are left."""

    attempts, keeps = len(PAUSES) + 1, True

    def __init__(self, _folder: Path) -> None:
        self._scenario = scenario = FileScenario()
        part = self._erasures(scenario.engine, scenario.blobs)
        self._letters: dict[str, tuple[Reference, str]] = {}
        for name in "abc":
            letter = scenario.create("Letter", scan=scenario.upload(name.encode(), "scan", "Letter"))
            self._letters[name] = letter.reference, file_id_of(letter, "scan")
            part.leave_to_job(part.begin(letter.reference, ADA))

    def kinds(self, calls: Calls, clock: Clock, *, bad: bool = False) -> Sequence[JobKind[Any]]:
        del clock
        blobs: Any = InterruptedBlobs(self._scenario.blobs, calls)
        if bad:
            blobs = _BadBlobs(blobs, self._letters["b"][1])
        return self._erasures(InterruptedEngine(self._scenario.engine, calls), blobs).kinds()

    @staticmethod
    def _erasures(engine: Engine, blobs: BlobStore) -> Erasures:
        scenario = FileScenario(engine, blobs)
        return Erasures(scenario.services, scenario.services.model, engine, scenario.files)

    def done(self) -> set[str]:
        stored, engine = self._scenario.stored_keys(), self._scenario.engine
        assert isinstance(engine, ReferenceEngine)
        partitions = {key.partition for key in engine._items}
        return {
            name
            for name, (reference, file_id) in self._letters.items()
            if keys.head(reference).partition not in partitions and file_key(file_id) not in stored
        }

    def close(self) -> None:
        """Do nothing: all is in memory."""


LEFT: tuple[Callable[[Path], LeftWork], ...] = (NewKind, LeftCleanup, LeftFiles, LeftMail, LeftErasures)


def after(instant: Instant, hours: int) -> Instant:
    """Return the instant some hours later."""
    return instant + hours * 3_600_000
