"""A change without the unique values that are taken, so that it is seen what else is wrong with it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from stratabase.domain.change import Change, Creation, Effect, Restoration, Taken, Update
from stratabase.domain.entity import Reference


def without_taken(change: Change, refusal: Taken) -> Change:
    """Return a change that takes no values that are another object's."""
    cleared: dict[Reference, dict[str, None]] = defaultdict(dict)
    for reference, unique in refusal.taken:
        cleared[reference] |= dict.fromkeys(unique.attributes)
    effects = tuple(_with(effect, cleared) for effect in change.effects)
    return replace(change, effects=effects)


def _with(effect: Effect, cleared: Mapping[Reference, Mapping[str, None]]) -> Effect:
    if not isinstance(effect, Creation | Update | Restoration) or effect.after.reference not in cleared:
        return effect
    state = {**effect.after.state, **cleared[effect.after.reference]}
    return replace(effect, after=replace(effect.after, state=state))
