"""Sign-in by username and password, with a cache of credentials that were verified a moment ago."""

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
from stratabase.domain.members.password import LONGEST_PASSWORD, normalize_password
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.model.model import Profile
from stratabase.operations.auth.cache import BoundedCache, SingleFlight
from stratabase.operations.auth.callers import CallerFactory, MemberCache
from stratabase.operations.auth.sign_in_limits import FailureDelay, FailureLimit
from stratabase.operations.ports import Attempts, Clock, Members, Passwords


class SignIn:
    """Knows members by their passwords, and remembers for a while whom it has just known.

    Wrong credentials are never remembered. Whether the member exists or not, they get the same answer after
    the same work, and count alike: see FailureLimit and FailureDelay.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: Members,
        known: MemberCache,
        passwords: Passwords,
        profiles: Mapping[str, Profile],
        clock: Clock,
        attempts: Attempts,
        pause: Callable[[float], None],
    ) -> None:
        self._members = members
        self._known = known
        self._passwords = passwords
        self._clock = clock
        self._caller = CallerFactory(profiles)
        self._remembered = VerifiedCredentials(known, clock)
        self._once: SingleFlight[Member] = SingleFlight()
        self._limit = FailureLimit(attempts, clock, pause)
        self._delay = FailureDelay(attempts, clock, pause)

    def __call__(self, username: str, password: str, address: str) -> Caller:
        """Return the caller whose credentials come from an address.

        Raises Unauthenticated, TooManyFailures, Forbidden, Unavailable.
        """
        fingerprint = self._remembered.fingerprint(username, password)
        member = self._remembered.member(fingerprint)
        if member is None:
            verify = partial(self._admitted, fingerprint, username, password, address)
            member = self._once(fingerprint, verify)
        return self._caller(member)

    def _admitted(self, fingerprint: bytes, username: str, password: str, address: str) -> Member:
        """Return whose credentials they are, unless they come after too many wrong ones."""
        key = source_key(username, address)
        self._limit.check(key)
        # The delay first: while it lasts, nothing is under way that the limit would have to count.
        with self._delay.attempt(username), self._limit.attempt(key):
            return self._verified(fingerprint, username, password)

    def _verified(self, fingerprint: bytes, username: str, password: str) -> Member:
        now = self._clock.now()
        member = self._members.by_username(username)
        right = self._is_right(member.password if member else None, password)
        if member is None or member.disabled or not right:
            raise Unauthenticated(_("The username or password is incorrect."))
        self._known.meet(member, now)
        self._remembered.remember(fingerprint, member, now)
        return member

    def _is_right(self, hashed: str | None, password: str) -> bool:
        password = normalize_password(password)
        return _may_be(password) and waiting.offload(self._passwords.verify, hashed, password)


def _may_be(password: str) -> bool:
    """Return whether anybody could have such a password: others are not hashed, which would keep us busy."""
    try:
        password.encode()
    except UnicodeEncodeError:
        return False
    return len(password) <= LONGEST_PASSWORD


REMEMBERED_FOR = 60_000
"""Milliseconds for which a password that was verified need not be verified again."""
MOST_REMEMBERED = 1_000


class _Verified(NamedTuple):
    member: Member
    verified: Instant


class VerifiedCredentials:
    """The members whose credentials were right, by keyed hashes of those.

    Only this process has the key. Nothing is remembered of wrong credentials.
    """

    def __init__(self, known: MemberCache, clock: Clock) -> None:
        self._known = known
        self._clock = clock
        self._secret: bytes | None = None
        self._lock = Lock()
        self._verified: BoundedCache[bytes, _Verified] = BoundedCache(MOST_REMEMBERED)

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
