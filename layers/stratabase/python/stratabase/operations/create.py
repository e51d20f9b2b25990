"""Create an object, with its parts and associations."""

from stratabase.domain import writing
from stratabase.domain.change import Creation
from stratabase.domain.command import Create
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World
from stratabase.operations.write import write
from stratabase.operations.written import Written, client_ids


def create(world: World, command: Create, caller: Caller, earlier: ClientIds | None = None) -> Written:
    """Return the new object. Raises Refused with every issue, Unavailable.

    `earlier`: what the client calls the objects that it wrote before in the same request.
    """
    if command.roles or command.class_name not in world.alone:
        return _whole(world, command, caller, earlier)
    try:
        return _alone(world, command, caller)
    except writing.BadValues:  # there may be more that is wrong
        return _whole(world, command, caller, earlier)


def _whole(world: World, command: Create, caller: Caller, earlier: ClientIds | None) -> Written:
    return GraphWrite(world, command, caller, earlier).done().written()


def _alone(world: World, command: Create, caller: Caller) -> Written:
    class_ = world.class_(command.class_name)

    def decide(now: Instant) -> Creation:
        return Creation(writing.created(class_, command, world.ids.new(), caller, now))

    effect = write(world, Subject(class_, client_id=command.client_id), decide)
    assert effect is not None
    after = effect.after
    return Written(after, (effect,), client_ids(after.reference, command.client_id))
