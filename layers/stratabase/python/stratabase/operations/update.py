"""Update an object."""

from stratabase.domain import writing
from stratabase.domain.change import Update as Updated
from stratabase.domain.command import Update
from stratabase.domain.entity import Entity
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.subject import Subject
from stratabase.operations.world import World
from stratabase.operations.write import write


def update(world: World, command: Update, caller: Caller) -> Entity:
    """Return the object as it is now. Raises Refused; nothing is written when nothing changes."""
    class_ = world.class_(command.reference.class_name)
    before: Entity

    def decide(now: Instant) -> Updated | None:
        nonlocal before
        before = _existing(world, command)
        after = writing.updated(class_, before, command, caller, now)
        return None if after is before else Updated(before, after)

    effect = write(world, Subject(class_, command.reference.id, command.client_id), decide)
    return before if effect is None else effect.after


def _existing(world: World, command: Update) -> Entity:
    (entity,) = world.entities.read([command.reference])
    if entity is None:
        class_name, id_ = command.reference
        raise writing.not_found(world.class_(class_name), id_, "data", "_id")
    return entity
