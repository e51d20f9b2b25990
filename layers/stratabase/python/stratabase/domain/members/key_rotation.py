"""Signing keys, and which of them signs, will sign, or may have signed a token that is still valid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from stratabase.domain.objects.instant import Instant


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A secret of 32 random bytes or more, under the id that tokens name in their `kid`.

    It signs from `since` on, until a younger one does; until then every process has come to know it.
    """

    id: str
    secret: bytes = field(repr=False)
    since: Instant


PREPARATION = 120_000
"""Milliseconds before a new key begins to sign: every process has come to know it by then."""
GRACE = 900_000
"""Milliseconds for which a key is believed beyond its tokens' life: clocks differ, and a process that
cannot read the keys goes on with those that it knows."""


class KeyState(Enum):
    """What a key is to new tokens, and to those that are there."""

    COMING = "waiting"
    SIGNING = "signing"
    RETIRED = "retired, its tokens are valid"
    OVER = "expired"


class KeyPhase(NamedTuple):
    """A key, its state at a moment, and when it ends."""

    key: SigningKey
    state: KeyState
    end: Instant | None
    """When nothing that it signed is good any more; None as long as no other key follows it."""


def key_phases(keys: Sequence[SigningKey], now: Instant, validity: int) -> list[KeyPhase]:
    """Return the phases of the keys, in the order of signing; a token lives for `validity` milliseconds.

    The first key signs before its time when there is no other.
    """
    ordered = sorted(keys, key=lambda key: (key.since, key.id))
    signing = max((number for number, key in enumerate(ordered) if key.since <= now), default=0)
    ends = [*(key.since + validity + GRACE for key in ordered[1:]), None]
    return [
        KeyPhase(key, _state(number - signing, end, now), end)
        for number, (key, end) in enumerate(zip(ordered, ends, strict=False))
    ]


def find_signing_key(keys: Sequence[SigningKey], now: Instant) -> SigningKey | None:
    """Return the key that signs at a moment; None when there are no keys."""
    return next((turn.key for turn in key_phases(keys, now, 0) if turn.state is KeyState.SIGNING), None)


def live_keys(keys: Sequence[SigningKey], now: Instant, validity: int) -> Iterator[SigningKey]:
    """Yield the keys that are not over."""
    return (turn.key for turn in key_phases(keys, now, validity) if turn.state is not KeyState.OVER)


def _state(place: int, end: Instant | None, now: Instant) -> KeyState:
    """Return the state of a key that is so many places after the one that signs."""
    if place == 0:
        return KeyState.SIGNING
    if place > 0:
        return KeyState.COMING
    return KeyState.OVER if end is not None and end <= now else KeyState.RETIRED
