"""Signed tokens: JSON Web Tokens with HMAC-SHA-256, and the claims that they carry."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from stratabase.domain.members.key_rotation import SigningKey

if TYPE_CHECKING:
    from jwt import PyJWS

from dataclasses import asdict, dataclass

LONGEST_TOKEN = 8 * 1024
"""Characters of a token; no gateway lets through more."""
_LONGEST_ID = 64
_ALGORITHM = "HS256"
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")
"""Three parts; the last is the base64url of 32 bytes."""


class InvalidSignature(Exception):
    """What is no token of this service."""


def sign_token(claims: Mapping[str, Any], key: SigningKey) -> str:
    """Return a token that says these claims."""
    return _jws().encode(orjson.dumps(claims), key.secret, _ALGORITHM, {"kid": key.id})


def open_token(token: str, find: Callable[[str], SigningKey | None]) -> tuple[object, SigningKey]:
    """Return what a token says, and the key that signed it, which `find` finds by its id.

    Raises InvalidSignature; `find` is asked only about ids that could be some.
    """
    if len(token) > LONGEST_TOKEN or not _FORM.fullmatch(token):
        raise InvalidSignature("it has not the form of a token")
    key = find(_key_id(token))
    if key is None:
        raise InvalidSignature("no such key is known")
    return _verify(token, key), key


def _key_id(token: str) -> str:
    """Return the id of the key that a token claims to be signed with."""
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        header = _jws().get_unverified_header(token)
    except PyJWTError as error:
        raise InvalidSignature(str(error)) from error
    id_ = header.get("kid")
    # A header that says more, or something else, is none that this service writes.
    if header != {"alg": _ALGORITHM, "typ": "JWT", "kid": id_}:
        raise InvalidSignature("its header is none of ours")
    if not isinstance(id_, str) or not 0 < len(id_) <= _LONGEST_ID:
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
    # Imported at first use: a request with a password has no token, and need not pay for it.
    from jwt import PyJWS  # noqa: PLC0415 - see above

    return PyJWS(algorithms=[_ALGORITHM])


ISSUER = "stratabase"
LEEWAY = 10
"""Seconds by which the clock of the process that issued a token may be ahead."""
LONGEST_LIFE = 86_400
"""Seconds; no token lives longer, whatever was set."""
_LAST = 253_402_300_799
"""The last second of the year 9999."""


class InvalidClaims(Exception):
    """Claims that no token of this service has, or that do not hold now."""


class Expired(InvalidClaims):
    """The token's time is over."""


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims; instants are in seconds since 1970.

    Raises InvalidClaims when they contradict each other.
    """

    sub: str
    """The username when the token was issued, as `username`: who has been renamed meanwhile is let in."""
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

    def __post_init__(self) -> None:
        if not self.auth_time <= self.iat + LEEWAY or not self.iat <= self.exp <= self.iat + LONGEST_LIFE:
            raise InvalidClaims("its instants contradict each other")

    def check(self, now: int) -> None:
        """Raise InvalidClaims when the token is not good at a second: not yet, or (Expired) not any more."""
        if self.exp <= now:
            raise Expired("it has expired")
        if max(self.iat, self.nbf) > now + LEEWAY:
            raise InvalidClaims("it is not good yet")

    def written(self) -> dict[str, Any]:
        """Return the claims by their names in a token."""
        return {_NAMES.get(name, name): value for name, value in asdict(self).items()}


_NAMES = {"id": "__id", "generation": "__generation"}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: object) -> bool:
    # Not isinstance: true is no number here.
    return type(value) is int and 0 <= value <= _LAST


_KINDS: Mapping[str, Callable[[object], bool]] = {
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
}
"""Which values each claim may have."""


def parse_claims(payload: object, audience: str) -> TokenClaims:
    """Return the claims of a token that is meant for `audience`. Raises InvalidClaims."""
    if not isinstance(payload, dict):
        raise InvalidClaims("it holds no claims")
    bad = [name for name, is_good in _KINDS.items() if not is_good(payload.get(name))]
    if bad:
        raise InvalidClaims(f"its claims {', '.join(bad)} are missing or wrong")
    if payload["aud"] != audience:
        raise InvalidClaims("it is meant for somebody else")
    own = {name: payload[_NAMES.get(name, name)] for name in TokenClaims.__slots__}
    return TokenClaims(**own)
