"""Issues tokens for passwords and for valid tokens, and finds the caller who sends one."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from stratabase.domain.issues.refusals import Unauthenticated
from stratabase.domain.members.key_rotation import SigningKey
from stratabase.domain.members.member import Caller, Member
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.operations.auth.cache import BoundedCache
from stratabase.operations.auth.callers import CallerFactory, MemberCache
from stratabase.operations.auth.json_web_tokens import (
    ISSUER,
    Expired,
    InvalidClaims,
    InvalidSignature,
    TokenClaims,
    open_token,
    parse_claims,
    sign_token,
)
from stratabase.operations.auth.signing_keys import SigningKeyCache
from stratabase.operations.ports import Clock, Ids

MAX_VERIFIED_TOKENS = 5_000


class VerifiedToken(NamedTuple):
    """What a token says, and the key that has signed it."""

    claims: TokenClaims
    key: SigningKey


class VerifiedTokens:
    """The tokens that were verified last, by their hashes: the tokens themselves are not kept."""

    def __init__(self) -> None:
        self._seen: BoundedCache[bytes, VerifiedToken] = BoundedCache(MAX_VERIFIED_TOKENS)

    def find(self, token: str) -> VerifiedToken | None:
        """Return what a token says, if it was seen."""
        return self._seen.get(_fingerprint(token))

    def remember(self, token: str, seen: VerifiedToken) -> None:
        """Remember a token that is good."""
        self._seen.put(_fingerprint(token), seen)

    def forget(self, token: str) -> None:
        """Forget a token that is good no more."""
        self._seen.forget(_fingerprint(token))


def _fingerprint(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass")).digest()


class TokenVerifier:
    """Knows callers by their tokens; `audience` is for whom those must be.

    A token that was verified is not verified again as long as its key lives. What may change is looked at
    each time: the clock, the keys, and the member, who is known as MemberCache promises.
    """

    def __init__(
        self, keys: SigningKeyCache, members: MemberCache, callers: CallerFactory, clock: Clock, audience: str
    ) -> None:
        self._keys = keys
        self._members = members
        self._callers = callers
        self._clock = clock
        self._audience = audience
        self._seen = VerifiedTokens()

    def caller(self, token: str) -> Caller:
        """Return whose token this is. Raises Unauthenticated, Forbidden, Unavailable."""
        try:
            said = self._claims(token)
        except Expired as error:
            raise Unauthenticated(_("The token has expired.")) from error
        except (InvalidSignature, InvalidClaims) as error:
            raise _refused() from error
        return self._callers(self._member(said), said.auth_time * 1000)

    def _claims(self, token: str) -> TokenClaims:
        seen = self._seen.find(token)
        try:
            if seen is None or self._keys.find(seen.key.id) != seen.key:
                seen = self._verified(token)
            seen.claims.check(self._clock.now() // 1000)
        except (InvalidSignature, InvalidClaims):
            self._seen.forget(token)
            raise
        return seen.claims

    def _verified(self, token: str) -> VerifiedToken:
        payload, key = open_token(token, self._keys.find)
        seen = VerifiedToken(parse_claims(payload, self._audience), key)
        self._seen.remember(token, seen)
        return seen

    def _member(self, said: TokenClaims) -> Member:
        member = self._members(said.id)
        if member is not None and member.generation < said.generation:
            # The token is younger than what is known of the member.
            member = self._members.again(said.id)
        if member is None or member.disabled or member.generation != said.generation:
            raise _refused()
        return member


def _refused() -> Unauthenticated:
    """Return the one refusal for whatever is wrong with a token: forgers need no advice."""
    return Unauthenticated(_("The token is not valid."))


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token, and for how many seconds it is good."""

    access_token: str = field(repr=False)
    expires_in: int


@dataclass(frozen=True, slots=True)
class TokenTerms:
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

    def __init__(self, keys: SigningKeyCache, clock: Clock, ids: Ids, terms: TokenTerms) -> None:
        self._keys = keys
        self._clock = clock
        self._ids = ids
        self._terms = terms

    def issue(self, caller: Caller, auth_time: Instant) -> IssuedToken:
        """Return a token for a caller whose password was verified at `auth_time`. Raises Unavailable."""
        now, seconds = self._clock.now() // 1000, self._terms.validity // 1000
        claims = TokenClaims(
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
        return IssuedToken(sign_token(claims.written(), self._keys.signing()), seconds)

    def issue_now(self, caller: Caller) -> IssuedToken:
        """Return a token for a caller whose password has just been verified. Raises Unavailable."""
        return self.issue(caller, self._clock.now())

    def refresh(self, caller: Caller) -> IssuedToken:
        """Return a new token for a caller who came with one. Raises Unauthenticated, Unavailable."""
        if caller.signed_in is None:
            raise Unauthenticated(
                _("To refresh a token, send it in the Authorization header with the Bearer scheme.")
            )
        if self._clock.now() - caller.signed_in >= self._terms.session:
            raise Unauthenticated(
                _("The session has expired. Get a new token with your username and password.")
            )
        return self.issue(caller, caller.signed_in)
