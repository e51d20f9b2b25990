"""Commit a change, or only try it, and explain what the store has against it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from stratabase.domain.issue import Issue
from stratabase.domain.objects.change import Change
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    RequiredRoleEmpty,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.refusal import TooMuchRead
from stratabase.domain.write.explanations import explain, is_outdated, without_values
from stratabase.domain.write.plan import WritePlan
from stratabase.domain.write.request import WriteRequest
from stratabase.operations.services import Services

Act = Callable[[Change], None]
"""Does a change, or only finds out what the store has against it."""


Sees = Callable[[Sequence[Entity], RoleName], Sequence[bool]]
"""Tells of objects whether the caller sees them, and where a role of theirs leads. Raises TooMuchRead."""


MOST_NAMED = 10
"""Objects that are looked at, in order to name one that the caller sees."""


def attempt(world: Services, plan: WritePlan, change: Change, act: Act, sees: Sees) -> list[Issue]:
    """Return why the store refuses a change. Raises Conflict when the plan is to be made again."""
    try:
        act(change)
    except LockedByOthers as refusal:
        if not refusal.still_hold(world.clock.now()):
            raise Conflict from None
        return explain(plan, refusal)
    except IntegrityViolation as refusal:
        if is_outdated(plan, refusal):
            raise Conflict from None
        return explain(plan, refusal, dict(_holders(world, plan.request, refusal, sees)))
    except TooLarge as refusal:
        return explain(plan, refusal)
    except UniqueViolation as refusal:
        rest = without_values(change, refusal.violations)
        return [*explain(plan, refusal), *_beside(world, plan, rest)]
    except UniqueNotBuilt as refusal:
        rest = without_values(change, refusal.unbuilt)
        return [*explain(plan, refusal), *_beside(world, plan, rest)]
    return []


def _beside(world: Services, plan: WritePlan, rest: Change) -> list[Issue]:
    """Return what the store has against a change without the values that it refused."""
    try:
        world.entities.dry_run(rest)
    except (LockedByOthers, IntegrityViolation, TooLarge) as refusal:
        return explain(plan, refusal)
    except (UniqueViolation, UniqueNotBuilt, Conflict):
        pass
    return []


def _holders(
    world: Services, request: WriteRequest, refusal: IntegrityViolation, sees: Sees
) -> Iterator[tuple[RequiredRoleEmpty, Reference]]:
    """Yield, for what is deleted while others must lead to it, one of these that the caller may know of."""
    for breach in refusal.violations:
        if (
            isinstance(breach, RequiredRoleEmpty)
            and request.role(breach.role).holds
            and request.may_identify(breach.reference)
        ):
            with suppress(TooMuchRead):
                yield from ((breach, each) for each in _holder(world, request, breach, sees))


def _holder(
    world: Services, request: WriteRequest, breach: RequiredRoleEmpty, sees: Sees
) -> Sequence[Reference]:
    """Return an object that leads to what is deleted, or nothing. Raises TooMuchRead."""
    access, (class_name, _) = request.context.access, breach.role
    is_open = access is None or access.may_follow(class_name, request.role(breach.role))
    if not is_open or (access is not None and not access.may_read_class(class_name)):
        return ()
    # Those that the request itself deletes, or leads elsewhere, are not in the way.
    ids = world.entities.referrers(breach.role, breach.reference.id, len(request.objects) + MOST_NAMED)
    found = [each for id_ in ids if (each := Reference(class_name, id_)) not in request.objects]
    if access is None:
        return found[:1]
    there = [entity for entity in world.entities.read(found[:MOST_NAMED]) if entity is not None]
    seen = zip(there, sees(there, breach.role), strict=True)
    return [entity.reference for entity, is_seen in seen if is_seen][:1]
