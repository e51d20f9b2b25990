"""Issue tokens, and find the caller who sends one."""

from dataclasses import field
from hashlib import blake2b
from weakref import ref

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.credentials import Session
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.members.member import Member, MemberKind
from stratabase.members.sessions import SessionTerms, find_session
from stratabase.members.sign_in.cache import FifoCache
from stratabase.members.sign_in.callers import CallerFactory, MadeCaller, MemberCache
from stratabase.members.sign_in.json_web_tokens import (
    ISSUER,
    LEEWAY,
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


class VerifiedToken:
    """The claims of a token, the key that signed it, and the last caller with it."""

    __slots__ = ("claims", "key", "made")

    def __init__(self, claims: TokenClaims, key: SigningKey) -> None:
        self.claims = claims
        self.key = key
        self.made: MadeCaller | None = None
        """The caller, which stays the same as long as the member is not read again."""


class VerifiedTokens:
    """A cache of verified tokens by their hashes. It does not keep the tokens themselves."""

    def __init__(self) -> None:
        self._verified_tokens: FifoCache[bytes, VerifiedToken] = FifoCache(MAX_VERIFIED_TOKENS)

    def find(self, token: str) -> VerifiedToken | None:
        """Return a token that was verified before, or None if it is not cached."""
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
    with the sessions are checked each time; the member may be as old as `MemberCache` allows.
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
            verified = self._verified(token)
        except Expired as error:
            raise Unauthenticated(_("The token has expired.")) from error
        except (InvalidSignature, InvalidClaims) as error:
            raise invalid_token() from error
        claims, made = verified.claims, verified.made
        member = self._members(claims.id)
        if member is not None and made is not None and made.member() is member:
            return made.caller
        member = self._admitted(member, claims)
        # Whatever token a program exchanged, it is judged as its keys are.
        signed_in = None if member.kind is MemberKind.PROGRAM else claims.auth_time * 1000
        caller = self._callers(member, SentToken(signed_in, claims.sid))
        verified.made = MadeCaller(ref(member), caller)
        return caller

    def _verified(self, token: str) -> VerifiedToken:
        verified = self._verified_tokens.find(token)
        try:
            # If the key was removed since the token was verified, a new verification fails.
            if verified is None or self._keys.find(verified.key.id) != verified.key:
                verified = self._verify(token)
            verified.claims.check(self._clock.now() // 1000)
        except (InvalidSignature, InvalidClaims):
            self._verified_tokens.forget(token)
            raise
        return verified

    def _verify(self, token: str) -> VerifiedToken:
        payload, key = open_token(token, self._keys.find)
        verified = VerifiedToken(parse_claims(payload, self._audience), key)
        self._verified_tokens.remember(token, verified)
        return verified

    def _admitted(self, member: Member | None, claims: TokenClaims) -> Member:
        """Return the member of a token whose session lives. Raises Unauthenticated, Unavailable."""
        if member is not None and member.generation < claims.generation:
            # The token is newer than the cached member: read the member again.
            member = self._members.reload(claims.id)
        if member is not None and not _has_session(member, claims):
            # The same, but who goes on sending the token of an ended session causes no reads for long.
            member = self._members.read_after(claims.id, (claims.iat + 1 + LEEWAY) * 1000)
        if member is None or member.disabled or member.generation != claims.generation:
            raise invalid_token()
        if not _has_session(member, claims):
            raise invalid_token()
        return member


def _has_session(member: Member, claims: TokenClaims) -> bool:
    """Return whether a member has the session of a token. Tokens of earlier versions belong to none."""
    return not claims.sid or find_session(member, claims.sid) is not None


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
    """For how long after sign-in tokens can be refreshed."""

    @property
    def validity(self) -> int:
        """The lifetime of a token in milliseconds."""
        return self.minutes * 60_000

    @property
    def sessions(self) -> SessionTerms:
        """How long sessions last."""
        return SessionTerms(self.hours * 3_600_000, self.validity)


class TokenIssuer:
    """Issues tokens on these terms, signed with the current key."""

    def __init__(self, keys: SigningKeyCache, ids: Ids, terms: TokenTerms) -> None:
        self._keys = keys
        self._ids = ids
        self._terms = terms

    def issue(self, member: Member, session: Session) -> IssuedToken:
        """Return the token of a session, which is valid from its last renewal on. Raises Unavailable."""
        now, seconds = session.renewed // 1000, self._terms.validity // 1000
        claims = TokenClaims(
            sub=member.username,
            id=member.id,
            username=member.username,
            iss=ISSUER,
            aud=self._terms.audience,
            iat=now,
            nbf=now,
            exp=now + seconds,
            jti=self._ids.new(),
            auth_time=session.since // 1000,
            generation=member.generation,
            sid=session.id,
        )
        return IssuedToken(sign_token(claims.payload(), self._keys.signing_key()), seconds)
