"""Cache members by id, and make the caller that a member is under the present model."""

from collections.abc import Mapping
from typing import NamedTuple
from weakref import ref

from stratabase.core.domain.caller import Caller, Proof
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Profile
from stratabase.core.operations.ports import Clock
from stratabase.members.member import Member
from stratabase.members.ports import Members
from stratabase.members.sign_in.cache import FifoCache
from stratabase.values.messages import _, and_list

MAX_CALLERS = 10_000


class MadeCaller(NamedTuple):
    """A caller, which is current as long as the member is the same object."""

    member: "ref[Member]"
    """The member as it was read. It does not keep that object."""
    caller: Caller


class CallerFactory:
    """Makes a `Caller` of a `Member`, with the rights of the member's profile.

    It keeps the caller as long as it gets the same object for the member, so until the member is read again.
    """

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self._profiles = profiles
        self._made: FifoCache[str, MadeCaller] = FifoCache(MAX_CALLERS)

    def __call__(self, member: Member, proof: Proof | None = None) -> Caller:
        """Return the caller for a member. `proof`: how the request proves that the member sends it.

        Raises Forbidden if the model has no such profile.
        """
        made = self._made.get(member.id)
        if made is not None and made.member() is member:
            known = made.caller.proof
            if known is proof or known == proof:
                return made.caller
        caller = self.make(member, proof)
        self._made.put(member.id, MadeCaller(ref(member), caller))
        return caller

    def make(self, member: Member, proof: Proof | None) -> Caller:
        """Return a new caller for a member, which is not kept. Raises like a call."""
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
            proof,
            member.generation,
            member.email,
            member.notes,
        )


MEMBER_FRESHNESS = 3_000
"""Milliseconds for which a cached member counts as current.

A disabled member can still be accepted for that long.
"""
MAX_MEMBERS = 10_000


class _CachedMember(NamedTuple):
    member: Member
    read: Instant


class MemberCache:
    """Members by id, each read at most MEMBER_FRESHNESS ago."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock
        self._cached: FifoCache[str, _CachedMember] = FifoCache(MAX_MEMBERS)

    def __call__(self, id_: str) -> Member | None:
        """Return the member with an id, from the cache if it is fresh. Raises Unavailable."""
        cached = self._cached.get(id_)
        now = self._clock.now()
        # If the clock was set back, an entry from the future counts as expired.
        if cached is not None and 0 <= now - cached.read < MEMBER_FRESHNESS:
            return cached.member
        return self._read(id_, now)

    def cached(self, id_: str) -> Member | None:
        """Return the member with an id if the cache has it and it is fresh, else None. Nothing is read."""
        cached = self._cached.get(id_)
        if cached is not None and 0 <= self._clock.now() - cached.read < MEMBER_FRESHNESS:
            return cached.member
        return None

    def reload(self, id_: str) -> Member | None:
        """Return the member with an id as stored now. Raises Unavailable."""
        return self._read(id_, self._clock.now())

    def read_after(self, id_: str, instant: Instant) -> Member | None:
        """Return the member with an id as it was stored after an instant. Raises Unavailable."""
        cached = self._cached.get(id_)
        return cached.member if cached is not None and cached.read > instant else self.reload(id_)

    def remember(self, member: Member, read_at: Instant) -> None:
        """Cache a member that was just read."""
        self._cached.put(member.id, _CachedMember(member, read_at))

    def _read(self, id_: str, now: Instant) -> Member | None:
        member = self._members.by_id(id_)
        if member is None:
            self._cached.forget(id_)
        else:
            self.remember(member, now)
        return member
