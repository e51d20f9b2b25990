"""Tokens that a process has lately found to be good, so that it need not verify them each time."""

from hashlib import blake2b
from typing import NamedTuple

from stratabase.domain.signing_key import SigningKey
from stratabase.operations.claims import Claims
from stratabase.operations.recent import Recent

MOST_SEEN = 5_000


class Seen(NamedTuple):
    """What a token says, and the key that has signed it."""

    claims: Claims
    key: SigningKey


class SeenTokens:
    """The tokens that were verified last, by their hashes: the tokens themselves are not kept."""

    def __init__(self) -> None:
        self._seen: Recent[bytes, Seen] = Recent(MOST_SEEN)

    def find(self, token: str) -> Seen | None:
        """Return what a token says, if it was seen."""
        return self._seen.get(_fingerprint(token))

    def remember(self, token: str, seen: Seen) -> None:
        """Remember a token that is good."""
        self._seen.put(_fingerprint(token), seen)

    def forget(self, token: str) -> None:
        """Forget a token that is good no more."""
        self._seen.forget(_fingerprint(token))


def _fingerprint(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass")).digest()
