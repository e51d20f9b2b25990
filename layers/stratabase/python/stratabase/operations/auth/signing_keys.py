"""The signing keys of a keyring: a cache of them for each process, and their rotation."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.key_rotation import PREPARATION, SigningKey, find_signing_key, live_keys
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.operations.auth.cache import SingleFlight
from stratabase.operations.ports import Clock, Ids, Keyring

KEY_FRESHNESS = 60_000
"""Milliseconds for which the keys are believed to be as read."""
MIN_REREAD_INTERVAL = 3_000
"""Milliseconds that must have passed before a token with an unknown key has the keys read again."""
MAX_STALENESS = 600_000
"""Milliseconds for which a process goes on with the keys that it knows while they cannot be read."""
_ALL = b"all"
"""What is read at one go."""


class _Known(NamedTuple):
    keys: Sequence[SigningKey]
    by_id: Mapping[str, SigningKey]
    """Those that may have signed a token that is still alive."""
    read: Instant
    tried: Instant


class SigningKeyCache:
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
        found = self._read_within(KEY_FRESHNESS).by_id.get(id_)
        return found or self._read_within(MIN_REREAD_INTERVAL).by_id.get(id_)

    def signing(self) -> SigningKey:
        """Return the key that signs now; the very first one is made when it is needed. Raises Unavailable."""
        key = find_signing_key(self._read_within(KEY_FRESHNESS).keys, self._clock.now())
        return key or self._first()

    def _first(self) -> SigningKey:
        first = new_key(self._ids, self._clock.now())
        self._keyring.change(lambda keys: keys or (first,))
        # Read alone: a reading that was under way before may tell of no key.
        self._known = None
        key = find_signing_key(self._read().keys, self._clock.now())
        if key is None:
            raise Unavailable(_("The token signing keys are being changed. Try again."))
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
            if known is None or not 0 <= now - known.read < MAX_STALENESS:
                raise
            self._known = known._replace(tried=now)
        else:
            by_id = {key.id: key for key in live_keys(keys, now, self._validity)}
            self._known = _Known(keys, by_id, now, now)
        return self._known


def new_key(ids: Ids, since: Instant) -> SigningKey:
    """Return a key that nobody can guess."""
    return SigningKey(ids.new(), secrets.token_bytes(32), since)


@dataclass(frozen=True, slots=True)
class KeyRotation:
    """What came of a rotation."""

    key: SigningKey
    """The one that signs from now on, or from its time on."""
    made: bool
    """Whether it was made just now; not when one was on its way already."""
    dropped: tuple[str, ...]
    """The ids of the keys that went."""


class RotateKeys:
    """Rotates the keys of a keyring; a token lives for `validity` milliseconds."""

    def __init__(self, keyring: Keyring, clock: Clock, ids: Ids, validity: int) -> None:
        self._keyring = keyring
        self._clock = clock
        self._ids = ids
        self._validity = validity

    def __call__(self, *, at_once: bool = False) -> KeyRotation:
        """Have a new key sign as soon as every process knows it; no live token ends.

        Two that rotate at the same time, or one that does so twice, make one key. With `at_once`, for keys
        that were stolen: all other keys go, and with them every token. Raises Unavailable.
        """
        new = new_key(self._ids, self._clock.now())
        before: Sequence[SigningKey] = ()
        after: Sequence[SigningKey] = ()

        def changed(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
            nonlocal before, after
            before, after = keys, (new,) if at_once else self._followed(keys, new)
            return after

        self._keyring.change(changed)
        left = {key.id for key in after}
        dropped = tuple(key.id for key in before if key.id not in left)
        return KeyRotation(after[-1], after[-1].id == new.id, dropped)

    def _followed(self, keys: Sequence[SigningKey], new: SigningKey) -> Sequence[SigningKey]:
        """Return the keys that are left with the new one, which signs last of all."""
        kept = tuple(live_keys(keys, new.since, self._validity))
        if not kept:
            return (new,)
        if kept[-1].since > new.since:
            return kept
        return (*kept, replace(new, since=new.since + PREPARATION))
