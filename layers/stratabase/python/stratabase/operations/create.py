"""Create an object."""

from stratabase.domain import writing
from stratabase.domain.change import Creation
from stratabase.domain.command import Create
from stratabase.domain.entity import Entity
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.operations.world import World
from stratabase.operations.write import write


def create(world: World, command: Create, caller: Caller) -> Entity:
    """Return the new object. Raises Refused."""
    class_ = world.class_(command.class_name)

    def decide(now: Instant) -> Creation:
        return Creation(writing.created(class_, command, world.ids.new(), caller, now))

    effect = write(world, Subject(class_, client_id=command.client_id), decide)
    assert effect is not None
    return effect.after
