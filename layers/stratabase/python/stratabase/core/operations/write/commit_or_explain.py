"""Commit a change or try it without writing, and explain why the store refuses it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    RequiredRoleEmpty,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.explanations import explain, is_outdated, without_values
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.domain.write.request import WriteRequest
from stratabase.core.operations.write.load import CallerVisibility

CommitOrDryRun = Callable[[Change], None]
"""Commits a change, or raises what a commit would raise."""


MAX_NAMED_OBJECTS = 10
"""Objects to check in order to find one that the caller may see."""


_MAX_DRY_RUNS = 3
"""Each one finds another reason: values that are equal in the request, taken values, and associations."""


def commit_or_explain(
    plan: WritePlan, change: Change, commit_or_dry_run: CommitOrDryRun, visibility: CallerVisibility
) -> list[Issue]:
    """Commit or try a change by `commit_or_dry_run`. Return the issues if the store refuses it.

    Raises Conflict if the plan must be made again, because it relies on a state that has changed.
    """
    try:
        commit_or_dry_run(change)
    except LockedByOthers as refusal:
        if not refusal.still_hold(visibility.services.clock.now()):
            raise Conflict from None
        return explain(plan, refusal)
    except IntegrityViolation as refusal:
        if is_outdated(plan, refusal):
            raise Conflict from None
        return explain(plan, refusal, dict(_holders(plan, refusal, change.instant, visibility)))
    except TooLarge as refusal:
        return explain(plan, refusal)
    except UniqueViolation as refusal:
        # The store reports refused values alone. Try the rest of the change, to report all issues at once.
        rest = without_values(plan, change, refusal.violations)
        return [*explain(plan, refusal), *_beside(plan, rest, visibility)]
    except UniqueNotBuilt as refusal:
        rest = without_values(plan, change, refusal.unbuilt)
        return [*explain(plan, refusal), *_beside(plan, rest, visibility)]
    return []


def _beside(plan: WritePlan, rest: Change, visibility: CallerVisibility) -> list[Issue]:
    """Return the issues of a change without the values that the store refused."""
    if len(plan.effects) == 1 and not plan.index.moves:
        return []  # One object without associations has nothing else that could be refused.
    issues: list[Issue] = []
    for _ in range(_MAX_DRY_RUNS):
        try:
            visibility.services.entities.dry_run(rest)
        except (LockedByOthers, IntegrityViolation, TooLarge) as refusal:
            return [*issues, *explain(plan, refusal)]
        except UniqueViolation as refusal:
            # Values that are equal in the request are found before those that the store has.
            issues += explain(plan, refusal)
            rest = without_values(plan, rest, refusal.violations)
        except (UniqueNotBuilt, Conflict):
            break
        else:
            break
    return issues


def _holders(
    plan: WritePlan, refusal: IntegrityViolation, now: Instant, visibility: CallerVisibility
) -> Iterator[tuple[RequiredRoleEmpty, Reference]]:
    """Yield, for each object that must not be deleted because others require it, one of these.

    Only objects that the caller may know of are named.
    """
    request = plan.request
    for violation in refusal.violations:
        if (
            isinstance(violation, RequiredRoleEmpty)
            and request.role(violation.role).holds_key
            and request.may_identify(violation.reference)
        ):
            with suppress(ReadBudgetExceeded):
                yield from ((violation, each) for each in _holder(request, violation, now, visibility))


def _holder(
    request: WriteRequest, violation: RequiredRoleEmpty, now: Instant, visibility: CallerVisibility
) -> Sequence[Reference]:
    """Return one object that leads to the deleted object and that the caller sees, or nothing.

    Raises ReadBudgetExceeded.
    """
    access, (class_name, _) = request.context.access, violation.role
    is_open = access is None or access.may_follow(class_name, request.role(violation.role))
    if not is_open or (access is not None and not access.may_read_class(class_name)):
        return ()
    # Objects that the request itself deletes or redirects are not in the way.
    entities, most = visibility.services.entities, len(request.objects) + MAX_NAMED_OBJECTS
    ids = entities.referrers(violation.role, violation.reference.id, most)
    found = [each for id_ in ids if (each := Reference(class_name, id_)) not in request.objects]
    if access is None:
        return found[:1]
    there = [entity for entity in entities.read(found[:MAX_NAMED_OBJECTS]) if entity is not None]
    seen = zip(there, visibility.sees_role(now, there, violation.role), strict=True)
    return [entity.reference for entity, is_seen in seen if is_seen][:1]
