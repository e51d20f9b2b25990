"""Signing in: who has this username and this password."""

from collections.abc import Callable, Mapping
from functools import partial

from stratabase import waiting
from stratabase.domain.attempt import source_key
from stratabase.domain.member import Caller, Member
from stratabase.domain.password import LONGEST, canonical
from stratabase.domain.refusal import Unauthenticated
from stratabase.model.model import Profile
from stratabase.operations.callers import Callers
from stratabase.operations.failure_delay import FailureDelay
from stratabase.operations.failure_limit import FailureLimit
from stratabase.operations.known_members import KnownMembers
from stratabase.operations.ports import Attempts, Clock, Members, Passwords
from stratabase.operations.remembered import Remembered
from stratabase.operations.single_flight import SingleFlight


class SignIn:
    """Knows members by their passwords, and remembers for a while whom it has just known.

    Wrong credentials are never remembered. Whether the member exists or not, they get the same answer after
    the same work, and count alike: see FailureLimit and FailureDelay.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that it needs of the world
        self,
        members: Members,
        known: KnownMembers,
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
        self._caller = Callers(profiles)
        self._remembered = Remembered(known, clock)
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
            raise Unauthenticated("The username or the password is wrong.")
        self._known.meet(member, now)
        self._remembered.remember(fingerprint, member, now)
        return member

    def _is_right(self, hashed: str | None, password: str) -> bool:
        password = canonical(password)
        return _may_be(password) and waiting.aside(self._passwords.verify, hashed, password)


def _may_be(password: str) -> bool:
    """Return whether anybody could have such a password: others are not hashed, which would keep us busy."""
    try:
        password.encode()
    except UnicodeEncodeError:
        return False
    return len(password) <= LONGEST
