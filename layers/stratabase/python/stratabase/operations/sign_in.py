"""Signing in: who has this username and this password."""

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from threading import Lock

from stratabase import waiting
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller, Member
from stratabase.domain.password import LONGEST, canonical
from stratabase.domain.refusal import Forbidden, Unauthenticated
from stratabase.model.model import Profile
from stratabase.operations.ports import Clock, Members, Passwords

REMEMBERED_FOR = 60_000
"""Milliseconds for which a password that was verified need not be verified again."""
MEMBER_FRESHNESS = 3_000
"""Milliseconds after which the member itself is read again: so long may a disabled one still come in."""
MOST_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class _Known:
    """Credentials that were right: whose, since when, and when that member was last read."""

    member: Member
    verified: Instant
    read: Instant


class SignIn:
    """Knows members by their passwords, and remembers for a while whom it has just known.

    What is remembered is a keyed hash of the credentials, with a key that only this process has. Wrong
    credentials are never remembered, and cost the same whether the member exists or not.
    """

    def __init__(
        self, members: Members, passwords: Passwords, profiles: Mapping[str, Profile], clock: Clock
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._profiles = profiles
        self._clock = clock
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._lock = Lock()

    def __call__(self, username: str, password: str) -> Caller:
        """Return the caller. Raises Unauthenticated, Forbidden."""
        password = canonical(password)
        if len(password) > LONGEST:
            raise _wrong()
        fingerprint = self._fingerprint(username, password)
        known = self._still_known(fingerprint) or self._verified(username, password)
        self._remember(fingerprint, known)
        return self._caller(known.member)

    def _still_known(self, fingerprint: bytes) -> _Known | None:
        known = self._known.get(fingerprint)
        if known is None or not self._within(REMEMBERED_FOR, known.verified):
            return None
        if self._within(MEMBER_FRESHNESS, known.read):
            return known
        return self._read_again(known)

    def _read_again(self, known: _Known) -> _Known | None:
        now = self._clock.now()
        member = self._members.by_username(known.member.username)
        if member is None or member.disabled or _secret(member) != _secret(known.member):
            return None
        return replace(known, member=member, read=now)

    def _verified(self, username: str, password: str) -> _Known:
        now = self._clock.now()
        member = self._members.by_username(username)
        hashed = member.password if member else None
        right = waiting.aside(self._passwords.verify, hashed, password)
        if member is None or member.disabled or not right:
            raise _wrong()
        return _Known(member, verified=now, read=now)

    def _remember(self, fingerprint: bytes, known: _Known) -> None:
        with self._lock:
            self._known[fingerprint] = known
            self._known.move_to_end(fingerprint)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)

    def _caller(self, member: Member) -> Caller:
        profile = self._profiles.get(member.profile)
        if profile is None:
            raise Forbidden(
                f'Member "{member.username}" has the profile "{member.profile}", which the model does not '
                f"have; its profiles are {', '.join(self._profiles)}."
            )
        return Caller(member.id, member.username, profile.name, profile.administrator, member.formats)

    def _within(self, limit: int, since: Instant) -> bool:
        # A clock that was put back makes nothing younger: what seems to come from the future is over.
        return 0 <= self._clock.now() - since < limit

    def _fingerprint(self, username: str, password: str) -> bytes:
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        return blake2b(f"{len(username)} {username}{password}".encode(), key=self._key).digest()

    @cached_property
    def _key(self) -> bytes:
        # Made at first use, not before: copies of a process that was snapshot must not share it.
        return secrets.token_bytes(32)


def _secret(member: Member) -> tuple[str, str | None]:
    """Return what must not have changed since a password was verified."""
    return member.id, member.password


def _wrong() -> Unauthenticated:
    return Unauthenticated("The username or the password is wrong.")
