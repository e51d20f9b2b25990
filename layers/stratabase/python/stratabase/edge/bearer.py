"""Tokens in the Authorization header (RFC 6750)."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.edge.refusals import Challenged

CHALLENGE = 'Bearer realm="Stratabase"'
REFUSED = f'{CHALLENGE}, error="invalid_token"'
"""What is said when a token was sent and is not good."""


class Bearer:
    """Lets `caller_of` say whose token it is."""

    challenge = CHALLENGE

    def __init__(self, caller_of: Callable[[str], Caller]) -> None:
        self._caller_of = caller_of

    def caller(self, credentials: str, _address: str) -> Caller:
        """Return whose token this is. Raises Challenged, Forbidden, Unavailable."""
        try:
            return self._caller_of(credentials)
        except Unauthenticated as refusal:
            raise Challenged(str(refusal), [REFUSED]) from refusal
