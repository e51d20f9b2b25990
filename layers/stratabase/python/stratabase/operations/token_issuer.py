"""Issues tokens: for a password, and for a token that is still good."""

from dataclasses import dataclass, field

from stratabase.domain.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.domain.refusal import Unauthenticated
from stratabase.operations.claims import ISSUER, Claims
from stratabase.operations.known_keys import KnownKeys
from stratabase.operations.ports import Clock, Ids
from stratabase.operations.signature import signed


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token, and for how many seconds it is good."""

    access_token: str = field(repr=False)
    expires_in: int


@dataclass(frozen=True, slots=True)
class Terms:
    """For whom tokens are, and for how long."""

    audience: str
    """The application."""
    minutes: int = 30
    """For how long a token is good."""
    hours: int = 12
    """How long after the password was given its tokens can be refreshed."""

    @property
    def validity(self) -> int:
        """For how many milliseconds a token is good."""
        return self.minutes * 60_000

    @property
    def session(self) -> int:
        """How many milliseconds after the password was given its tokens can be refreshed."""
        return self.hours * 3_600_000


class TokenIssuer:
    """Issues tokens on its terms, signed with the key whose turn it is."""

    def __init__(self, keys: KnownKeys, clock: Clock, ids: Ids, terms: Terms) -> None:
        self._keys = keys
        self._clock = clock
        self._ids = ids
        self._terms = terms

    def issue(self, caller: Caller, auth_time: Instant) -> IssuedToken:
        """Return a token for a caller whose password was verified at `auth_time`. Raises Unavailable."""
        now, seconds = self._clock.now() // 1000, self._terms.validity // 1000
        claims = Claims(
            sub=caller.username,
            id=caller.id,
            username=caller.username,
            iss=ISSUER,
            aud=self._terms.audience,
            iat=now,
            nbf=now,
            exp=now + seconds,
            jti=self._ids.new(),
            auth_time=auth_time // 1000,
            generation=caller.generation,
        )
        return IssuedToken(signed(claims.written(), self._keys.signing()), seconds)

    def now(self, caller: Caller) -> IssuedToken:
        """Return a token for a caller whose password has just been verified. Raises Unavailable."""
        return self.issue(caller, self._clock.now())

    def refresh(self, caller: Caller) -> IssuedToken:
        """Return a new token for a caller who came with one. Raises Unauthenticated, Unavailable."""
        if caller.signed_in is None:
            raise Unauthenticated("Only a token can be refreshed: send one, as Authorization: Bearer.")
        if self._clock.now() - caller.signed_in >= self._terms.session:
            raise Unauthenticated("The session has ended: get a new token with the password.")
        return self.issue(caller, caller.signed_in)
