"""A change that is done, or rehearsed, and what the store has against it."""

from collections.abc import Callable

from stratabase.domain.change import Broken, Change, Conflict, Held, NotBuilt, Taken, TooLarge
from stratabase.domain.graph.decision import Decision
from stratabase.domain.graph.explanation import explained, is_outdated
from stratabase.domain.graph.untaken import without_values
from stratabase.domain.issue import Issue
from stratabase.operations.world import World
from stratabase.operations.write import still_holds

Act = Callable[[Change], None]
"""Does a change, or only finds out what the store has against it."""


def tried(world: World, decision: Decision, change: Change, act: Act) -> list[Issue]:
    """Return why the store refuses a change. Raises Conflict when the decision is to be made again."""
    try:
        act(change)
    except Held as refusal:
        if not still_holds(world.clock, refusal):
            raise Conflict from None
        return explained(decision, refusal)
    except Broken as refusal:
        if is_outdated(decision, refusal):
            raise Conflict from None
        return explained(decision, refusal)
    except TooLarge as refusal:
        return explained(decision, refusal)
    except Taken as refusal:
        rest = without_values(change, refusal.taken)
        return [*explained(decision, refusal), *_beside(world, decision, rest)]
    except NotBuilt as refusal:
        rest = without_values(change, refusal.unbuilt)
        return [*explained(decision, refusal), *_beside(world, decision, rest)]
    return []


def _beside(world: World, decision: Decision, rest: Change) -> list[Issue]:
    """Return what the store has against a change without the values that it refused."""
    try:
        world.entities.rehearse(rest)
    except (Held, Broken, TooLarge) as refusal:
        return explained(decision, refusal)
    except (Taken, NotBuilt, Conflict):
        pass
    return []
