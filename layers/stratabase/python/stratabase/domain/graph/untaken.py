"""A change without the unique values that were refused, so that it is seen what else is wrong with it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stratabase.domain.change import Change, Creation, Effect, Restoration, Update
from stratabase.domain.entity import Reference
from stratabase.model.class_ import Unique


def without_values(change: Change, refused: Sequence[tuple[Reference, Unique]]) -> Change:
    """Return a change without the values of some objects' uniqueness constraints."""
    cleared: dict[Reference, dict[str, None]] = defaultdict(dict)
    for reference, unique in refused:
        cleared[reference] |= dict.fromkeys(unique.attributes)
    effects = tuple(_with(effect, cleared) for effect in change.effects)
    return replace(change, effects=effects)


def _with(effect: Effect, cleared: Mapping[Reference, Mapping[str, None]]) -> Effect:
    if not isinstance(effect, Creation | Update | Restoration) or effect.after.reference not in cleared:
        return effect
    state = {**effect.after.state, **cleared[effect.after.reference]}
    return replace(effect, after=replace(effect.after, state=state))
