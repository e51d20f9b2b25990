"""What an engine would find wrong with actions now, without doing them."""

from collections.abc import Sequence

from stratabase.store.engine import Action, Engine, Failure
from stratabase.store.expect import holds


def judged(engine: Engine, actions: Sequence[Action]) -> tuple[Failure, ...]:
    """Return the actions whose expectations do not hold, of any number."""
    found = engine.get([action.key for action in actions])
    return tuple(
        Failure(action, item)
        for action, item in zip(actions, found, strict=True)
        if not holds(action.expect, item)
    )
