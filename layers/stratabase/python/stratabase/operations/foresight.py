"""What there is when something is decided, what there would be, and was: all of it, whoever may see it."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.change import OnObject, reference_of
from stratabase.domain.graph.decision import Decision
from stratabase.domain.instant import Instant
from stratabase.model.expressions import Circumstances
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.known import Known
from stratabase.operations.overlay import Overlay
from stratabase.operations.world import World


def as_it_is(world: World, decision: Decision, circumstances: Circumstances, allowance: Allowance) -> Known:
    """Return what is known of objects as they are: at first, all that was read for the decision."""
    known = Known(world.entities, world.model, allowance, circumstances=circumstances, bare=True)
    before = decision.graph.setting.snapshot.entities.values()
    known.add(entity for entity in before if entity is not None)
    return known


def as_it_was(
    world: World, decision: Decision, circumstances: Circumstances, allowance: Allowance, at: Instant
) -> Known:
    """Return what is known of objects as they were at an instant: at first, what was read of that."""
    source = AsOf(world.entities, world.model, at)
    known = Known(source, world.model, allowance, circumstances=circumstances, bare=True)
    versions = decision.graph.setting.snapshot.versions.items()
    known.add(version for (_, when), version in versions if version is not None and when == at)
    return known


def as_it_would_be(
    world: World, decision: Decision, circumstances: Circumstances, allowance: Allowance
) -> Known:
    """Return what is known of objects as they would be: at first, what was read of those that stay."""
    source = Overlay(world.entities, world.model, decision.effects)
    known = Known(source, world.model, allowance, circumstances=circumstances, bare=True)
    written = {reference_of(effect) for effect in decision.effects if isinstance(effect, OnObject)}
    before = decision.graph.setting.snapshot.entities.items()
    known.add(entity for reference, entity in before if entity is not None and reference not in written)
    return known
