"""What a token says of its bearer and of itself: every claim is needed, and each is checked."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

ISSUER = "stratabase"
LEEWAY = 10
"""Seconds by which the clock of the process that issued a token may be ahead."""
LONGEST_LIFE = 86_400
"""Seconds; no token lives longer, whatever was set."""
_LAST = 253_402_300_799
"""The last second of the year 9999."""


class BadClaims(Exception):
    """Claims that no token of this service has, or that do not hold now."""


class Expired(BadClaims):
    """The token's time is over."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims; instants are in seconds since 1970. Raises BadClaims when they contradict each other."""

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
            raise BadClaims("its instants contradict each other")

    def check(self, now: int) -> None:
        """Raise BadClaims when the token is not good at a second: not yet, or (Expired) not any more."""
        if self.exp <= now:
            raise Expired("it has expired")
        if max(self.iat, self.nbf) > now + LEEWAY:
            raise BadClaims("it is not good yet")

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


def read(payload: object, audience: str) -> Claims:
    """Return the claims of a token that is meant for `audience`. Raises BadClaims."""
    if not isinstance(payload, dict):
        raise BadClaims("it holds no claims")
    bad = [name for name, is_good in _KINDS.items() if not is_good(payload.get(name))]
    if bad:
        raise BadClaims(f"its claims {', '.join(bad)} are missing or wrong")
    if payload["aud"] != audience:
        raise BadClaims("it is meant for somebody else")
    own = {name: payload[_NAMES.get(name, name)] for name in Claims.__slots__}
    return Claims(**own)
