"""The objects for which something changes by what is decided, and what changes."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.change import Creation, Deletion, Restoration, Update, reference_of
from stratabase.domain.entity import Reference
from stratabase.domain.graph.decision import Decision
from stratabase.domain.link_moves import Move, moves
from stratabase.domain.subject import Subject
from stratabase.domain.way import opposite_name
from stratabase.model.expressions.dependencies import Member


class Affected(NamedTuple):
    """An object that there will be, with the place in the request that is to be blamed."""

    subject: Subject
    reference: Reference
    written: bool
    """It begins, or its own state changes; otherwise the request speaks of it, or others lead to it."""


def affected(decision: Decision) -> list[Affected]:
    """Return the objects, in the request's order; none that ends, and none where nothing changes."""
    graph = decision.graph
    written = {reference_of(effect) for effect in _on_objects(decision)}
    found = {
        node.reference: Affected(node.subject, node.reference, node.reference in written)
        for node in graph.nodes.values()
        if not node.ended and decision.effects
    }
    for move in _moves(decision):
        reference = Reference(move.role.class_name, move.owner)
        if reference not in graph.nodes and reference not in found:
            found[reference] = _led_to(decision, move, reference)
    return list(found.values())


def changed(decision: Decision) -> frozenset[Member]:
    """Return the attributes and roles of which some object has other values; deletions do not count."""
    values = (
        (reference_of(effect).class_name, name)
        for effect in _on_objects(decision)
        for name, value in effect.after.state.items()
        if effect.before is None or effect.before.state.get(name) != value
    )
    roles = ((move.role.class_name, move.role.role_name) for move in _moves(decision))
    return frozenset(values).union(roles)


def _on_objects(decision: Decision) -> Iterator[Creation | Update | Restoration]:
    return (effect for effect in decision.effects if isinstance(effect, Creation | Update | Restoration))


def _moves(decision: Decision) -> Iterator[Move]:
    model = decision.graph.setting.model
    for effect in decision.effects:
        if not isinstance(effect, Deletion):
            yield from moves(effect, model)


def _led_to(decision: Decision, move: Move, reference: Reference) -> Affected:
    """Return an object that the request does not speak of; the one that leads to it, or did, is blamed."""
    graph, opposite = decision.graph, opposite_name(decision.graph.role(move.role))
    assert opposite is not None, "an object whose role leads one way speaks for itself"
    asker = graph.nodes[Reference(opposite.class_name, move.other)]
    id_ = reference.id if graph.shows(reference) else None
    subject = Subject(graph.class_(reference.class_name), id_, path=asker.place(opposite.role_name))
    return Affected(subject, reference, written=False)
