"""Create an object, with its parts and associations."""

from contextlib import suppress

from stratabase.domain import writing
from stratabase.domain.access import access_of
from stratabase.domain.change import Creation
from stratabase.domain.command import Create
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.unwarned import MayBeWarned, check_warnings
from stratabase.operations.world import World
from stratabase.operations.write import write
from stratabase.operations.written import Written, client_ids


def create(
    world: World,
    command: Create,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Written:
    """Return the new object. Raises Refused with every issue, TooMuchRead, Unavailable.

    `earlier`: what the client calls the objects that it wrote before in the same request.
    """
    may_do_everything = access_of(world.model, caller.profile) is None
    if may_do_everything and not command.roles and command.class_name in world.alone:
        # Where something is wrong, there may be more.
        with suppress(writing.BadValues, MayBeWarned):
            return _alone(world, command, caller, terms)
    return GraphWrite(world, command, caller, earlier, terms=terms).done().written()


def _alone(world: World, command: Create, caller: Caller, terms: Terms) -> Written:
    class_ = world.class_(command.class_name)

    def decide(now: Instant) -> Creation:
        entity = writing.created(class_, command, world.ids.new(), caller, now)
        check_warnings(world, entity, caller, now, terms)
        return Creation(entity)

    effect = write(world, Subject(class_, client_id=command.client_id), caller, decide)
    assert effect is not None
    after = effect.after
    return Written(after, (effect,), client_ids(after.reference, command.client_id))
