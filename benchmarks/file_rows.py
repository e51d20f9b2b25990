"""The cost of files: uploads, and writes of objects that take and release files.

Calls of the blob store count as figures of their own, because they cost no capacity units.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.metering import measure_consumption
from benchmarks.role_rows import CALLER, Cost, Operations
from benchmarks.table import Figure
from stratabase.core.domain.files.pending_file import PendingFile
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, Delete, Update
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.files.upload import FileLimits, FileUploads, SentFile
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.parallel import ThreadedMap
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.file_ledger import EngineFileLedger
from tests.in_memory_blobs import InMemoryBlobs

MODEL = """
type Photo { name: String picture: File }
"""
SENT = SentFile("photo.png", "image/png", b"\x89PNG\r\n\x1a\n" + bytes(1000))


class Files:
    """Photos with files, and the operations to measure. Each object has 1 index slot, each upload has 2."""

    def __init__(self, services: Services, engine: Engine) -> None:
        self.blob_calls = 0
        self._blobs = InMemoryBlobs(self._count)
        files = FileStores(lambda: self._blobs, EngineFileLedger(engine))
        self._services = replace(services, files=files)
        limits = FileLimits(file_size=2**20, pending_bytes=2**30)
        self._uploads = FileUploads(self._services, files, limits, ThreadedMap(2))
        self._target = self._uploads.target(CALLER, "Photo", "picture")
        self._photos = [self._create(self._upload()) for _ in range(3)]

    def figures(self) -> Iterator[Figure]:
        """Yield the calls of the blob store."""
        for name, most, operation in (
            ("upload", 1, self._upload),
            ("create with a file", 1, self._creation()),
            ("delete with a file", 0, lambda: self._delete(self._photos[2])),
        ):
            before = self.blob_calls
            measure_consumption(operation)
            yield Figure(f"{name}: calls of the blob store", self.blob_calls - before, "", most)

    def operations(self) -> Operations:
        """Return the operations to measure, by name."""
        return {
            # The entry is in two indexes. The other uploads of the member are counted at the same time.
            "upload": (Cost(1, 0.5, 1 + 2), self._upload),
            # The upload is read and leaves the ledger: 2 write units and 2 slots more than without a file.
            "create with a file": (Cost(2, 1, 2 + 1 + 2 + 2), self._creation()),
            "replace a file": (Cost(3, 2, 2 + 1 + 2 + 2 + 2 + 1), self._replacement(self._photos[0])),
            "clear a file": (Cost(2, 1, 2 + 1 + 2 + 1), lambda: self._update(self._photos[1], None)),
        }

    def _count(self, step: str) -> None:
        # A call that stores bytes reports a second step, which is not a method of the blob store.
        self.blob_calls += hasattr(InMemoryBlobs, step)

    def _upload(self) -> PendingFile:
        return self._uploads.upload(CALLER, self._target, SENT)

    def _creation(self) -> Callable[[], object]:
        pending = self._upload()
        return lambda: self._create(pending)

    def _replacement(self, photo: Reference) -> Callable[[], object]:
        pending = self._upload()
        return lambda: self._update(photo, pending)

    def _create(self, pending: PendingFile) -> Reference:
        command = Create("Photo", {"name": "new", "picture": reference_to(pending)})
        return save(self._services, command, CALLER).reference

    def _update(self, photo: Reference, pending: PendingFile | None) -> object:
        picture = None if pending is None else reference_to(pending)
        return save(self._services, Update(photo, {"picture": picture}), CALLER)

    def _delete(self, photo: Reference) -> object:
        return delete(self._services, Delete(photo), CALLER)


def reference_to(pending: PendingFile) -> dict[str, Stored]:
    """Return the value that an attribute is set to."""
    return pending.file.reference(pending.id)
