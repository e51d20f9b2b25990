"""The members whom a process has met lately, so that a request need not read its member each time."""

from typing import NamedTuple

from stratabase.domain.member import Member
from stratabase.domain.objects.instant import Instant
from stratabase.operations.ports import Clock, Members
from stratabase.operations.recent import Recent

FRESHNESS = 3_000
"""Milliseconds for which a member is believed to be as read: so long may a disabled one still come in."""
MOST_KNOWN = 10_000


class _Known(NamedTuple):
    member: Member
    read: Instant


class KnownMembers:
    """Members by their ids, each as it was FRESHNESS ago at most."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock
        self._known: Recent[str, _Known] = Recent(MOST_KNOWN)

    def __call__(self, id_: str) -> Member | None:
        """Return the member with that id. Raises Unavailable."""
        known = self._known.get(id_)
        now = self._clock.now()
        # A clock that was put back makes nothing younger: what seems to come from the future is over.
        if known is not None and 0 <= now - known.read < FRESHNESS:
            return known.member
        return self._read(id_, now)

    def again(self, id_: str) -> Member | None:
        """Return the member with that id as it is stored now. Raises Unavailable."""
        return self._read(id_, self._clock.now())

    def meet(self, member: Member, read: Instant) -> None:
        """Remember a member who has just been read."""
        self._known.put(member.id, _Known(member, read))

    def _read(self, id_: str, now: Instant) -> Member | None:
        member = self._members.by_id(id_)
        if member is None:
            self._known.forget(id_)
        else:
            self.meet(member, now)
        return member
