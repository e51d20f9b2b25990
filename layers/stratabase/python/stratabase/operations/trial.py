"""A change that is done, or rehearsed, and what the store has against it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from stratabase.domain.change import Bereft, Broken, Change, Conflict, Held, NotBuilt, Taken, TooLarge
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.decision import Decision
from stratabase.domain.graph.explanation import explained, is_outdated
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.untaken import without_values
from stratabase.domain.issue import Issue
from stratabase.domain.refusal import TooMuchRead
from stratabase.domain.role_name import RoleName
from stratabase.operations.world import World
from stratabase.operations.write import still_holds

Act = Callable[[Change], None]
"""Does a change, or only finds out what the store has against it."""
Sees = Callable[[Sequence[Entity], RoleName], Sequence[bool]]
"""Tells of objects whether the caller sees them, and where a role of theirs leads. Raises TooMuchRead."""

MOST_NAMED = 10
"""Objects that are looked at, in order to name one that the caller sees."""


def tried(world: World, decision: Decision, change: Change, act: Act, sees: Sees) -> list[Issue]:
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
        return explained(decision, refusal, dict(_holders(world, decision.graph, refusal, sees)))
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


def _holders(world: World, graph: Graph, refusal: Broken, sees: Sees) -> Iterator[tuple[Bereft, Reference]]:
    """Yield, for what is deleted while others must lead to it, one of these that the caller may know of."""
    for breach in refusal.breaches:
        if isinstance(breach, Bereft) and graph.role(breach.role).holds and graph.shows(breach.reference):
            with suppress(TooMuchRead):
                yield from ((breach, each) for each in _holder(world, graph, breach, sees))


def _holder(world: World, graph: Graph, breach: Bereft, sees: Sees) -> Sequence[Reference]:
    """Return an object that leads to what is deleted, or nothing. Raises TooMuchRead."""
    access, (class_name, _) = graph.setting.access, breach.role
    is_open = access is None or access.leads(class_name, graph.role(breach.role))
    if not is_open or (access is not None and not access.reads_class(class_name)):
        return ()
    # Those that the request itself deletes, or leads elsewhere, are not in the way.
    ids = world.entities.referrers(breach.role, breach.reference.id, len(graph.nodes) + MOST_NAMED)
    found = [each for id_ in ids if (each := Reference(class_name, id_)) not in graph.nodes]
    if access is None:
        return found[:1]
    there = [entity for entity in world.entities.read(found[:MOST_NAMED]) if entity is not None]
    seen = zip(there, sees(there, breach.role), strict=True)
    return [entity.reference for entity, is_seen in seen if is_seen][:1]
