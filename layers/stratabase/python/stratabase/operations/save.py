"""Save an object: update it when it has an id, create it otherwise."""

from stratabase.domain.command import Create, Update
from stratabase.domain.entity import Entity
from stratabase.domain.member import Caller
from stratabase.operations.create import create
from stratabase.operations.update import update
from stratabase.operations.world import World


def save(world: World, command: Create | Update, caller: Caller) -> Entity:
    """Return the object as it is now. Raises Refused."""
    if isinstance(command, Update):
        return update(world, command, caller)
    return create(world, command, caller)
