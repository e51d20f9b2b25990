"""Operations on files, and a service with objects for them, whose stores can be interrupted."""

from collections.abc import Callable
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, part_ids
from stratabase.core.domain.write.commands import Create, PartsCommand
from stratabase.core.operations.write.services import save
from tests.core.operations.files.file_scenario import BEN, HOUR, FileScenario, reference_to
from tests.core.operations.files.interrupted_stores import (
    Calls,
    InterruptedBlobs,
    InterruptedEngine,
    OpenStores,
)

BOUND = b"bound before"
NEW = b"new content"


class Prepared:
    """A service with a photo and a letter that have files, and an upload that waits."""

    def __init__(self, stores: OpenStores, calls: Calls | None = None) -> None:
        self.calls = calls or Calls()
        blobs: Any = InterruptedBlobs(stores.blobs, self.calls)
        self.scenario = FileScenario(InterruptedEngine(stores.engine, self.calls), blobs)
        self.photo = self.scenario.create(picture=self.scenario.upload(BOUND)).reference
        letter = self.scenario.create("Letter", scan=self.scenario.upload(BOUND, "scan", "Letter"))
        self.letter, self.first_start = letter.reference, letter.start or 0
        self.scenario.clock.instant += 1000
        self.scenario.update(self.letter, scan=self.scenario.upload(b"second", "scan", "Letter"))
        self.pending = self.scenario.upload(NEW)
        self.pending_scan = self.scenario.upload(NEW, "scan", "Letter")
        self.expired = self.scenario.clock.instant
        scan = self.scenario.upload(BOUND, "scan", "Page")
        pages = PartsCommand(create=[Create("Page", {"scan": reference_to(scan)}), Create("Page")])
        album = save(self.scenario.services, Create("Album", roles={"pages": pages}), BEN).entity
        self.album, self.album_start = album.reference, album.start or 0
        self.pages = [Reference("Page", id_) for id_ in part_ids(album.state["pages"])]

    @property
    def versioned(self) -> list[Reference]:
        """The objects that have versions."""
        return [self.letter, self.album, *self.pages]

    def objects(self) -> list[Entity]:
        found = self.scenario.services.entities.read([self.photo, self.letter, self.album])
        return [each for each in found if each is not None]


def upload(prepared: Prepared) -> None:
    prepared.scenario.upload(NEW)


def create(prepared: Prepared) -> None:
    prepared.scenario.create(picture=prepared.pending)


def replace(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=prepared.pending)


def replace_in_version(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.letter, scan=prepared.pending_scan)


def clear(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=None)


def delete(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.photo)


def delete_versioned(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.letter)


def restore(prepared: Prepared) -> None:
    prepared.scenario.restore(prepared.letter, prepared.first_start)


def delete_with_parts(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.album)


def restore_with_parts(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.album)
    prepared.scenario.restore(prepared.album, prepared.album_start)


def withdraw(prepared: Prepared) -> None:
    prepared.scenario.ledger.withdraw(prepared.pending.id)


def sweep(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=None)
    prepared.scenario.clock.instant += 2 * HOUR
    prepared.scenario.sweep()


OPERATIONS: tuple[Callable[[Prepared], None], ...] = (
    upload,
    create,
    replace,
    replace_in_version,
    clear,
    delete,
    delete_versioned,
    restore,
    delete_with_parts,
    restore_with_parts,
    withdraw,
    sweep,
)
