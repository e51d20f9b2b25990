"""How much is written together: at most what every engine can do as one."""

from collections.abc import Sequence

from stratabase.domain.change import TooLarge
from stratabase.store.engine import MOST_ACTIONS, Action, Patch, Put

LARGEST_BATCH = 4 * 1024 * 1024
"""Bytes."""
_BESIDE_STATE = 1024
"""What an action may weigh at most, in bytes, without the state and the places."""


def fits(actions: Sequence[Action]) -> bool:
    """Return whether actions can be done together."""
    return len(actions) <= MOST_ACTIONS and _size(actions) <= LARGEST_BATCH


def check(actions: Sequence[Action]) -> None:
    """Raise TooLarge when actions cannot be done together."""
    if len(actions) > MOST_ACTIONS:
        raise TooLarge("objects, links and unique values in one write", len(actions), MOST_ACTIONS)
    size = _size(actions)
    if size > LARGEST_BATCH:
        raise TooLarge("bytes in one write", size, LARGEST_BATCH)


def _size(actions: Sequence[Action]) -> int:
    return sum(map(_weight, actions))


def _weight(action: Action) -> int:
    """Return what an action weighs at most, in bytes."""
    written = action.item if isinstance(action, Put) else action if isinstance(action, Patch) else None
    if written is None:
        return _BESIDE_STATE
    places = sum(len(place.sort.encode()) for place in written.places.values() if place is not None)
    return _BESIDE_STATE + places + len((written.state or "").encode())
