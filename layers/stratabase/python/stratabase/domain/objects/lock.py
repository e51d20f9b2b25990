"""An object that one member has reserved until a moment, by the clock."""

from typing import NamedTuple

from stratabase.domain.objects.instant import Instant

DEFAULT_LOCK_MINUTES, LONGEST_LOCK_MINUTES = 10, 1440


"""Minutes: if nothing is said, and at most (a setting)."""


class Lock(NamedTuple):
    """Who reserved an object, and until when. Nothing need take it away when it has ended."""

    owner: str
    """The id of the member."""
    name: str
    """The member's username when it was taken."""
    until: Instant
    """The first instant at which it no longer holds."""


def is_active(lock: Lock | None, now: Instant) -> bool:
    """Return whether there is a lock that has not ended."""
    return lock is not None and now < lock.until


def admits(lock: Lock | None, member_id: str, now: Instant) -> bool:
    """Return whether a member may write: no lock holds, or the one that does is his."""
    return lock is None or lock.until <= now or lock.owner == member_id
