"""Readers of the state before a write, after it, and at an instant: all of it, whoever may see it."""

from stratabase.domain.objects.change import ObjectEffect, reference_of
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.write.plan import WritePlan
from stratabase.model.expressions import Circumstances
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.known import Known
from stratabase.operations.overlay import Overlay
from stratabase.operations.services import Services


def present_state(
    world: Services, plan: WritePlan, circumstances: Circumstances, allowance: ReadBudget
) -> Known:
    """Return what is known of objects as they are: at first, all that was read for the plan."""
    known = Known(world.entities, world.model, allowance, circumstances=circumstances, bare=True)
    before = plan.request.context.snapshot.entities.values()
    known.add(entity for entity in before if entity is not None)
    return known


def former_state(
    world: Services, plan: WritePlan, circumstances: Circumstances, allowance: ReadBudget, at: Instant
) -> Known:
    """Return what is known of objects as they were at an instant: at first, what was read of that."""
    source = AsOf(world.entities, world.model, at)
    known = Known(source, world.model, allowance, circumstances=circumstances, bare=True)
    versions = plan.request.context.snapshot.versions.items()
    known.add(version for (_, when), version in versions if version is not None and when == at)
    return known


def projected_state(
    world: Services, plan: WritePlan, circumstances: Circumstances, allowance: ReadBudget
) -> Known:
    """Return what is known of objects as they would be: at first, what was read of those that stay."""
    source = Overlay(world.entities, world.model, plan.effects)
    known = Known(source, world.model, allowance, circumstances=circumstances, bare=True)
    written = {reference_of(effect) for effect in plan.effects if isinstance(effect, ObjectEffect)}
    before = plan.request.context.snapshot.entities.items()
    known.add(entity for reference, entity in before if entity is not None and reference not in written)
    return known
