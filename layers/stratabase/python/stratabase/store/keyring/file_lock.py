"""A lock between processes, which ends with the process that holds it, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import uniform

from stratabase.domain.issues.refusals import Unavailable


class Busy(Unavailable):
    """Others hold the lock for too long."""


if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def held(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock of a file, which stays empty. Raises Busy when others hold it for too long."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(descriptor, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, deadline: float) -> None:
    while True:
        try:
            return _try(descriptor)
        except (BlockingIOError, PermissionError) as error:
            if time.monotonic() >= deadline:
                raise Busy("The keys of tokens are busy; try again.") from error
        time.sleep(uniform(0.001, 0.008))  # noqa: S311 - no secret
