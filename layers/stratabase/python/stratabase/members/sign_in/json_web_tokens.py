"""JSON Web Tokens with HMAC-SHA-256: sign, verify, and check their claims."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
import pybase64

from stratabase.members.keys.key_rotation import SigningKey
from stratabase.values.frozen import frozen

if TYPE_CHECKING:
    from jwt import PyJWS

MAX_TOKEN_LENGTH = 8 * 1024
"""In characters. No gateway lets longer tokens through."""
_MAX_KEY_ID_LENGTH = 64
_ALGORITHM = "HS256"
_PATTERN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")
"""Three parts. The last is the base64url form of 32 bytes."""


class InvalidSignature(Exception):
    """The token is malformed, or no key of this service signed it."""


def sign_token(claims: Mapping[str, Any], key: SigningKey) -> str:
    """Return a signed token with these claims."""
    return _jws().encode(orjson.dumps(claims), key.secret, _ALGORITHM, {"kid": key.id})


def open_token(token: str, find_key: Callable[[str], SigningKey | None]) -> tuple[object, SigningKey]:
    """Return the payload of a token, and the key that signed it.

    `find_key` returns the key with an id, or None. It is called only with ids that have the form of one.
    Raises InvalidSignature.
    """
    if len(token) > MAX_TOKEN_LENGTH or not _PATTERN.fullmatch(token):
        raise InvalidSignature("it has not the form of a token")
    key = find_key(_key_id(token))
    if key is None:
        raise InvalidSignature("no such key is known")
    return _verify(token, key), key


def claimed_issuer(token: str) -> str | None:
    """Return the issuer that a token claims, None if it claims none. Nothing is verified."""
    if len(token) > MAX_TOKEN_LENGTH:
        return None
    payload = token.partition(".")[2].partition(".")[0]
    try:
        claims = orjson.loads(pybase64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return None
    issuer = claims.get("iss") if isinstance(claims, dict) else None
    return issuer if isinstance(issuer, str) else None


def _key_id(token: str) -> str:
    """Return the key id in a token's header. Raises InvalidSignature."""
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        header = _jws().get_unverified_header(token)
    except PyJWTError as error:
        raise InvalidSignature(str(error)) from error
    id_ = header.get("kid")
    # This service writes exactly this header. Any other algorithm or field means a forged token.
    if header != {"alg": _ALGORITHM, "typ": "JWT", "kid": id_}:
        raise InvalidSignature("its header is none of ours")
    if not isinstance(id_, str) or not 0 < len(id_) <= _MAX_KEY_ID_LENGTH:
        raise InvalidSignature("the id of its key can be none")
    return id_


def _verify(token: str, key: SigningKey) -> object:
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        return orjson.loads(_jws().decode(token, key.secret, [_ALGORITHM]))
    except (PyJWTError, ValueError) as error:
        raise InvalidSignature(str(error)) from error


@cache
def _jws() -> "PyJWS":
    # Imported at first use: a request with a password needs no token code, and starts faster without it.
    from jwt import PyJWS  # noqa: PLC0415 - see above

    return PyJWS(algorithms=[_ALGORITHM])


ISSUER = "stratabase"
LEEWAY = 10
"""Seconds by which the clock of the process that issued a token may be ahead."""
MAX_LIFETIME = 86_400
"""Seconds. No token lives longer, whatever the settings say."""
_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999."""


class InvalidClaims(Exception):
    """The claims are not those of a token of this service, or don't hold now."""


class Expired(InvalidClaims):
    """The token has expired."""


@frozen
class TokenClaims:
    """The claims of a token. Times are seconds since 1970.

    Raises InvalidClaims if the times contradict each other.
    """

    sub: str
    """The username when the token was issued, like `username`. A member who was renamed since can still
    use the token."""
    id: str
    username: str
    iss: str
    aud: str
    iat: int
    nbf: int
    exp: int
    jti: str
    auth_time: int
    generation: int
    sid: str = ""
    """The ID of the session. Earlier versions have issued tokens without it."""

    def __post_init__(self) -> None:
        if not self.auth_time <= self.iat + LEEWAY or not self.iat <= self.exp <= self.iat + MAX_LIFETIME:
            raise InvalidClaims("its instants contradict each other")

    def check(self, now: int) -> None:
        """Raise Expired or InvalidClaims if the token is not valid at a time in seconds since 1970."""
        if self.exp <= now:
            raise Expired("it has expired")
        if max(self.iat, self.nbf) > now + LEEWAY:
            raise InvalidClaims("it is not good yet")

    def payload(self) -> dict[str, Any]:
        """Return the claims by their names in a token."""
        return {_NAMES.get(name, name): value for name, value in asdict(self).items() if value != ""}


_NAMES = {"id": "__id", "generation": "__generation"}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: object) -> bool:
    # Not isinstance: in Python, a bool is an int.
    return type(value) is int and 0 <= value <= _MAX_TIMESTAMP


_CLAIM_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "sub": _is_text,
    "__id": _is_text,
    "username": _is_text,
    "iss": lambda value: value == ISSUER,
    "aud": _is_text,
    "iat": _is_number,
    "nbf": _is_number,
    "exp": _is_number,
    "jti": _is_text,
    "auth_time": _is_number,
    "__generation": _is_number,
    "sid": lambda value: value is None or _is_text(value),
}
"""By claim: whether a value is acceptable."""


def parse_claims(payload: object, audience: str) -> TokenClaims:
    """Return the claims in a token's payload, for the expected audience. Raises InvalidClaims."""
    if not isinstance(payload, dict):
        raise InvalidClaims("it holds no claims")
    invalid = [name for name, is_good in _CLAIM_CHECKS.items() if not is_good(payload.get(name))]
    if invalid:
        raise InvalidClaims(f"its claims {', '.join(invalid)} are missing or wrong")
    if payload["aud"] != audience:
        raise InvalidClaims("it is meant for somebody else")
    own = {name: payload.get(_NAMES.get(name, name)) for name in TokenClaims.__match_args__}
    return TokenClaims(**{name: value for name, value in own.items() if value is not None})
