"""Read objects."""

from collections.abc import Sequence

from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.matching import matcher
from stratabase.domain.ordering import ordered
from stratabase.domain.page import Page, Query
from stratabase.model.class_ import Unique
from stratabase.operations.world import World


def get(world: World, reference: Reference, allowance: Allowance) -> Entity | None:
    """Return the object, None when there is none. Raises TooMuchRead."""
    (entity,) = world.entities.read([reference], allowance)
    return entity


def get_by(
    world: World, class_name: str, unique: Unique, values: State, allowance: Allowance
) -> Entity | None:
    """Return the object that has unique values, None when there is none. Raises TooMuchRead."""
    return world.entities.holding(class_name, unique, values, allowance)


def page(world: World, query: Query, allowance: Allowance) -> Page:
    """Return a window on the objects of a class. Raises TooMuchRead."""
    return world.entities.page(query, allowance)


def confirmed(world: World, query: Query, found: Page, allowance: Allowance) -> Sequence[Entity]:
    """Return the objects of a page as they are by their keys, in the query's order. Raises TooMuchRead.

    Those that are there no more, or match no more, are left out.
    """
    if not found.items:
        return ()
    class_ = world.class_(query.class_name)
    read = world.entities.read([entity.reference for entity in found.items], allowance)
    there = [entity for entity in read if entity is not None]
    if query.filter is not None:
        matches = matcher(query.filter, class_)
        there = [entity for entity in there if matches(entity.state)]
    return ordered(there, lambda entity: entity.state, query.order, class_)
