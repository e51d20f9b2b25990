"""The member behind a request, from a cache, and the caller that the member is under the model."""

from collections.abc import Mapping
from typing import NamedTuple

from stratabase.domain.issues.refusals import Forbidden
from stratabase.domain.members.member import Caller, Member
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _, and_list
from stratabase.model.model import Profile
from stratabase.operations.auth.cache import BoundedCache
from stratabase.operations.ports import Clock, Members


class CallerFactory:
    """Makes callers of members."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self._profiles = profiles

    def __call__(self, member: Member, signed_in: Instant | None = None) -> Caller:
        """Return the caller that a member is. Raises Forbidden."""
        profile = self._profiles.get(member.profile)
        if profile is None:
            message = _(
                'The member "{username}" has the profile "{profile}", which does not exist in the model. '
                "Profiles of the model: {profiles}.",
                username=member.username,
                profile=member.profile,
                profiles=and_list(self._profiles),
            )
            raise Forbidden(message)
        return Caller(
            member.id,
            member.username,
            profile.name,
            profile.administrator,
            member.formats,
            signed_in,
            member.generation,
            member.email,
            member.notes,
        )


MEMBER_FRESHNESS = 3_000
"""Milliseconds for which a member is believed to be as read: so long may a disabled one still come in."""
MAX_MEMBERS = 10_000


class _Known(NamedTuple):
    member: Member
    read: Instant


class MemberCache:
    """Members by their ids, each as it was FRESHNESS ago at most."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock
        self._known: BoundedCache[str, _Known] = BoundedCache(MAX_MEMBERS)

    def __call__(self, id_: str) -> Member | None:
        """Return the member with that id. Raises Unavailable."""
        known = self._known.get(id_)
        now = self._clock.now()
        # A clock that was put back makes nothing younger: what seems to come from the future is over.
        if known is not None and 0 <= now - known.read < MEMBER_FRESHNESS:
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
