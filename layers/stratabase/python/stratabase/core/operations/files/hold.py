"""Keeps the sweep from removing bytes, while a backup or an export copies the files of a snapshot."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.operations.file_ports import FileLedger
from stratabase.core.operations.ports import Clock

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
