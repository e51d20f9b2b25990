"""The keys of tokens as a process knows them, so that a request need not read them each time."""

import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.objects.instant import Instant
from stratabase.domain.refusal import Unavailable
from stratabase.domain.signing_key import SigningKey
from stratabase.domain.succession import living, signing
from stratabase.operations.ports import Clock, Ids, Keyring
from stratabase.operations.single_flight import SingleFlight

FRESHNESS = 60_000
"""Milliseconds for which the keys are believed to be as read."""
EARLIEST = 3_000
"""Milliseconds that must have passed before a token with an unknown key has the keys read again."""
STALEST = 600_000
"""Milliseconds for which a process goes on with the keys that it knows while they cannot be read."""
_ALL = b"all"
"""What is read at one go."""


class _Known(NamedTuple):
    keys: Sequence[SigningKey]
    by_id: Mapping[str, SigningKey]
    """Those that may have signed a token that is still alive."""
    read: Instant
    tried: Instant


class KnownKeys:
    """The keys of a keyring, each change of which is known FRESHNESS later at most.

    `validity`: how many milliseconds a token lives.
    """

    def __init__(self, keyring: Keyring, clock: Clock, ids: Ids, validity: int) -> None:
        self._keyring = keyring
        self._clock = clock
        self._ids = ids
        self._validity = validity
        self._known: _Known | None = None
        self._reading: SingleFlight[_Known] = SingleFlight()

    def find(self, id_: str) -> SigningKey | None:
        """Return the key of that id, if what it signed may be alive. Raises Unavailable."""
        found = self._read_within(FRESHNESS).by_id.get(id_)
        return found or self._read_within(EARLIEST).by_id.get(id_)

    def signing(self) -> SigningKey:
        """Return the key that signs now; the very first one is made when it is needed. Raises Unavailable."""
        key = signing(self._read_within(FRESHNESS).keys, self._clock.now())
        return key or self._first()

    def _first(self) -> SigningKey:
        first = new_key(self._ids, self._clock.now())
        self._keyring.change(lambda keys: keys or (first,))
        # Read alone: a reading that was under way before may tell of no key.
        self._known = None
        key = signing(self._read().keys, self._clock.now())
        if key is None:
            raise Unavailable("The keys of tokens are just being changed; try again.")
        return key

    def _read_within(self, limit: int) -> _Known:
        known = self._known
        # A clock that was put back makes nothing younger: what seems to come from the future is over.
        if known is not None and 0 <= self._clock.now() - known.tried < limit:
            return known
        return self._reading(_ALL, self._read)

    def _read(self) -> _Known:
        now, known = self._clock.now(), self._known
        try:
            keys = self._keyring.keys()
        except Unavailable:
            if known is None or not 0 <= now - known.read < STALEST:
                raise
            self._known = known._replace(tried=now)
        else:
            by_id = {key.id: key for key in living(keys, now, self._validity)}
            self._known = _Known(keys, by_id, now, now)
        return self._known


def new_key(ids: Ids, since: Instant) -> SigningKey:
    """Return a key that nobody can guess."""
    return SigningKey(ids.new(), secrets.token_bytes(32), since)
