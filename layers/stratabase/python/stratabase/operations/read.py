"""Read objects."""

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.page import Page, Query
from stratabase.operations.world import World


def get(world: World, reference: Reference) -> Entity | None:
    """Return the object, None when there is none."""
    (entity,) = world.entities.read([reference])
    return entity


def page(world: World, query: Query) -> Page:
    """Return a window on the objects of a class."""
    return world.entities.page(query)
