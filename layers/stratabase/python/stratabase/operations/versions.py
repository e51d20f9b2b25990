"""Read an object as it was at an instant."""

from collections.abc import Sequence

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.identity import normalize_reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.services import Services


def version(world: Services, reference: Reference, instant: Instant, allowance: ReadBudget) -> Entity | None:
    """Return the version of an instant, None where there was none. Raises TooMuchRead, Unavailable."""
    (entity,) = AsOf(world.entities, world.model, instant).read([normalize_reference(reference)], allowance)
    return entity


def meant(
    world: Services, reference: Reference, readings: Sequence[Instant], allowance: ReadBudget | None = None
) -> Instant:
    """Return which of the instants that a text may mean is meant, the earlier ones first.

    The first at which a version of the object begins or ends; the earliest, if none does. So what an answer
    tells of a version finds that version again, also in the hour that occurs twice. Raises TooMuchRead,
    Unavailable.
    """
    if len(readings) == 1:
        return readings[0]
    named = normalize_reference(reference)
    moments = [(named, instant) for reading in readings for instant in (reading - 1, reading)]
    found = world.entities.as_of(moments, allowance)
    edges = zip(readings, found[::2], found[1::2], strict=True)
    return next((reading for reading, before, at in edges if _start(before) != _start(at)), readings[0])


def _start(entity: Entity | None) -> Instant | None:
    return None if entity is None else entity.start
