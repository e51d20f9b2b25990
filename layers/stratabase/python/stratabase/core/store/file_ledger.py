"""The file ledger in an engine. `layout/file_entries` and `layout/upload_entries` have the entries."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from stratabase.core.domain.files.pending_file import PendingFile, ReleasedFile
from stratabase.core.domain.files.resumable_upload import ResumableUpload
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    Action,
    Batch,
    DeleteItem,
    Engine,
    ExpectationFailed,
    Item,
    Put,
)
from stratabase.core.store.layout import file_entries, keys, upload_entries
from stratabase.core.store.name_translation import NameTranslation

if TYPE_CHECKING:
    from stratabase.core.jobs.job import JobQueue

_Upload = TypeVar("_Upload", PendingFile, ResumableUpload)
_UNTIL = "until"
"""The attribute of the hold of files with its end."""
_BATCH = 100
"""The maximum number of entries to read at a time."""


class EngineFileLedger:
    """The file ledger. Implements the port `operations.file_ports.UploadLedger`."""

    def __init__(self, engine: Engine, model: Model | None = None) -> None:
        """`model`: its names are those of the targets of files. The entries have the stored names."""
        self._engine = engine
        names = None if model is None else StoredNames(model)
        self._in = None if names is None or names.is_identity else NameTranslation.to_stored(names)

    def add(self, pending: PendingFile) -> None:
        """Add an upload, before its bytes are stored."""
        self._commit(Put(file_entries.pending_entry(self._stored(pending))))

    def pending(self, ids: Sequence[str]) -> list[PendingFile | None]:
        """Return the uploads with these IDs, None for others."""
        return [self._shown(file_entries.read_pending(item)) for item in self._read(ids)]

    def pending_sizes(self, member_id: str, besides: str, now: Instant) -> Sequence[int]:
        """Return the bytes of each upload of a member that no object has taken yet, but for one."""
        pages = self._engine.range(file_entries.MEMBER_INDEX, keys.file_entries_of(member_id))
        others = (item for item in chain.from_iterable(pages) if item.key != keys.file_entry(besides))
        sizes = (file_entries.counted_size(item, now) for item in others)
        return [size for size in sizes if size]

    def withdraw(self, id_: str) -> None:
        """Make sure that no object can take an upload any more. The sweep removes it. Ignore unknown IDs."""
        self._try(file_entries.withdraw(id_))

    @cached_property
    def released(self) -> "JobQueue[ReleasedFile]":
        """The queue of what the sweep has to remove: what has expired, was released, or is condemned."""
        # Imported only here, because the functions that answer requests run no jobs.
        from stratabase.core.store.layout.jobs import FILE_LEDGER  # noqa: PLC0415
        from stratabase.core.store.write.job_queue import LedgerQueue  # noqa: PLC0415

        return LedgerQueue(self._engine, FILE_LEDGER, file_entries.released_file)

    def condemn(self, released: ReleasedFile, now: Instant) -> None:
        """Mark an entry so that no object can take its file any more. Its removal is after SWEEP_DELAY."""
        self._try(file_entries.condemn(released, now))

    def forget(self, released: ReleasedFile) -> None:
        """Delete the entry of a file whose bytes are removed."""
        dying = file_entries.expect_status(file_entries.DYING)
        self._try(DeleteItem(keys.file_entry(released.ledger_id), dying))

    def hold(self, until: Instant) -> None:
        """Keep the sweep from removing bytes until an instant, or longer if it is kept from it longer."""
        if not self.is_held(until):
            self._commit(Put(Item(keys.FILE_HOLD, {_UNTIL: until})))

    def is_held(self, now: Instant) -> bool:
        """Return whether the sweep must not remove bytes at an instant."""
        (item,) = self._engine.get([keys.FILE_HOLD])
        until = None if item is None else item.attributes[_UNTIL]
        return isinstance(until, int) and now < until

    def knows(self, pending_ids: Sequence[str]) -> list[bool]:
        """Return, for each ID of an upload, whether the ledger has an entry for it, in any state."""
        return [item is not None for item in self._read(pending_ids)]

    def begin(self, upload: ResumableUpload) -> None:
        """Add an upload that is not complete, before its bytes are stored."""
        self._commit(Put(upload_entries.upload_entry(self._stored(upload))))

    def find(self, id_: str) -> ResumableUpload | PendingFile | None:
        """Return an upload, complete or not, by its ID."""
        (item,) = self._read([id_])
        if item is None:
            return None
        incomplete = upload_entries.read_upload(item)
        return self._shown(file_entries.read_pending(item)) if incomplete is None else self._shown(incomplete)

    def metadata(self, id_: str) -> str:
        """Return the metadata of a resumable upload, complete or not."""
        (item,) = self._read([id_])
        return "" if item is None else upload_entries.metadata_of(item)

    def claim_part(self, upload: ResumableUpload) -> bool:
        """Reserve the next part number of an upload for this request. Return whether this succeeded."""
        return self._is_committed(upload_entries.claim_part(self._stored(upload)))

    def advance(self, before: ResumableUpload, after: ResumableUpload) -> bool:
        """Add received bytes to an upload. Return whether this succeeded."""
        return self._is_committed(upload_entries.advance(self._stored(before), self._stored(after)))

    def finish(self, upload: ResumableUpload, pending: PendingFile) -> bool:
        """Make a complete upload a pending file. Return whether this succeeded."""
        return self._is_committed(upload_entries.finish(self._stored(upload), self._stored(pending)))

    def _stored(self, upload: _Upload) -> _Upload:
        """Return an upload with the stored names of its target."""
        return upload if self._in is None else upload._replace(target=self._in.target(upload.target))

    def _shown(self, upload: _Upload | None) -> _Upload | None:
        """Return an upload with the names of the model."""
        if upload is None or self._in is None:
            return upload
        return upload._replace(target=self._in.inverse.target(upload.target))

    def _read(self, ids: Sequence[str]) -> list[Item | None]:
        batches = [ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH)]
        found = (self._engine.get([keys.file_entry(id_) for id_ in batch]) for batch in batches)
        return list(chain.from_iterable(found))

    def _try(self, action: Action) -> None:
        """Execute an action, or do nothing if its expectation is not met. Raises Unavailable."""
        is_committed(self._engine, _batch(action))

    def _is_committed(self, action: Action) -> bool:
        """Execute an action. Return whether its expectation was met. Raises Unavailable if unknown."""
        try:
            self._commit(action)
        except ExpectationFailed:
            return False
        return True

    def _commit(self, action: Action) -> None:
        self._engine.commit(_batch(action))


def _batch(action: Action) -> Batch:
    return Batch(new_commit_id("file"), (action,))
