"""Tokens that a process has lately found to be good, so that it need not verify them each time."""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

from stratabase.domain.signing_key import SigningKey
from stratabase.operations.claims import Claims

MOST_SEEN = 5_000


class Seen(NamedTuple):
    """What a token says, and the key that has signed it."""

    claims: Claims
    key: SigningKey


class SeenTokens:
    """The tokens seen last, by their hashes: the tokens themselves are not kept."""

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, Seen] = OrderedDict()
        self._lock = Lock()

    def find(self, token: str) -> Seen | None:
        """Return what a token says, if it was seen."""
        fingerprint = _fingerprint(token)
        with self._lock:
            seen = self._seen.get(fingerprint)
            if seen is not None:
                self._seen.move_to_end(fingerprint)
        return seen

    def remember(self, token: str, seen: Seen) -> None:
        """Remember a token that is good."""
        with self._lock:
            self._seen[_fingerprint(token)] = seen
            if len(self._seen) > MOST_SEEN:
                self._seen.popitem(last=False)

    def forget(self, token: str) -> None:
        """Forget a token that is good no more."""
        with self._lock:
            self._seen.pop(_fingerprint(token), None)


def _fingerprint(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass")).digest()
