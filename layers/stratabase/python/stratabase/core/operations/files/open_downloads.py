"""How many large files a member downloads at the same time, in all processes of the instance."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from stratabase.core.domain.attempts import attempt_key
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.values.messages import _

UNCOUNTED_BYTES = 5_000_000
"""A response of this size leaves the process without waiting for a slow client, and is not counted."""
DOWNLOAD_LEASE = 900_000
"""The milliseconds after which a download no longer counts. Lambda ends a response after 15 minutes."""
_RETRY_AFTER = 30
"""The seconds after which a refused client should try again."""


class OpenDownloads:
    """Counts the large downloads of each member while they are sent, and refuses those above a limit.

    On Lambda, each one occupies an instance of a function for as long as the client takes to read it.
    """

    def __init__(self, attempts: Attempts, clock: Clock, limit: int) -> None:
        """`limit`: how many downloads a member can have open, 0 for any number."""
        self._attempts = attempts
        self._clock = clock
        self._limit = limit

    def read(self, member: str, size: int, open_: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
        """Return the chunks that `open_` returns. Whoever reads them closes them.

        Raises Unavailable if the member has too many downloads open, and what `open_` raises.
        """
        if not self._limit or size <= UNCOUNTED_BYTES:
            return open_()
        key, now = attempt_key("download", member), self._clock.now()
        noted = self._attempts.note(key, now, now - DOWNLOAD_LEASE)

        def release() -> None:
            # A download that stays counted expires with its lease.
            with suppress(Unavailable):
                self._attempts.withdraw(key, noted.attempt)

        if len(noted.instants) > self._limit:
            release()
            message = _(
                "You already download {limit} large files. Wait until one of them ends.", limit=self._limit
            )
            raise Unavailable(message, _RETRY_AFTER)
        try:
            return _CountedChunks(open_(), release)
        except BaseException:
            release()
            raise


class _CountedChunks:
    """Chunks of a file that count as an open download until they end, fail or are closed."""

    def __init__(self, chunks: Iterator[bytes], release: Callable[[], None]) -> None:
        self._chunks = chunks
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._chunks)
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """Close the source, also if it was not read to its end."""
        close = getattr(self._chunks, "close", None)
        if close is not None:
            close()
        self._end()

    def _end(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()
