"""Stores of files that stop the process, or fail, at one of their calls."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.store.engine.port import Batch, Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.values.messages import verbatim
from tests.contract.blobs.stores import KINDS as BLOB_KINDS
from tests.contract.engine.dynamodb import MotoTable, over_ministack
from tests.contract.engine.reference import ReferenceEngine
from tests.in_memory_blobs import InMemoryBlobs

T = TypeVar("T")
_numbers = count(1)


class ProcessStopped(BaseException):
    """The process stops here. No code catches this."""


class Interruption(Enum):
    """What happens at a call."""

    STOP = "the process stops before it"
    FAILURE = "it fails without effect"
    LOST_ANSWER = "it takes effect, but its answer is lost"


def _stop() -> NoReturn:
    raise ProcessStopped


class Calls:
    """Counts the calls of the stores, and interrupts one of them."""

    def __init__(self, stop: Callable[[], NoReturn] = _stop) -> None:
        """`stop` stops the process."""
        self.number = 0
        self._stop = stop
        self._at: int | None = None
        self._interruption = Interruption.STOP

    def interrupt(self, at: int, interruption: Interruption) -> None:
        """Interrupt the call after `at` further calls."""
        self._at, self._interruption = self.number + at, interruption

    def go_on(self) -> None:
        """Interrupt no call."""
        self._at = None

    def run(self, call: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return the result of a call, or interrupt it."""
        number, self.number = self.number, self.number + 1
        if number != self._at:
            return call(*arguments, **options)
        if self._interruption is Interruption.STOP:
            self._stop()
        if self._interruption is Interruption.LOST_ANSWER:
            call(*arguments, **options)
        raise Unavailable(verbatim("out of order"))


class InterruptedEngine(DelegatingEngine):
    """Passes calls on, unless they are interrupted."""

    def __init__(self, engine: Engine, calls: Calls) -> None:
        super().__init__(engine)
        self._calls = calls

    def _before_read(self) -> None:
        self._calls.run(lambda: None)

    def _before_write(self) -> None:
        self._before_read()

    def commit(self, batch: Batch) -> None:
        self._calls.run(self._engine.commit, batch)


class InterruptedBlobs:
    """Passes all calls on, unless they are interrupted."""

    def __init__(self, blobs: BlobStore, calls: Calls) -> None:
        self._blobs = blobs
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        return partial(self._calls.run, getattr(self._blobs, name))


class OpenStores(NamedTuple):
    """An engine and a blob store."""

    engine: Engine
    blobs: BlobStore


@contextmanager
def _in_memory(_folder: Path) -> Iterator[OpenStores]:
    yield OpenStores(ReferenceEngine(), InMemoryBlobs())


@contextmanager
def _on_disk(folder: Path) -> Iterator[OpenStores]:
    own = folder / str(next(_numbers))
    own.mkdir()
    with closing(SqliteEngine(own / "store.db")) as engine, closing(FolderBlobs(own / "files")) as blobs:
        yield OpenStores(engine, blobs)


@contextmanager
def _on_aws(kind: str, open_engine: Callable[[], Engine], folder: Path) -> Iterator[OpenStores]:
    (blob_kind,) = (each for each in BLOB_KINDS if each.name == kind)
    with blob_kind.open(folder) as blobs, closing(open_engine()) as engine:
        yield OpenStores(engine, blobs)


STORES: Mapping[str, Callable[[Path], AbstractContextManager[OpenStores]]] = {
    "memory": _in_memory,
    "disk": _on_disk,
    "ministack": partial(_on_aws, "s3-ministack", over_ministack),
    "moto": partial(_on_aws, "s3-moto", MotoTable),
}
"""By name: opens empty stores, which need a folder."""
