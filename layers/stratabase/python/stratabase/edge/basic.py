"""HTTP Basic authentication (RFC 7617)."""

import base64
from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated


class Basic:
    """Reads a username and a password, and lets `sign_in` say whose they are."""

    challenge = 'Basic realm="Stratabase", charset="UTF-8"'

    def __init__(self, sign_in: Callable[[str, str, str], Caller]) -> None:
        self._sign_in = sign_in

    def caller(self, credentials: str, address: str) -> Caller:
        """Return whose credentials these are, which come from an address.

        Raises Unauthenticated, TooManyFailures, Forbidden, Unavailable.
        """
        username, colon, password = _decoded(credentials).partition(":")
        if not colon:
            raise Unauthenticated("Basic credentials need a colon between the username and the password.")
        return self._sign_in(username, password, address)


def _decoded(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        raise Unauthenticated("Basic credentials must be the base64 of UTF-8 text.") from None
