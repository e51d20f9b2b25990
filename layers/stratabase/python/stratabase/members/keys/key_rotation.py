"""The rotation of signing keys: which key signs now, which will, and which tokens are still valid."""

from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import Enum
from typing import NamedTuple

from stratabase.core.domain.objects.instant import Instant
from stratabase.values.frozen import frozen


@frozen
class SigningKey:
    """A secret of at least 32 random bytes. Tokens name its ID in their `kid`.

    It signs from the instant `since` until a newer key takes over. Until then, every process has read it.
    """

    id: str
    secret: bytes = field(repr=False)
    since: Instant


PREPARATION = 120_000
"""The milliseconds before a new key begins to sign, in which every process reads it."""
GRACE = 900_000
"""The milliseconds for which a key is accepted after the last of its tokens has expired.

Clocks differ, and a process that cannot read the keys continues with those that it knows.
"""


class KeyState(Enum):
    """Whether a key signs new tokens, and whether tokens that it signed are accepted."""

    COMING = "waiting"
    SIGNING = "signing"
    RETIRED = "retired, its tokens are valid"
    OVER = "expired"


class KeyPhase(NamedTuple):
    """A key, its state at an instant, and its end."""

    key: SigningKey
    state: KeyState
    end: Instant | None
    """The instant from which no token of the key is accepted; None as long as no key follows it."""


def key_phases(keys: Sequence[SigningKey], now: Instant, validity: int) -> list[KeyPhase]:
    """Return the phases of the keys at an instant, in the order in which the keys sign.

    A token is valid for `validity` milliseconds. A key that is alone signs at once, even before its `since`.
    """
    ordered = sorted(keys, key=lambda key: (key.since, key.id))
    signing = max((number for number, key in enumerate(ordered) if key.since <= now), default=0)
    ends = [*(key.since + validity + GRACE for key in ordered[1:]), None]
    return [
        KeyPhase(key, _state(number - signing, end, now), end)
        for number, (key, end) in enumerate(zip(ordered, ends, strict=False))
    ]


def find_signing_key(keys: Sequence[SigningKey], now: Instant) -> SigningKey | None:
    """Return the key that signs at an instant; None if there are no keys."""
    return next((phase.key for phase in key_phases(keys, now, 0) if phase.state is KeyState.SIGNING), None)


def live_keys(keys: Sequence[SigningKey], now: Instant, validity: int) -> Iterator[SigningKey]:
    """Yield the keys that sign, will sign, or signed tokens that are still accepted."""
    return (phase.key for phase in key_phases(keys, now, validity) if phase.state is not KeyState.OVER)


def _state(place: int, end: Instant | None, now: Instant) -> KeyState:
    """Return the state of a key by its place in the order of signing, counted from the key that signs."""
    if place == 0:
        return KeyState.SIGNING
    if place > 0:
        return KeyState.COMING
    return KeyState.OVER if end is not None and end <= now else KeyState.RETIRED
