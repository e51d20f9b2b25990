"""The keys that sign tokens: a cache of them in each process, and their rotation."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.keys.key_rotation import PREPARATION, SigningKey, find_signing_key, live_keys
from stratabase.members.ports import Keyring
from stratabase.members.sign_in.cache import SingleFlight
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

KEY_FRESHNESS = 60_000
"""Milliseconds for which cached keys count as current."""
MIN_REREAD_INTERVAL = 3_000
"""Milliseconds between two reads of the keys that tokens with unknown keys can cause."""
MAX_STALENESS = 600_000
"""Milliseconds for which a process goes on with its cached keys while the keyring cannot be read."""
_ALL = b"all"
"""The key for `SingleFlight`: all signing keys are read together."""


class _CachedKeys(NamedTuple):
    keys: Sequence[SigningKey]
    by_id: Mapping[str, SigningKey]
    """The keys that may have signed a token that is still valid."""
    read: Instant
    tried: Instant


class SigningKeyCache:
    """The keys of a keyring. This process sees a change at most KEY_FRESHNESS later.

    `validity` is the lifetime of a token in milliseconds.
    """

    def __init__(self, keyring: Keyring, clock: Clock, ids: Ids, validity: int) -> None:
        self._keyring = keyring
        self._clock = clock
        self._ids = ids
        self._validity = validity
        self._cached: _CachedKeys | None = None
        self._single_flight: SingleFlight[_CachedKeys] = SingleFlight()

    def find(self, id_: str) -> SigningKey | None:
        """Return the key with an id if tokens that it signed may still be valid, else None.

        Raises Unavailable.
        """
        key = self._read_within(KEY_FRESHNESS).by_id.get(id_)
        # Another process may have created the key since the last read.
        return key or self._read_within(MIN_REREAD_INTERVAL).by_id.get(id_)

    def signing_key(self) -> SigningKey:
        """Return the key that signs now. Create it if the keyring has none. Raises Unavailable."""
        key = find_signing_key(self._read_within(KEY_FRESHNESS).keys, self._clock.now())
        return key or self._create_first()

    def _create_first(self) -> SigningKey:
        first = new_key(self._ids, self._clock.now())
        self._keyring.change(lambda keys: keys or (first,))
        # Don't share a read that began before the change: it may not have the key.
        self._cached = None
        key = find_signing_key(self._read().keys, self._clock.now())
        if key is None:
            raise Unavailable(_("The token signing keys are being changed. Try again."))
        return key

    def _read_within(self, limit: int) -> _CachedKeys:
        cached = self._cached
        # If the clock was set back, keys from the future count as expired.
        if cached is not None and 0 <= self._clock.now() - cached.tried < limit:
            return cached
        return self._single_flight(_ALL, self._read)

    def _read(self) -> _CachedKeys:
        now, cached = self._clock.now(), self._cached
        try:
            keys = self._keyring.keys()
        except Unavailable:
            if cached is None or not 0 <= now - cached.read < MAX_STALENESS:
                raise
            self._cached = cached._replace(tried=now)
        else:
            by_id = {key.id: key for key in live_keys(keys, now, self._validity)}
            self._cached = _CachedKeys(keys, by_id, now, now)
        return self._cached


def new_key(ids: Ids, since: Instant) -> SigningKey:
    """Return a new random key that signs from an instant on."""
    return SigningKey(ids.new(), secrets.token_bytes(32), since)


@frozen
class KeyRotation:
    """The result of a rotation."""

    key: SigningKey
    """The key that signs from now on, or from its start time."""
    created: bool
    """Whether this rotation created the key. If not, an earlier rotation had already prepared it."""
    dropped: tuple[str, ...]
    """The ids of the keys that were removed."""


class RotateKeys:
    """Rotates the keys of a keyring. `validity` is the lifetime of a token in milliseconds."""

    def __init__(self, keyring: Keyring, clock: Clock, ids: Ids, validity: int) -> None:
        self._keyring = keyring
        self._clock = clock
        self._ids = ids
        self._validity = validity

    def __call__(self, *, at_once: bool = False) -> KeyRotation:
        """Let a new key sign as soon as every process knows it. All valid tokens stay valid.

        Concurrent or repeated rotations create only one key. `at_once` is for stolen keys: it removes all
        other keys, and so ends all tokens. Raises Unavailable.
        """
        new = new_key(self._ids, self._clock.now())
        before: Sequence[SigningKey] = ()
        after: Sequence[SigningKey] = ()

        def rotate(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
            nonlocal before, after
            before, after = keys, (new,) if at_once else self._with_successor(keys, new)
            return after

        self._keyring.change(rotate)
        remaining_ids = {key.id for key in after}
        dropped = tuple(key.id for key in before if key.id not in remaining_ids)
        return KeyRotation(after[-1], after[-1].id == new.id, dropped)

    def _with_successor(self, keys: Sequence[SigningKey], new: SigningKey) -> Sequence[SigningKey]:
        """Return the keys that are still needed, followed by the key that signs last."""
        kept = tuple(live_keys(keys, new.since, self._validity))
        if not kept:
            return (new,)
        # An earlier rotation has prepared a key already.
        if kept[-1].since > new.since:
            return kept
        # The present key goes on signing until every process has read the new one.
        return (*kept, replace(new, since=new.since + PREPARATION))
