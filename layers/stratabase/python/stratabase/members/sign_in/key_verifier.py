"""Find the caller who sends an API key."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple
from weakref import ref

from stratabase.core.domain.caller import Caller, SentKey
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Profile, lies_within
from stratabase.core.operations.ports import Clock
from stratabase.members.audit_entry import HOUR
from stratabase.members.credentials import ApiKey
from stratabase.members.key_text import key_hash, member_of_key
from stratabase.members.member import Member
from stratabase.members.sign_in.cache import FifoCache
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.values.messages import _

MAX_VERIFIED_KEYS = 1_000
NoteUse = Callable[[str, str, Instant], None]
"""Records that a key (the second argument) of a member was used in the hour that begins at an instant."""
CountRefusal = Callable[[str], None]
"""Counts that a key was refused. It takes the ID of the member that the key names, "" if there is none."""


class _VerifiedKey(NamedTuple):
    """A key that was verified, and the caller it stands for as long as the member is the same object."""

    member: "ref[Member]"
    key: ApiKey
    caller: Caller


class KeyVerifier:
    """Finds callers by their keys.

    A text that can't be a key is refused before anything is read. Otherwise a wrong key costs exactly one
    read, whether the member that it names exists or not, and gets the same response. A key has 256 random
    bits, so nobody can guess one, and attempts need no limit. Keys that were verified are cached by their
    hash, and the member is as old as `MemberCache` allows.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: MemberCache,
        callers: CallerFactory,
        profiles: Mapping[str, Profile],
        clock: Clock,
        note_use: NoteUse,
        count_refusal: CountRefusal,
    ) -> None:
        """`note_use` is called at most once an hour for each key, `count_refusal` for each key refused.

        A text that can't be a key is not counted.
        """
        self._members = members
        self._callers = callers
        self._profiles = profiles
        self._clock = clock
        self._note_use = note_use
        self._count_refusal = count_refusal
        self._verified: FifoCache[str, _VerifiedKey] = FifoCache(MAX_VERIFIED_KEYS)
        self._noted: FifoCache[str, Instant] = FifoCache(MAX_VERIFIED_KEYS)

    def caller(self, text: str, source_address: str) -> Caller:
        """Return the caller who sends a key from an IP address.

        Raises Unauthenticated if the key is not valid. Raises Forbidden if it can't be sent from this
        address, or if the model no longer has its profile within that of the member. Raises Unavailable.
        """
        hashed = key_hash(text)
        verified = self._verified.get(hashed)
        member = None if verified is None else self._members.cached(verified.caller.id)
        if member is None or verified is None or verified.member() is not member:
            verified = self._verify(text, hashed)
        key, id_, now = verified.key, verified.caller.id, self._clock.now()
        if key.until is not None and key.until <= now:
            self._count_refusal(id_)
            raise Unauthenticated(_("The API key has expired."))
        if key.networks and not _contains(key.networks, source_address):
            self._count_refusal(id_)
            message = _(
                "The API key can't be sent from the address {address}. Its networks: {networks}.",
                address=source_address,
                networks=" ".join(key.networks),
            )
            raise Forbidden(message)
        hour = now - now % HOUR
        if self._noted.get(key.id) != hour:
            self._noted.put(key.id, hour)
            self._note_use(id_, key.id, hour)
        return verified.caller

    def _verify(self, text: str, hashed: str) -> _VerifiedKey:
        """Return what a key stands for, and cache it. Raises Unauthenticated, Forbidden, Unavailable."""
        self._verified.forget(hashed)
        id_ = member_of_key(text)
        if id_ is None:
            raise _invalid_key()
        member, key = self._find(id_, hashed)
        if member is None or key is None or member.disabled:
            self._count_refusal("" if member is None else member.id)
            raise _invalid_key()
        try:
            verified = _VerifiedKey(ref(member), key, self._make_caller(member, key))
        except Forbidden:
            self._count_refusal(member.id)
            raise
        self._verified.put(hashed, verified)
        return verified

    def _find(self, id_: str, hashed: str) -> tuple[Member | None, ApiKey | None]:
        member = self._members.cached(id_)
        key = _key_of(member, hashed)
        if key is None:
            # The key can be newer than the cached member. And a wrong key must cost as much for every member.
            member = self._members.reload(id_)
            key = _key_of(member, hashed)
        return member, key

    def _make_caller(self, member: Member, key: ApiKey) -> Caller:
        """Return the caller with the profile of a key, if it has one. Raises Forbidden."""
        proof = SentKey(key.id)
        if key.profile is None or key.profile == member.profile:
            return self._callers.make(member, proof)
        if not lies_within(self._profiles, key.profile, member.profile):
            message = _(
                'The API key has the profile "{profile}", which does not lie within the profile "{wider}" of '
                'the member "{username}". Make a new key.',
                profile=key.profile,
                wider=member.profile,
                username=member.username,
            )
            raise Forbidden(message)
        return self._callers.make(replace(member, profile=key.profile), proof)


def _invalid_key() -> Unauthenticated:
    """Return the same refusal for any key that is not valid, so that nobody learns which members exist."""
    return Unauthenticated(_("The API key is not valid."))


def _key_of(member: Member | None, hashed: str) -> ApiKey | None:
    """Return the key of a member with a hash. All keys are compared, each in constant time."""
    found = None
    for key in () if member is None else member.keys:
        if hmac.compare_digest(key.hash, hashed):
            found = key
    return found


# The same programs send their keys from the same addresses.
@lru_cache(maxsize=1024)
def _contains(networks: tuple[str, ...], address: str) -> bool:
    """Return whether an IP address is in one of some networks. An IPv4 address can be written as IPv6."""
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(network) for network in networks)
