"""Issue tokens, refresh them, and find the caller who sends one."""

from dataclasses import field
from hashlib import blake2b
from typing import NamedTuple

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.members.member import Member
from stratabase.members.sign_in.cache import FifoCache
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.json_web_tokens import (
    ISSUER,
    Expired,
    InvalidClaims,
    InvalidSignature,
    TokenClaims,
    open_token,
    parse_claims,
    sign_token,
)
from stratabase.members.sign_in.signing_keys import SigningKeyCache
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

MAX_VERIFIED_TOKENS = 5_000


class VerifiedToken(NamedTuple):
    """The claims of a token, and the key that signed it."""

    claims: TokenClaims
    key: SigningKey


class VerifiedTokens:
    """A cache of verified tokens by their hashes. It does not keep the tokens themselves."""

    def __init__(self) -> None:
        self._verified_tokens: FifoCache[bytes, VerifiedToken] = FifoCache(MAX_VERIFIED_TOKENS)

    def find(self, token: str) -> VerifiedToken | None:
        """Return the claims and the key of a token, or None if it is not cached."""
        return self._verified_tokens.get(_fingerprint(token))

    def remember(self, token: str, verified: VerifiedToken) -> None:
        """Cache a valid token."""
        self._verified_tokens.put(_fingerprint(token), verified)

    def forget(self, token: str) -> None:
        """Remove a token that is no longer valid."""
        self._verified_tokens.forget(_fingerprint(token))


def _fingerprint(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass")).digest()


class TokenVerifier:
    """Finds callers by their tokens. `audience` is the application that tokens must be for.

    The signature of a token is verified once, as long as its key exists. The clock, the keys, and the member
    are checked each time; the member may be as old as `MemberCache` allows.
    """

    def __init__(
        self, keys: SigningKeyCache, members: MemberCache, callers: CallerFactory, clock: Clock, audience: str
    ) -> None:
        self._keys = keys
        self._members = members
        self._callers = callers
        self._clock = clock
        self._audience = audience
        self._verified_tokens = VerifiedTokens()

    def caller(self, token: str) -> Caller:
        """Return the caller who sends a token. Raises Unauthenticated, Forbidden, Unavailable."""
        try:
            claims = self._claims(token)
        except Expired as error:
            raise Unauthenticated(_("The token has expired.")) from error
        except (InvalidSignature, InvalidClaims) as error:
            raise invalid_token() from error
        return self._callers(self._member(claims), SentToken(claims.auth_time * 1000))

    def _claims(self, token: str) -> TokenClaims:
        verified = self._verified_tokens.find(token)
        try:
            # If the key was removed since the token was verified, a new verification fails.
            if verified is None or self._keys.find(verified.key.id) != verified.key:
                verified = self._verify(token)
            verified.claims.check(self._clock.now() // 1000)
        except (InvalidSignature, InvalidClaims):
            self._verified_tokens.forget(token)
            raise
        return verified.claims

    def _verify(self, token: str) -> VerifiedToken:
        payload, key = open_token(token, self._keys.find)
        verified = VerifiedToken(parse_claims(payload, self._audience), key)
        self._verified_tokens.remember(token, verified)
        return verified

    def _member(self, claims: TokenClaims) -> Member:
        member = self._members(claims.id)
        if member is not None and member.generation < claims.generation:
            # The token is newer than the cached member: read the member again.
            member = self._members.reload(claims.id)
        if member is None or member.disabled or member.generation != claims.generation:
            raise invalid_token()
        return member


def invalid_token() -> Unauthenticated:
    """Return the same refusal for any invalid token, so that forgers learn nothing."""
    return Unauthenticated(_("The token is not valid."))


@frozen
class IssuedToken:
    """A new token, and its lifetime in seconds."""

    access_token: str = field(repr=False)
    expires_in: int


@frozen
class TokenTerms:
    """The audience and the lifetime of tokens."""

    audience: str
    """The application that tokens are for."""
    minutes: int = 30
    """The lifetime of a token."""
    hours: int = 12
    """For how long after sign-in with a password tokens can be refreshed."""

    @property
    def validity(self) -> int:
        """The lifetime of a token in milliseconds."""
        return self.minutes * 60_000

    @property
    def session(self) -> int:
        """Milliseconds after sign-in with a password for which tokens can be refreshed."""
        return self.hours * 3_600_000


class TokenIssuer:
    """Issues tokens on these terms, signed with the current key."""

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
        return IssuedToken(sign_token(claims.payload(), self._keys.signing_key()), seconds)

    def issue_now(self, caller: Caller) -> IssuedToken:
        """Return a token for a caller whose password was just verified. Raises Unavailable."""
        return self.issue(caller, self._clock.now())

    def refresh(self, caller: Caller) -> IssuedToken:
        """Return a new token for a caller who authenticated with one. Raises Unauthenticated, Unavailable."""
        proof = caller.proof
        if not isinstance(proof, SentToken):
            raise Unauthenticated(
                _("To refresh a token, send it in the Authorization header with the Bearer scheme.")
            )
        if proof.signed_in is None:
            raise Unauthenticated(
                _("Another service has issued this token. Get a new token from that service.")
            )
        if self._clock.now() - proof.signed_in >= self._terms.session:
            raise Unauthenticated(
                _("The session has expired. Get a new token with your username and password.")
            )
        # The new token keeps the time of the sign-in, so that refreshing does not prolong the session.
        return self.issue(caller, proof.signed_in)
