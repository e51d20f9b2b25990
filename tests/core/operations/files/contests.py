"""What members and the sweep do at the same time: small operations on the same few objects and uploads."""

from collections.abc import Callable

from stratabase.core.domain.files.pending_file import SWEEP_DELAY
from stratabase.core.domain.issues.refusals import FileNotFound, PendingFileGone, Refused, Unavailable
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.store.engine.port import Engine
from tests.core.operations.files.file_scenario import BEN, FileScenario, issues_of
from tests.core.operations.files.stored_files import objects_of
from tests.fakes import FrozenClock

OLD, NEW, OTHER = b"old", b"new bytes", b"other bytes"
DONE = "done"


class Contest:
    """A service with a photo that has a file, and two uploads, a millisecond before they expire."""

    def __init__(self, engine: Engine | None = None, blobs: BlobStore | None = None) -> None:
        self.scenario = FileScenario(engine, blobs)
        self.photo = self.scenario.create(picture=self.scenario.upload(OLD)).reference
        self.new, self.other = self.scenario.upload(NEW), self.scenario.upload(OTHER)
        self.scenario.clock.instant = self.new.expires - 1

    def objects(self) -> list[Entity]:
        """Return all objects that exist."""
        return objects_of(self.scenario)

    def state(self) -> tuple[list[tuple[bool, bytes]], list[bool]]:
        """Return what a client can see: the files of objects, and which uploads are pending.

        For each file: whether it is that of the photo, and its content.
        """
        files = [
            (each.reference == self.photo, self.scenario.contents[file["fileId"]])
            for each in self.objects()
            if isinstance(file := each.state.get("picture"), dict)
        ]
        pending = self.scenario.ledger.pending([self.new.id, self.other.id])
        return sorted(files), [each is not None for each in pending]


def run(contest: Contest, operation: Callable[[Contest], object]) -> object:
    """Return the result of an operation, or why it was refused."""
    try:
        return operation(contest)
    except Refused as refused:
        return sorted({type_ for type_, _path in issues_of(refused)})
    except (FileNotFound, PendingFileGone, Unavailable) as refusal:
        return type(refusal).__name__


def create(contest: Contest) -> str:
    contest.scenario.create(picture=contest.new)
    return DONE


def replace(contest: Contest) -> str:
    contest.scenario.update(contest.photo, picture=contest.new)
    return DONE


def replace_by_other(contest: Contest) -> str:
    contest.scenario.update(contest.photo, picture=contest.other)
    return DONE


def clear(contest: Contest) -> str:
    contest.scenario.update(contest.photo, picture=None)
    return DONE


def delete(contest: Contest) -> bool:
    return contest.scenario.delete(contest.photo)


def download(contest: Contest) -> bytes:
    return contest.scenario.download(contest.photo)


def download_pending(contest: Contest) -> bytes:
    return contest.scenario.download_pending(contest.new)


def upload(contest: Contest) -> str:
    contest.scenario.upload(b"more", caller=BEN)
    return DONE


def withdraw(contest: Contest) -> str:
    contest.scenario.ledger.withdraw(contest.new.id)
    return DONE


def sweep(contest: Contest) -> str:
    """Run the sweep when the uploads are due, a moment after the writers' time."""
    contest.scenario.sweep_once(FrozenClock(contest.new.expires + SWEEP_DELAY))
    return DONE


def sweep_ahead(contest: Contest) -> str:
    """Run the sweep by a clock that is far ahead of the writers'."""
    contest.scenario.sweep_once(FrozenClock(contest.new.expires * 2))
    return DONE


OPERATIONS: tuple[Callable[[Contest], object], ...] = (
    create,
    replace,
    replace_by_other,
    clear,
    delete,
    download,
    download_pending,
    upload,
    withdraw,
    sweep,
    sweep_ahead,
)
