"""Credentials that were right a moment ago, so that a request need not pay for a verification each time."""

import secrets
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

from stratabase.domain.member import Member
from stratabase.domain.objects.instant import Instant
from stratabase.operations.known_members import KnownMembers
from stratabase.operations.ports import Clock
from stratabase.operations.recent import Recent

REMEMBERED_FOR = 60_000
"""Milliseconds for which a password that was verified need not be verified again."""
MOST_REMEMBERED = 1_000


class _Verified(NamedTuple):
    member: Member
    verified: Instant


class Remembered:
    """The members whose credentials were right, by keyed hashes of those.

    Only this process has the key. Nothing is remembered of wrong credentials.
    """

    def __init__(self, known: KnownMembers, clock: Clock) -> None:
        self._known = known
        self._clock = clock
        self._secret: bytes | None = None
        self._lock = Lock()
        self._verified: Recent[bytes, _Verified] = Recent(MOST_REMEMBERED)

    def fingerprint(self, username: str, password: str) -> bytes:
        """Return what credentials are told apart by."""
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        text = f"{len(username)} {username}{password}"
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key).digest()

    def member(self, fingerprint: bytes) -> Member | None:
        """Return whose credentials they are, if they are remembered and the member still has them."""
        verified = self._verified.get(fingerprint)
        # A clock that was put back makes nothing younger: what seems to come from the future is over.
        if verified is None or not 0 <= self._clock.now() - verified.verified < REMEMBERED_FOR:
            return None
        member = self._known(verified.member.id)
        if member is None or member.disabled or _credentials(member) != _credentials(verified.member):
            return None
        return member

    def remember(self, fingerprint: bytes, member: Member, verified: Instant) -> None:
        """Remember whose credentials were right."""
        self._verified.put(fingerprint, _Verified(member, verified))

    @property
    def _key(self) -> bytes:
        # Made at first use, not before: copies of a process that was snapshot must not share it. Threads that
        # come at once share it, which `cached_property` does not see to: it has no lock since Python 3.12.
        with self._lock:
            if self._secret is None:
                self._secret = secrets.token_bytes(32)
            return self._secret


def _credentials(member: Member) -> tuple[str, str | None]:
    return member.username, member.password
