"""The objects and attributes that a plan changes, for which warnings are asked."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.issues.issue import Subject
from stratabase.domain.objects.change import (
    Creation,
    Deletion,
    LinkMove,
    Modification,
    Restoration,
)
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.role_storage import opposite_name
from stratabase.domain.write.plan import WritePlan
from stratabase.model.dependencies import ClassMember


class AffectedObject(NamedTuple):
    """An object that there will be, with the place in the request that is to be blamed."""

    subject: Subject
    reference: Reference
    written: bool
    """It begins, or its own state changes; otherwise the request speaks of it, or others lead to it."""


def affected_objects(plan: WritePlan) -> list[AffectedObject]:
    """Return the objects, in the request's order; none that ends, and none where nothing changes."""
    if not plan.effects:
        return []
    request, written = plan.request, plan.index.objects
    found = {
        write.reference: AffectedObject(write.subject, write.reference, write.reference in written)
        for write in request.objects.values()
        if not write.is_deleted
    }
    for move in _moves(plan):
        reference = Reference(move.role.class_name, move.owner)
        if reference not in request.objects and reference not in found:
            found[reference] = _led_to(plan, move, reference)
    return list(found.values())


def changed_members(plan: WritePlan) -> frozenset[ClassMember]:
    """Return the attributes and roles of which some object has other values; deletions do not count."""
    values = (
        (reference.class_name, name)
        for reference, effect in _after(plan)
        for name, value in effect.after.state.items()
        if effect.before is None or effect.before.state.get(name) != value
    )
    roles = ((move.role.class_name, move.role.role_name) for move in _moves(plan))
    return frozenset(values).union(roles)


def _after(plan: WritePlan) -> Iterator[tuple[Reference, Creation | Modification | Restoration]]:
    """Yield the objects that there will be of those that are written, each with its effect."""
    for reference, effect in plan.index.objects.items():
        if not isinstance(effect, Deletion):
            yield reference, effect


def _moves(plan: WritePlan) -> Iterator[LinkMove]:
    """Yield what is led to more or no more, but for what ends by itself with the object that led to it."""
    for move in plan.index.moves:
        opposite = opposite_name(plan.request.role(move.role))
        if opposite is None or not plan.index.is_deleted(Reference(opposite.class_name, move.other)):
            yield move


def _led_to(plan: WritePlan, move: LinkMove, reference: Reference) -> AffectedObject:
    """Return an object that the request does not speak of; the one that leads to it, or did, is blamed."""
    request, opposite = plan.request, opposite_name(plan.request.role(move.role))
    assert opposite is not None, "an object whose role leads one way speaks for itself"
    requester = request.objects[Reference(opposite.class_name, move.other)]
    id_ = reference.id if request.may_identify(reference) else None
    subject = Subject(request.class_(reference.class_name), id_, path=requester.role_path(opposite.role_name))
    return AffectedObject(subject, reference, written=False)
