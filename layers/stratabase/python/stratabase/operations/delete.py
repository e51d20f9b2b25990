"""Delete an object."""

from stratabase.domain.change import Deletion
from stratabase.domain.command import Delete
from stratabase.domain.instant import Instant
from stratabase.domain.subject import Subject
from stratabase.operations.world import World
from stratabase.operations.write import write


def delete(world: World, command: Delete) -> bool:
    """Return whether there was an object to delete: of several who delete it at once, one is told so.

    Raises Unavailable when the store cannot say whether it is deleted, and by whom.
    """
    subject = Subject(world.class_(command.reference.class_name), command.reference.id)

    def decide(_: Instant) -> Deletion | None:
        (before,) = world.entities.read([command.reference])
        return None if before is None else Deletion(before)

    return write(world, subject, decide) is not None
