"""Update an object, with its parts and associations."""

from contextlib import suppress

from stratabase.domain import writing
from stratabase.domain.access import access_of
from stratabase.domain.change import Update as Updated
from stratabase.domain.command import Update
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.names import ClientIds
from stratabase.domain.graph.version import other_version
from stratabase.domain.instant import Instant
from stratabase.domain.lock import admits
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused
from stratabase.domain.sought import sought
from stratabase.domain.subject import Subject
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.unwarned import MayBeWarned, check_warnings
from stratabase.operations.world import World
from stratabase.operations.write import locked, write
from stratabase.operations.written import Written, client_ids


def update(
    world: World,
    command: Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    terms: Terms = PLAINLY,
) -> Written:
    """Return the object as it is now; nothing is written when nothing changes.

    Raises Refused with every issue, TooMuchRead, Unavailable. `earlier`: as with `create`.
    """
    may_do_everything = access_of(world.model, caller.profile) is None
    if may_do_everything and not command.roles and not earlier:
        # Where something is wrong, there may be more.
        with suppress(writing.BadValues, MayBeWarned):
            return _alone(world, command, caller, terms)
    return GraphWrite(world, command, caller, earlier, terms=terms).done().written()


def _alone(world: World, command: Update, caller: Caller, terms: Terms) -> Written:
    reference, client_id = sought(command.reference), command.client_id
    class_ = world.class_(reference.class_name)
    subject = Subject(class_, reference.id, client_id)
    before: Entity

    def decide(now: Instant) -> Updated | None:
        nonlocal before
        before = _existing(world, subject)
        after = writing.updated(class_, before, command, caller, now)
        if before.lock is not None and not admits(before.lock, caller.id, world.clock.now()):
            raise locked(subject, caller, before.lock)
        if issue := other_version(subject, before, command, caller):
            raise Refused([issue])
        if after is before:
            return None
        check_warnings(world, after, caller, now, terms)
        return Updated(before, after)

    effect = write(world, subject, caller, decide)
    called = client_ids(reference, client_id)
    return Written(before, (), called) if effect is None else Written(effect.after, (effect,), called)


def _existing(world: World, subject: Subject) -> Entity:
    (entity,) = world.entities.read([Reference(subject.class_.name, str(subject.id))])
    if entity is None:
        raise writing.not_found(subject)
    return entity
