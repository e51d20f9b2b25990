"""Sign-in by username and password, with a cache of recently verified credentials."""

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

from stratabase import waiting
from stratabase.domain.issues.refusals import Unauthenticated
from stratabase.domain.members.attempts import source_key
from stratabase.domain.members.member import Caller, Member
from stratabase.domain.members.password import MAX_PASSWORD_LENGTH, normalize_password
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.model.model import Profile
from stratabase.operations.auth.cache import FifoCache, SingleFlight
from stratabase.operations.auth.callers import CallerFactory, MemberCache
from stratabase.operations.auth.sign_in_limits import FailureDelay, FailureLimit
from stratabase.operations.ports import Attempts, Clock, Members, Passwords


class SignIn:
    """Verifies credentials and returns callers.

    Correct credentials are cached for a minute, so that most requests need no slow hash. Wrong ones are never
    cached. They get the same answer after the same work whether the member exists or not, and count towards
    `FailureLimit` and `FailureDelay` alike.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: Members,
        member_cache: MemberCache,
        passwords: Passwords,
        profiles: Mapping[str, Profile],
        clock: Clock,
        attempts: Attempts,
        pause: Callable[[float], None] | None,
    ) -> None:
        """`pause` waits for some seconds. None means that no attempt may wait."""
        self._members = members
        self._member_cache = member_cache
        self._passwords = passwords
        self._clock = clock
        self._caller = CallerFactory(profiles)
        self._credentials = VerifiedCredentials(member_cache, clock)
        self._single_flight: SingleFlight[Member] = SingleFlight()
        self._limit = FailureLimit(attempts, clock, pause)
        self._delay = FailureDelay(attempts, clock, pause)

    def __call__(self, username: str, password: str, address: str) -> Caller:
        """Return the caller with these credentials. `address` is the IP address of the request.

        Raises Unauthenticated, TooManyFailures, Forbidden, Unavailable.
        """
        fingerprint = self._credentials.fingerprint(username, password)
        member = self._credentials.member(fingerprint)
        if member is None:
            verify = partial(self._verify_within_limits, fingerprint, username, password, address)
            member = self._single_flight(fingerprint, verify)
        return self._caller(member)

    def _verify_within_limits(self, fingerprint: bytes, username: str, password: str, address: str) -> Member:
        """Return the member with these credentials, unless too many attempts have failed."""
        key = source_key(username, address)
        self._limit.check(key)
        # The delay comes first: an attempt that waits must not yet count towards the limit.
        with self._delay.attempt(username), self._limit.attempt(key):
            return self._verify(fingerprint, username, password)

    def _verify(self, fingerprint: bytes, username: str, password: str) -> Member:
        now = self._clock.now()
        member = self._members.by_username(username)
        matches = self._matches(member.password if member else None, password)
        if member is None or member.disabled or not matches:
            raise Unauthenticated(_("The username or password is incorrect."))
        self._member_cache.remember(member, now)
        self._credentials.remember(fingerprint, member, now)
        return member

    def _matches(self, hashed: str | None, password: str) -> bool:
        password = normalize_password(password)
        return _is_hashable(password) and waiting.offload(self._passwords.verify, hashed, password)


def _is_hashable(password: str) -> bool:
    """Return whether a password could be a member's. Hashing others would only waste time."""
    try:
        password.encode()
    except UnicodeEncodeError:
        return False
    return len(password) <= MAX_PASSWORD_LENGTH


CREDENTIALS_FRESHNESS = 60_000
"""Milliseconds for which verified credentials are not verified again."""
MAX_VERIFIED_CREDENTIALS = 1_000


class _Verified(NamedTuple):
    member: Member
    verified: Instant


class VerifiedCredentials:
    """A cache of members by keyed hashes of their credentials.

    The key never leaves this process. Wrong credentials are not cached.
    """

    def __init__(self, member_cache: MemberCache, clock: Clock) -> None:
        self._member_cache = member_cache
        self._clock = clock
        self._secret: bytes | None = None
        self._lock = Lock()
        self._verified: FifoCache[bytes, _Verified] = FifoCache(MAX_VERIFIED_CREDENTIALS)

    def fingerprint(self, username: str, password: str) -> bytes:
        """Return the keyed hash of a username and a password."""
        # The length distinguishes ("ab", "c") from ("a", "bc").
        text = f"{len(username)} {username}{password}"
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key).digest()

    def member(self, fingerprint: bytes) -> Member | None:
        """Return the member with cached credentials, or None if they are not cached or no longer valid."""
        verified = self._verified.get(fingerprint)
        # If the clock was set back, an entry from the future counts as expired.
        if verified is None or not 0 <= self._clock.now() - verified.verified < CREDENTIALS_FRESHNESS:
            return None
        member = self._member_cache(verified.member.id)
        if member is None or member.disabled or _credentials(member) != _credentials(verified.member):
            return None
        return member

    def remember(self, fingerprint: bytes, member: Member, verified: Instant) -> None:
        """Cache a member whose credentials were verified at an instant."""
        self._verified.put(fingerprint, _Verified(member, verified))

    @property
    def _key(self) -> bytes:
        if self._secret is not None:
            return self._secret
        # Made at first use: copies of a process that was restored from a snapshot must not share the key.
        # Concurrent threads must share it, and `cached_property` has had no lock since Python 3.12.
        with self._lock:
            if self._secret is None:
                self._secret = secrets.token_bytes(32)
            return self._secret


def _credentials(member: Member) -> tuple[str, str | None]:
    return member.username, member.password
