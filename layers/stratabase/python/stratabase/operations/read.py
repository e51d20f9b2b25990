"""Read objects."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.page import Page, Query
from stratabase.operations.world import World


def get(world: World, reference: Reference, allowance: Allowance) -> Entity | None:
    """Return the object, None when there is none. Raises TooMuchRead."""
    (entity,) = world.entities.read([reference], allowance)
    return entity


def page(world: World, query: Query, allowance: Allowance) -> Page:
    """Return a window on the objects of a class. Raises TooMuchRead."""
    return world.entities.page(query, allowance)
