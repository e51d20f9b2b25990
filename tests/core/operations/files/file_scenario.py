"""A small service with files over an engine and a blob store, and short names for what its members do."""

from collections.abc import Mapping
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import SWEEP_DELAY, PendingFile
from stratabase.core.domain.files.stored_file import stored_file
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.write.commands import Create, Delete, Update
from stratabase.core.jobs.runner import Runner
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.observe import Log
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import BlobStore, FileStores
from stratabase.core.operations.files.download import FileDownloads
from stratabase.core.operations.files.open_downloads import OpenDownloads
from stratabase.core.operations.files.sweep import file_jobs
from stratabase.core.operations.files.upload import FileLimits, FileUploads, SentFile
from stratabase.core.operations.ports import Clock
from stratabase.core.operations.write.services import delete, restore, save
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import FrozenClock, unlimited_budget
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_blobs import InMemoryBlobs

MODEL = read_model(
    """
extend schema
  @application(name: "Files")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
  @profile(name: "Guest")

type Photo
  @grant(profile: "Guest", allow: [READ])
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  title: String
  picture: File @file(extensions: ["png", "jpg"], maxSize: 100)
  thumbnail: File
  secret: File @grant(profile: "Clerk", allow: [])
  prints: [Print!] @composition(whole: "photo")
}

type Print @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  scan: File
}

type Letter @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  text: String
  scan: File
}

type Album @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  cover: File
  pages: [Page!] @composition(whole: "album")
}

type Page @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  scan: File
}
""",
    "files.graphql",
)
ADA = Caller("m1", "ada", "Administrator", administrator=True)
BEN = Caller("m2", "ben", "Clerk")
CLEO = Caller("m3", "cleo", "Clerk")
GUEST = Caller("m4", "gus", "Guest")
LIMITS = FileLimits(file_size=1000, pending_bytes=100_000)
HOUR = 3_600_000


class FileScenario:
    """A service with files."""

    def __init__(
        self,
        engine: Engine | None = None,
        blobs: BlobStore | None = None,
        model: Model = MODEL,
        limits: FileLimits = LIMITS,
    ) -> None:
        self.engine = engine or ReferenceEngine()
        self.blobs = blobs or InMemoryBlobs()
        self.clock = FrozenClock()
        self.ids = TimeOrderedIds()
        self.contents: dict[str, bytes] = {}
        """By the ID of a file: the bytes that were uploaded."""
        self.ledger = EngineFileLedger(self.engine, model)
        self.files = FileStores(lambda: self.blobs, self.ledger)
        entities = open_repository(self.engine, model)
        self.services = Services(model, entities, self.clock, self.ids, unlimited_budget, files=self.files)
        self.uploads = FileUploads(self.services, self.files, limits)
        self.downloads = FileDownloads(
            self.services, self.files, OpenDownloads(InMemoryAttempts(), self.services.clock, 0)
        )

    def upload(
        self,
        content: bytes = b"bytes",
        attribute: str = "picture",
        class_name: str = "Photo",
        *,
        name: str = "a.png",
        caller: Caller = BEN,
    ) -> PendingFile:
        """Upload a file."""
        target = self.uploads.target(caller, class_name, attribute)
        pending = self.uploads.upload(caller, target, SentFile(name, "image/png", content))
        self.contents[pending.file.file_id] = content
        return pending

    def create(self, class_name: str = "Photo", caller: Caller = BEN, **values: Any) -> Entity:
        """Create an object. Values that are pending files become their references."""
        return save(self.services, Create(class_name, _values(values)), caller).entity

    def update(self, reference: Reference, caller: Caller = BEN, **values: Any) -> Entity:
        """Update an object."""
        return save(self.services, Update(reference, _values(values)), caller).entity

    def delete(self, reference: Reference, caller: Caller = BEN) -> bool:
        """Delete an object."""
        return delete(self.services, Delete(reference), caller)

    def restore(self, reference: Reference, at: int, caller: Caller = ADA) -> Entity:
        """Restore a version of an object."""
        return restore(self.services, reference, [at], caller).entity

    def download(
        self,
        reference: Reference,
        attribute: str = "picture",
        version: int | None = None,
        caller: Caller = BEN,
    ) -> bytes:
        """Download the file of an object."""
        opened = self.downloads.open_bound(caller, reference.class_name, reference.id, attribute, version)
        return b"".join(opened.read())

    def download_pending(self, pending: PendingFile, caller: Caller = BEN) -> bytes:
        """Download a pending file."""
        opened = self.downloads.open_pending(caller, *pending.target, pending.id)
        return b"".join(opened.read())

    def sweep(self) -> None:
        """Run the sweep twice: it condemns what is due at once, and removes it after a delay."""
        self.sweep_once()
        self.clock.instant += SWEEP_DELAY
        self.sweep_once()

    def sweep_once(self, clock: Clock | None = None) -> None:
        """Run the sweep to its end, possibly by a clock of its own."""
        clock = clock or self.clock
        for _step in Runner(clock.now, Log()).steps(file_jobs(self.files, clock)):
            pass

    def stored_keys(self) -> set[str]:
        """Return the keys of all stored bytes."""
        return {blob.key for blob in self.blobs.list("")}


def reference_to(pending: PendingFile, **changes: Any) -> dict[str, Any]:
    """Return the PendingFileReference of an upload, as a client sends it."""
    return {**pending.file.reference(pending.id), **changes}


def _values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: reference_to(value) if isinstance(value, PendingFile) else value
        for name, value in values.items()
    }


def file_id_of(entity: Entity, attribute: str = "picture") -> str:
    """Return the ID of an object's file."""
    file = stored_file(entity.state.get(attribute))
    assert file is not None
    return file.file_id


def issues_of(refusal: Refused) -> list[tuple[str, str | None]]:
    """Return the type and the path of each issue."""
    return [(issue.type.name, ".".join(map(str, issue.path))) for issue in refusal.issues]
