"""How much is written together: at most what every engine can do as one."""

from collections import Counter
from collections.abc import Sequence

from stratabase.domain.objects.commit_refusals import SizeCause, TooLarge
from stratabase.store import keys
from stratabase.store.engine.port import MAX_ACTIONS, Action, Patch, Put

LARGEST_BATCH = 4 * 1024 * 1024
"""Bytes."""
_MOST_OF_A_LINK = 6
"""Actions that come with a link: its two ends, what counts it, and of a key what it led to before."""
_BESIDE_STATE = 1024
"""What an action may weigh at most, in bytes, without the state and the places."""


def fits(actions: Sequence[Action]) -> bool:
    """Return whether actions can be done together."""
    return len(actions) <= MAX_ACTIONS and _size(actions) <= LARGEST_BATCH


def check(actions: Sequence[Action], *, at_least: bool = False) -> None:
    """Raise TooLarge when actions cannot be done together. `at_least`: there may be more of them."""
    number = len(actions)
    if number > MAX_ACTIONS:
        what, cause = "objects, links and unique values in one write", _cause(actions)
        raise TooLarge(what, number, MAX_ACTIONS, at_least=at_least, cause=cause)
    size = _size(actions)
    if size > LARGEST_BATCH:
        raise TooLarge("bytes in one write", size, LARGEST_BATCH)


def _cause(actions: Sequence[Action]) -> SizeCause | None:
    """Return the role of one object that most actions are for, if there is one."""
    ends = Counter(end for action in actions if (end := keys.end_of(action.key)))
    for (_, role), number in ends.most_common(1):
        each = -(-(len(actions) - 1) // number)
        if each <= _MOST_OF_A_LINK:
            return SizeCause(role, (MAX_ACTIONS - 1) // each)
    return None


def _size(actions: Sequence[Action]) -> int:
    return sum(map(_weight, actions))


def _weight(action: Action) -> int:
    """Return what an action weighs at most, in bytes."""
    written = action.item if isinstance(action, Put) else action if isinstance(action, Patch) else None
    if written is None:
        return _BESIDE_STATE
    places = sum(len(place.sort.encode()) for place in written.places.values() if place is not None)
    return _BESIDE_STATE + places + len((written.state or "").encode())
