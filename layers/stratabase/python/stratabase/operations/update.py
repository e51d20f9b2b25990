"""Update an object, with its parts and associations."""

from stratabase.domain import writing
from stratabase.domain.change import Update as Updated
from stratabase.domain.command import Update
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World
from stratabase.operations.write import write
from stratabase.operations.written import Written, client_ids


def update(world: World, command: Update, caller: Caller, earlier: ClientIds | None = None) -> Written:
    """Return the object as it is now; nothing is written when nothing changes.

    Raises Refused with every issue, Unavailable. `earlier`: as with `create`.
    """
    if command.roles or earlier:
        return _whole(world, command, caller, earlier)
    try:
        return _alone(world, command, caller)
    except writing.BadValues:  # there may be more that is wrong
        return _whole(world, command, caller, earlier)


def _whole(world: World, command: Update, caller: Caller, earlier: ClientIds | None) -> Written:
    return GraphWrite(world, command, caller, earlier).done().written()


def _alone(world: World, command: Update, caller: Caller) -> Written:
    reference, client_id = command.reference, command.client_id
    class_ = world.class_(reference.class_name)
    before: Entity

    def decide(now: Instant) -> Updated | None:
        nonlocal before
        before = _existing(world, reference)
        after = writing.updated(class_, before, command, caller, now)
        return None if after is before else Updated(before, after)

    effect = write(world, Subject(class_, reference.id, client_id), decide)
    called = client_ids(reference, client_id)
    return Written(before, (), called) if effect is None else Written(effect.after, (effect,), called)


def _existing(world: World, reference: Reference) -> Entity:
    (entity,) = world.entities.read([reference])
    if entity is None:
        raise writing.not_found(world.class_(reference.class_name), reference.id, "data", "_id")
    return entity
