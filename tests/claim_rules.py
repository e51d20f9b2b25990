"""The rules of claims, for the in-memory store and as a reference: which are refused, and what they leave."""

from dataclasses import replace

from stratabase.core.domain.objects.change import Change, Restoration, Tombstone, reference_of
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import SINGLETON_ID, Entity, Reference
from tests.role_rules import Graph


def refuse_claimed(graph: Graph, change: Change) -> None:
    """Raise Conflict if an object that a change claims was claimed, deleted or restored since it was read."""
    restored = {reference_of(each) for each in change.effects if isinstance(each, Restoration)}
    for each in change.claims:
        if each.reference not in restored and _found(graph, each) != (type(each), each.claimed):
            raise Conflict


def _found(graph: Graph, claimed: Entity | Tombstone) -> tuple[type, str | None] | None:
    there = graph.objects.get(claimed.reference) or graph.past.gone.get(claimed.reference)
    if there is None and claimed.reference.id == SINGLETON_ID:  # it exists before it is written
        return Entity, None
    return None if there is None else (type(there), there.claimed)


def claim(graph: Graph, change: Change) -> None:
    """Stamp the objects that a change claims in the graph that it leaves."""
    for each in change.claims:
        stamp(graph, each.reference, change.commit_id)


def stamp(graph: Graph, reference: Reference, commit_id: str) -> None:
    """Stamp an object, or the tombstone of a deleted one."""
    if entity := graph.objects.get(reference):
        graph.objects[reference] = replace(entity, claimed=commit_id)
    elif tombstone := graph.past.gone.get(reference):
        graph.past.gone[reference] = tombstone._replace(claimed=commit_id)
