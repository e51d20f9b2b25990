"""Who comes in with a token."""

from stratabase.domain.member import Caller, Member
from stratabase.domain.refusal import Unauthenticated
from stratabase.operations import claims
from stratabase.operations.callers import Callers
from stratabase.operations.claims import BadClaims, Claims, Expired
from stratabase.operations.known_keys import KnownKeys
from stratabase.operations.known_members import KnownMembers
from stratabase.operations.ports import Clock
from stratabase.operations.seen_tokens import Seen, SeenTokens
from stratabase.operations.signature import BadSignature, opened


class Tokens:
    """Knows callers by their tokens; `audience` is for whom those must be.

    A token that was verified is not verified again as long as its key lives. What may change is looked at
    each time: the clock, the keys, and the member, who is known as KnownMembers promises.
    """

    def __init__(
        self, keys: KnownKeys, members: KnownMembers, callers: Callers, clock: Clock, audience: str
    ) -> None:
        self._keys = keys
        self._members = members
        self._callers = callers
        self._clock = clock
        self._audience = audience
        self._seen = SeenTokens()

    def caller(self, token: str) -> Caller:
        """Return whose token this is. Raises Unauthenticated, Forbidden, Unavailable."""
        try:
            said = self._claims(token)
        except Expired as error:
            raise Unauthenticated("The token has expired.") from error
        except (BadSignature, BadClaims) as error:
            raise _refused() from error
        return self._callers(self._member(said), said.auth_time * 1000)

    def _claims(self, token: str) -> Claims:
        seen = self._seen.find(token)
        try:
            if seen is None or self._keys.find(seen.key.id) != seen.key:
                seen = self._verified(token)
            seen.claims.check(self._clock.now() // 1000)
        except (BadSignature, BadClaims):
            self._seen.forget(token)
            raise
        return seen.claims

    def _verified(self, token: str) -> Seen:
        payload, key = opened(token, self._keys.find)
        seen = Seen(claims.read(payload, self._audience), key)
        self._seen.remember(token, seen)
        return seen

    def _member(self, said: Claims) -> Member:
        member = self._members(said.id)
        if member is not None and member.generation < said.generation:
            # The token is younger than what is known of the member.
            member = self._members.again(said.id)
        if member is None or member.disabled or member.generation != said.generation:
            raise _refused()
        return member


def _refused() -> Unauthenticated:
    """Return the one refusal for whatever is wrong with a token: forgers need no advice."""
    return Unauthenticated("The token is not valid.")
