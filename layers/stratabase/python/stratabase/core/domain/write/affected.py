"""The objects and attributes that a plan changes, for which the model's warnings are evaluated."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Subject
from stratabase.core.domain.objects.change import (
    Creation,
    Deletion,
    LinkMove,
    Modification,
    Restoration,
)
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.role_storage import opposite_name
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.model.dependencies import ClassField


class AffectedObject(NamedTuple):
    """An object that exists after the write, with the place in the request where a warning is reported."""

    subject: Subject
    reference: Reference
    written: bool
    """Whether the object is created or its own state changes; otherwise only its associations may change."""


def affected_objects(plan: WritePlan) -> list[AffectedObject]:
    """Return the affected objects in the order of the request, without deleted ones.

    The result is empty if the write has no effects.
    """
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


def changed_fields(plan: WritePlan) -> frozenset[ClassField]:
    """Return the attributes and roles that change in some object. Deletions do not count."""
    values = (
        (reference.class_name, name)
        for reference, effect in _after(plan)
        for name, value in effect.after.state.items()
        if effect.before is None or effect.before.state.get(name) != value
    )
    roles = ((move.role.class_name, move.role.role_name) for move in _moves(plan))
    return frozenset(values).union(roles)


def _after(plan: WritePlan) -> Iterator[tuple[Reference, Creation | Modification | Restoration]]:
    """Yield the written objects that exist after the write, each with its effect."""
    for reference, effect in plan.index.objects.items():
        if not isinstance(effect, Deletion):
            yield reference, effect


def _moves(plan: WritePlan) -> Iterator[LinkMove]:
    """Yield the associations that begin or end, except those that end because the other object is deleted."""
    for move in plan.index.moves:
        opposite = opposite_name(plan.request.role(move.role))
        if opposite is None or not plan.index.is_deleted(Reference(opposite.class_name, move.other)):
            yield move


def _led_to(plan: WritePlan, move: LinkMove, reference: Reference) -> AffectedObject:
    """Return an object that is not in the request, at the place of the object that leads or led to it."""
    request, opposite = plan.request, opposite_name(plan.request.role(move.role))
    assert opposite is not None, "an object whose role leads one way speaks for itself"
    requester = request.objects[Reference(opposite.class_name, move.other)]
    id_ = reference.id if request.may_identify(reference) else None
    subject = Subject(request.class_(reference.class_name), id_, path=requester.role_path(opposite.role_name))
    return AffectedObject(subject, reference, written=False)
