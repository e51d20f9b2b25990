"""Locks: the reservation of an object for one member until an instant."""

from typing import NamedTuple

from stratabase.core.domain.objects.instant import Instant

DEFAULT_LOCK_MINUTES, MAX_LOCK_MINUTES = 10, 1440
"""How long a lock holds by default, and the default of the setting for the longest lock."""


class Lock(NamedTuple):
    """The member who reserved an object, and until when.

    A lock ends by the clock. Nothing needs to remove it.
    """

    owner: str
    """The member's ID."""
    name: str
    """The member's username when the lock began."""
    until: Instant
    """The first instant at which the lock no longer holds."""


def is_active(lock: Lock | None, now: Instant) -> bool:
    """Return whether there is a lock that has not ended."""
    return lock is not None and now < lock.until


def admits(lock: Lock | None, member_id: str, now: Instant) -> bool:
    """Return whether a member may write the object: no lock holds, or the member owns it.

    The store tests the same in the write itself: `lock_conditions` in `store/layout/object_items.py`.
    """
    return lock is None or lock.until <= now or lock.owner == member_id
