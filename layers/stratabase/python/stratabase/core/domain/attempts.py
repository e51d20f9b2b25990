"""Attempts that are counted by a key within a time window, because they are limited."""

from hashlib import blake2b
from typing import NamedTuple

from stratabase.core.domain.objects.instant import Instant

MAX_WINDOW = 3_600_000
"""The milliseconds after which any recorded attempt may be deleted. No time window is longer."""
MAX_ATTEMPTS_KEPT = 100
"""The number of attempts recorded for one key, far above all limits.

The oldest attempts are kept. Otherwise a flood of new ones would displace them.
"""


class RecordedAttempt(NamedTuple):
    """An attempt that was recorded."""

    attempt: str
    """The ID of the attempt, unique for its key."""
    instants: tuple[Instant, ...]
    """The instants of all recorded attempts of the key, including this one, in chronological order."""


def attempt_key(*parts: str) -> str:
    """Return a key of a fixed length for a kind of attempt and what it is counted by.

    It is a hash, so readers of the store cannot see what was sent.
    """
    # With their lengths, different parts never make the same text.
    text = "".join(f"{len(part)} {part}" for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
