"""How keys succeed one another: which one signs, and which may have signed a token that is still alive."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from stratabase.domain.objects.instant import Instant
from stratabase.domain.signing_key import SigningKey

PREPARATION = 120_000
"""Milliseconds before a new key begins to sign: every process has come to know it by then."""
GRACE = 900_000
"""Milliseconds for which a key is believed beyond its tokens' life: clocks differ, and a process that
cannot read the keys goes on with those that it knows."""


class State(Enum):
    """What a key is to new tokens, and to those that are there."""

    COMING = "signs later"
    SIGNING = "signs"
    RETIRED = "signs no more, but its tokens are good"
    OVER = "nothing that it signed is good any more"


class Turn(NamedTuple):
    """A key's part in the succession."""

    key: SigningKey
    state: State
    end: Instant | None
    """When nothing that it signed is good any more; None as long as no other key follows it."""


def turns(keys: Sequence[SigningKey], now: Instant, validity: int) -> list[Turn]:
    """Return the keys in their order, each with its part; a token lives for `validity` milliseconds.

    The first key signs before its time when there is no other.
    """
    ordered = sorted(keys, key=lambda key: (key.since, key.id))
    signing = max((number for number, key in enumerate(ordered) if key.since <= now), default=0)
    ends = [*(key.since + validity + GRACE for key in ordered[1:]), None]
    return [
        Turn(key, _state(number - signing, end, now), end)
        for number, (key, end) in enumerate(zip(ordered, ends, strict=False))
    ]


def signing(keys: Sequence[SigningKey], now: Instant) -> SigningKey | None:
    """Return the key that signs at a moment; None when there are no keys."""
    return next((turn.key for turn in turns(keys, now, 0) if turn.state is State.SIGNING), None)


def living(keys: Sequence[SigningKey], now: Instant, validity: int) -> Iterator[SigningKey]:
    """Yield the keys that are not over."""
    return (turn.key for turn in turns(keys, now, validity) if turn.state is not State.OVER)


def _state(place: int, end: Instant | None, now: Instant) -> State:
    """Return the state of a key that is so many places after the one that signs."""
    if place == 0:
        return State.SIGNING
    if place > 0:
        return State.COMING
    return State.OVER if end is not None and end <= now else State.RETIRED
