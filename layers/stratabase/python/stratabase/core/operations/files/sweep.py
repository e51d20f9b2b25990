"""Remove expired uploads, released files, and bytes of uploads that objects have taken.

Removal takes two runs. The first one makes sure that no object can take the file any more. The second one
removes the bytes, after SWEEP_DELAY. Until then, a write that read the entry before may still copy them. Its
commit fails, and nobody else would find the copy. The clock of the sweep measures this delay, so a writer's
clock that differs does no harm.

Every step can be repeated. If a process stops in between, the next sweep continues.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from threading import Event, Thread

from stratabase.core.domain.files.blob import MultipartUpload
from stratabase.core.domain.files.pending_file import ReleasedFile
from stratabase.core.domain.files.resumable_upload import upload_id_of
from stratabase.core.domain.files.stored_file import PENDING_PREFIX, file_key, pending_key
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.core.operations.file_ports import FileLedger, FileStores
from stratabase.core.operations.ports import Clock

_BATCH = 100
"""The number of uploads that are looked up in the ledger at a time."""


def file_jobs(
    files: FileStores, clock: Clock, may_run: Callable[[], bool] = lambda: True
) -> tuple[JobKind[ReleasedFile], JobKind[None]]:
    """Return the kinds of job that remove bytes that nothing refers to: released files, and taken uploads.

    They stop while a backup or an export holds the files. The next round continues. What was released after
    the hold began is not removable for SWEEP_DELAY, so a step that is running does no harm.

    `may_run()`: whether the bytes and the objects are known to belong together.
    """

    def is_allowed() -> bool:
        return may_run() and not files.ledger.is_held(clock.now())

    def remove(job: Job[ReleasedFile]) -> Iterator[None]:
        return _remove_released(files, job.content, clock)

    def remove_taken(_job: Job[None]) -> Iterator[None]:
        for _ in _remove_taken(files):
            yield
            if not is_allowed():
                return

    return (
        JobKind("files", files.ledger.released, remove, lease=None, may_run=is_allowed),
        JobKind("taken uploads", EachRound(), remove_taken, lease=None, may_run=is_allowed),
    )


def _remove_released(files: FileStores, released: ReleasedFile, clock: Clock) -> Iterator[None]:
    now = clock.now()  # read for each file, because a sweep may take long
    if released.is_removable(now):
        _remove(files, released)
        yield
    elif not released.is_waiting(now):
        files.ledger.condemn(released, now)
        yield


def _remove(files: FileStores, released: ReleasedFile) -> None:
    # 1. Remove the bytes: of the upload first, so that no write can copy them again, then the copy that a
    #    write without success may have made.
    if released.pending_id is not None:
        files.blobs.delete([pending_key(released.pending_id)])
    files.blobs.delete([file_key(released.file_id)])
    if released.pending_id is not None and released.multipart_id is not None:
        files.blobs.abort_upload(MultipartUpload(pending_key(released.pending_id), released.multipart_id))
    # 2. Remove the entry last: until then, the next sweep finds the bytes.
    files.ledger.forget(released)


def _remove_taken(files: FileStores) -> Iterator[None]:
    """Remove the bytes of uploads that are not in the ledger: objects have taken copies of them.

    This includes what resumable uploads have left, complete or not.
    """
    names = (blob.key.removeprefix(PENDING_PREFIX) for blob in files.blobs.list(PENDING_PREFIX))
    for batch in _batches(names):
        known = files.ledger.knows([upload_id_of(name) for name in batch])
        taken = [
            f"{PENDING_PREFIX}{name}" for name, is_known in zip(batch, known, strict=True) if not is_known
        ]
        if taken:
            files.blobs.delete(taken)
            yield


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while batch := list(islice(rest, _BATCH)):
        yield batch


HOLD_DURATION = 300_000
"""Milliseconds for which a hold lasts. If its process is killed, the sweep goes on after that time."""
_RENEWAL = 60.0
"""Seconds between two renewals."""


@contextmanager
def hold_files(ledger: FileLedger, clock: Clock) -> Iterator[None]:
    """Keep the bytes of all files inside the `with` block, and up to HOLD_DURATION longer.

    Raises Unavailable if the hold can't begin. A renewal that fails is repeated.
    """
    ledger.hold(clock.now() + HOLD_DURATION)
    ended = Event()

    def renew() -> None:
        while not ended.wait(_RENEWAL):
            with suppress(Unavailable):
                ledger.hold(clock.now() + HOLD_DURATION)

    thread = Thread(target=renew, name="hold", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
