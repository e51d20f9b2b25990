"""Read objects."""

from collections.abc import Sequence

from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.objects.identity import normalize_reference
from stratabase.domain.query.derived import derived_attributes
from stratabase.domain.query.matching import matcher
from stratabase.domain.query.order import sort_objects
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.model.model import Unique
from stratabase.operations.fetching.known import Known
from stratabase.operations.seeing.veil import seen_by, veil_of
from stratabase.operations.services import Services


def get(
    world: Services, reference: Reference, allowance: ReadBudget, circumstances: EvaluationContext
) -> Entity | None:
    """Return the object, None when there is none. Raises TooMuchRead."""
    source = seen_by(world.entities, world.model, allowance, circumstances)
    (entity,) = source.read([normalize_reference(reference)], allowance)
    return entity


def get_by(  # noqa: PLR0913, PLR0917 - what is looked for, and how much may be read
    world: Services,
    class_name: str,
    unique: Unique,
    values: State,
    allowance: ReadBudget,
    circumstances: EvaluationContext,
) -> Entity | None:
    """Return the object that has unique values, None when there is none. Raises TooMuchRead."""
    entity = world.entities.find_by_unique(class_name, unique, values, allowance)
    veil = veil_of(world.entities, world.model, allowance, circumstances)
    return entity if veil is None else veil.shown([entity])[0]


def page(world: Services, query: Query, allowance: ReadBudget, circumstances: EvaluationContext) -> Page:
    """Return a window on the objects of a class. Raises TooMuchRead."""
    return Known(world.entities, world.model, allowance, circumstances=circumstances).page(query)


def confirmed(
    world: Services, query: Query, found: Page, allowance: ReadBudget, circumstances: EvaluationContext
) -> Sequence[Entity]:
    """Return the objects of a page as they are by their keys, in the query's order. Raises TooMuchRead.

    Those that are there no more, or match no more, are left out.
    """
    if not found.items:
        return ()
    class_ = world.class_(query.class_name)
    source = seen_by(world.entities, world.model, allowance, circumstances)
    read = source.read([entity.reference for entity in found.items], allowance)
    there = [entity for entity in read if entity is not None]
    if names := derived_attributes(query, class_):
        known = Known(world.entities, world.model, allowance, circumstances=circumstances)
        there = known.derived(class_.name, there, names)
    if query.filter is not None:
        matches = matcher(query.filter, class_)
        there = [entity for entity in there if matches(entity.state)]
    return sort_objects(there, lambda entity: entity.state, query.order, class_)
