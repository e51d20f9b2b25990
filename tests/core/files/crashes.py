"""A process that crashes another one at each step of an action: run as a module with FOLDER ACTION.

It forks for each step. The child is killed at the step, and the parent then checks what is in the store. It
prints the number of steps.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import NamedTuple

from stratabase.core.domain.files.blob import BlobNotFound, MultipartUpload, UploadedPart
from stratabase.core.files.folder import FolderBlobs

OLD, NEW = b"old" * 1000, b"new" * 2000
STEPS = ("open", "os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir", "os.listdir", "os.scandir")
"""The audit events at which the child is killed."""


class Prepared(NamedTuple):
    """What an action finds in the store, beside OLD under `files/a` and NEW under `pending/a`."""

    upload: MultipartUpload
    part: UploadedPart


ACTIONS: Mapping[str, Callable[[FolderBlobs, Prepared], None]] = {
    "put": lambda blobs, _: blobs.put("files/a", [NEW[:100], NEW[100:]], len(NEW)),
    "copy": lambda blobs, _: blobs.copy("pending/a", "files/a", len(NEW)),
    "complete": lambda blobs, prepared: blobs.complete_upload(prepared.upload, [prepared.part]),
}


def prepare(root: Path) -> Prepared:
    """Fill a new store."""
    with closing(FolderBlobs(root)) as blobs:
        blobs.put("files/a", [OLD], len(OLD))
        blobs.put("pending/a", [NEW], len(NEW))
        upload = blobs.begin_upload("files/a")
        return Prepared(upload, blobs.put_part(upload, 1, NEW))


def survives(root: Path, action: str, prepared: Prepared, last_step: int) -> bool:
    """Run an action in a new process that is killed at a step. Return whether it ended before that step."""
    child = os.fork()
    if child == 0:
        steps = count(1)

        def kill_at_last_step(event: str, arguments: tuple[object, ...]) -> None:
            if event in STEPS and str(root) in repr(arguments) and next(steps) == last_step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill_at_last_step)
        ACTIONS[action](FolderBlobs(root), prepared)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL)
    return status == 0


def check(root: Path, action: str, prepared: Prepared, *, finished: bool) -> None:
    """Check that the store has the old or the new bytes and nothing unfinished, and that a retry works."""
    with closing(FolderBlobs(root)) as blobs:
        content = b"".join(blobs.read("files/a"))
        assert content in ([NEW] if finished else [OLD, NEW])
        assert [blob.key for blob in blobs.list("")] == ["files/a", "pending/a"]
        temporary = list((root / ".temporary").iterdir())
        assert len(temporary) == 2, temporary  # the lock, and the folder of this process
        try:
            ACTIONS[action](blobs, prepared)
        except BlobNotFound:
            assert (action, content) == ("complete", NEW)
        assert b"".join(blobs.read("files/a")) == NEW
        blobs.abort_upload(prepared.upload)
        assert list((root / ".uploads").iterdir()) == []


def main(folder: str, action: str) -> None:
    """Crash at each step, until the action ends before it."""
    for step in count(1):
        root = Path(folder) / str(step)
        prepared = prepare(root)
        finished = survives(root, action, prepared, step)
        check(root, action, prepared, finished=finished)
        if finished:
            print(step - 1)  # noqa: T201 - how processes talk here
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
