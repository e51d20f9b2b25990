"""Remove expired uploads, released files, and bytes of uploads that objects have taken.

Removal takes two runs. The first one makes sure that no object can take the file any more. The second one
removes the bytes, after SWEEP_DELAY. Until then, a write that read the entry before may still copy them. Its
commit fails, and nobody else would find the copy. The clock of the sweep measures this delay, so a writer's
clock that differs does no harm.

Every step can be repeated. If a process stops in between, the next sweep continues.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from stratabase.domain.files.pending_file import ReleasedFile
from stratabase.domain.files.stored_file import PENDING_PREFIX, file_key, pending_key
from stratabase.operations.file_ports import FileStores
from stratabase.operations.ports import Clock

_BATCH = 100
"""The number of uploads that are looked up in the ledger at a time."""


def sweep_files(files: FileStores, clock: Clock) -> Iterator[None]:
    """Remove the bytes that nothing refers to, and yield after each step. Raises Unavailable."""
    for released in files.ledger.due(clock.now()):
        now = clock.now()  # read again, because a sweep may take long
        if released.is_removable(now):
            _remove(files, released)
            yield
        elif not released.is_waiting(now):
            files.ledger.condemn(released, now)
            yield
    yield from _remove_taken(files)


def _remove(files: FileStores, released: ReleasedFile) -> None:
    # 1. Remove the bytes, also the copy that a write without success may have made.
    keys = [file_key(released.file_id)]
    if released.pending_id is not None:
        keys.append(pending_key(released.pending_id))
    files.blobs.delete(keys)
    # 2. Remove the entry last: until then, the next sweep finds the bytes.
    files.ledger.forget(released)


def _remove_taken(files: FileStores) -> Iterator[None]:
    """Remove the bytes of uploads that are not in the ledger: objects have taken copies of them."""
    ids = (blob.key.removeprefix(PENDING_PREFIX) for blob in files.blobs.list(PENDING_PREFIX))
    for batch in _batches(ids):
        known = files.ledger.knows([id_.partition("/")[0] for id_ in batch])
        taken = [pending_key(id_) for id_, is_known in zip(batch, known, strict=True) if not is_known]
        if taken:
            files.blobs.delete(taken)
            yield


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while batch := list(islice(rest, _BATCH)):
        yield batch
