"""Sign-in by username and password (the scheme Basic), with a cache of recently verified credentials."""

import secrets
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple
from weakref import ref

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Profile
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.members.attempts import source_key
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import AuditKind
from stratabase.members.member import Member
from stratabase.members.password import MAX_PASSWORD_LENGTH, normalize_password
from stratabase.members.ports import Members, Passwords
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.cache import FifoCache, SingleFlight
from stratabase.members.sign_in.callers import MAX_CALLERS, CallerFactory, MemberCache
from stratabase.members.sign_in.sign_in_limits import FailureDelay, FailureLimit
from stratabase.values.messages import _

_PROOF = SentPassword()


class SignIn:
    """Verifies credentials and returns callers.

    Correct credentials are cached for a minute for the network that sent them, so that most requests need no
    slow hash. Wrong ones are never cached. They get the same answer after the same work whether the member
    exists or not, and count towards `FailureLimit` and `FailureDelay` alike.
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
        audit: AuditRecorder,
    ) -> None:
        """`pause` waits for some seconds. None means that no attempt may wait."""
        self._members = members
        self._member_cache = member_cache
        self._passwords = passwords
        self._clock = clock
        self._audit = audit
        self._caller = CallerFactory(profiles)
        self._credentials = VerifiedCredentials(member_cache, clock)
        self._single_flight: SingleFlight[Member] = SingleFlight()
        self._limit = FailureLimit(attempts, clock, pause)
        self._delay = FailureDelay(attempts, clock, pause)

    def __call__(self, username: str, password: str, address: str) -> Caller:
        """Return the caller with these credentials. `address` is the IP address of the request.

        Raises Unauthenticated, TooManyFailures, Forbidden, Unavailable.
        """
        source = source_key(username, address)
        fingerprint = self._credentials.fingerprint(source, password)
        member = self._credentials.member(source, fingerprint)
        if member is None:
            sent = _SentCredentials(username, password, source, fingerprint)
            member = self._single_flight(fingerprint, partial(self._verify_within_limits, sent))
        return self._caller(member, _PROOF)

    def _verify_within_limits(self, sent: "_SentCredentials") -> Member:
        """Return the member with these credentials, unless too many attempts have failed."""
        try:
            self._limit.check(sent.source)
            # The delay comes first: an attempt that waits must not yet count towards the limit.
            with self._delay.attempt(sent.username), self._limit.attempt(sent.source):
                return self._verify(sent)
        except TooManyFailures:
            self._credentials.count_refusal(sent.source)
            raise

    def _verify(self, sent: "_SentCredentials") -> Member:
        now = self._clock.now()
        member = self._members.by_username(sent.username)
        matches = self._matches(member.password if member else None, sent.password)
        if member is None or member.disabled or not matches:
            self._audit.refuse(AuditKind.SIGN_IN_REFUSED, "" if member is None else member.id)
            raise Unauthenticated(_("The username or password is incorrect."))
        self._member_cache.remember(member, now)
        self._credentials.remember(sent.source, sent.fingerprint, member, now)
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


class _SentCredentials(NamedTuple):
    """The credentials of a request."""

    username: str
    password: str
    source: str
    """The key of the name and the network that the request comes from."""
    fingerprint: bytes


CREDENTIALS_FRESHNESS = 60_000
"""Milliseconds for which verified credentials are not verified again."""
MAX_VERIFIED_CREDENTIALS = 1_000
MAX_REFUSALS = 10
"""Refusals of other passwords from the same source after which verified credentials are forgotten."""


class _Verified(NamedTuple):
    fingerprint: bytes
    member: "ref[Member]"
    """The member as it was read, which the cache does not keep."""
    id: str
    credentials: tuple[str, str | None]
    verified: Instant
    refusals: int = 0


class VerifiedCredentials:
    """A cache of members by the source of their requests (`source_key`), with keyed hashes of the passwords.

    The key never leaves this process. Wrong credentials are not cached.

    While a source is blocked, cached credentials are the only ones that pass. So each refusal tells somebody
    who shares the source that a guess is wrong. After MAX_REFUSALS, the right password is refused too.
    """

    def __init__(self, member_cache: MemberCache, clock: Clock) -> None:
        self._member_cache = member_cache
        self._clock = clock
        self._keyed: blake2b | None = None
        """A hash of no text with a secret key."""
        self._lock = Lock()
        self._verified: FifoCache[str, _Verified] = FifoCache(MAX_VERIFIED_CREDENTIALS)

    def fingerprint(self, source: str, password: str) -> bytes:
        """Return the keyed hash of a source and a password."""
        # Sources have the same length, so different parts never make the same text.
        hashed = (self._keyed or self._make_keyed()).copy()
        hashed.update(f"{source}{password}".encode("utf-8", "surrogatepass"))
        return hashed.digest()

    def member(self, source: str, fingerprint: bytes) -> Member | None:
        """Return the member with cached credentials, or None if they are not cached or no longer valid."""
        cached = self._verified.get(source)
        if cached is None or not secrets.compare_digest(cached.fingerprint, fingerprint):
            return None
        # If the clock was set back, an entry from the future counts as expired.
        if not 0 <= self._clock.now() - cached.verified < CREDENTIALS_FRESHNESS:
            return None
        member = self._member_cache(cached.id)
        if member is None or cached.member() is member:  # it was removed, or not read again
            return member
        return None if member.disabled or _credentials(member) != cached.credentials else member

    def remember(self, source: str, fingerprint: bytes, member: Member, verified: Instant) -> None:
        """Cache a member whose credentials were verified at an instant."""
        self._verified.put(
            source, _Verified(fingerprint, ref(member), member.id, _credentials(member), verified)
        )

    def count_refusal(self, source: str) -> None:
        """Count a refusal of another password. After MAX_REFUSALS, the source has no cached credentials."""
        with self._lock:
            cached = self._verified.get(source)
            if cached is None:
                return
            if cached.refusals + 1 < MAX_REFUSALS:
                self._verified.put(source, cached._replace(refusals=cached.refusals + 1))
            else:
                self._verified.forget(source)

    def _make_keyed(self) -> blake2b:
        # Made at first use: copies of a process that was restored from a snapshot must not share the key.
        # Concurrent threads must share it, and `cached_property` has had no lock since Python 3.12.
        with self._lock:
            if self._keyed is None:
                self._keyed = blake2b(key=secrets.token_bytes(32))
            return self._keyed


def _credentials(member: Member) -> tuple[str, str | None]:
    return member.username, member.password


class BasicAuthenticator:
    """The scheme Basic (RFC 7617)."""

    challenge = 'Basic realm="Stratabase", charset="UTF-8"'

    def __init__(
        self, sign_in: Callable[[str, str, str], Caller], note: Callable[[Caller], None] | None = None
    ) -> None:
        """`sign_in(username, password, source_address)` returns the caller.

        `note` records that a caller used the scheme. It is called when the member was read anew, so once in
        some seconds at most.
        """
        self._sign_in = sign_in
        self._note = note
        self._noted: FifoCache[str, Caller] = FifoCache(MAX_CALLERS)

    def caller(self, credentials: str, source_address: str) -> Caller:
        """Return the caller with this username and password. Raises like Authenticator.caller."""
        try:
            decoded = a2b_base64(credentials, strict_mode=True).decode()
        except ValueError:
            raise Unauthenticated(_("Basic credentials must be Base64-encoded UTF-8 text.")) from None
        username, colon, password = decoded.partition(":")
        if not colon:
            message = _("Basic credentials must contain a colon between the username and the password.")
            raise Unauthenticated(message)
        caller = self._sign_in(username, password, source_address)
        if self._note is not None and self._noted.get(caller.id) is not caller:
            self._noted.put(caller.id, caller)
            self._note(caller)
        return caller
