"""Evaluate the conditions of grants for the objects of a write, before it, after it, and in the past."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.requirements import (
    PermissionKey,
    RequiredPermission,
    required_condition,
    unmet_condition,
)
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.model.model import Action
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.derived_values import evaluate
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.load import StateReaders
from stratabase.values.cel.expression import Expression

_CHECKED_BEFORE = frozenset({Action.EDIT, Action.DELETE})
"""Actions whose conditions must hold before the write."""
_CHECKED_AFTER = frozenset({Action.EDIT, Action.CREATE})
"""Actions whose conditions must hold after the write."""


class ConditionalPermission(NamedTuple):
    """A required permission, and the condition that the grant has for it."""

    required: RequiredPermission
    where: Expression


def unmet_permissions(readers: StateReaders) -> list[Issue]:
    """Return an issue for each required permission whose condition does not hold.

    Raises ReadBudgetExceeded.
    """
    plan = readers.plan
    access = plan.request.context.access
    asked = [] if access is None else [*_asked(access, plan)]
    if access is None or not asked:
        return []
    now = [each for each in asked if each.required.action in _CHECKED_BEFORE]
    then = [each for each in asked if each.required.action in _CHECKED_AFTER]
    before = {*unmet_keys(readers.present(), now)}
    failed = before | {*unmet_keys(readers.projected(), then)}
    lost = {required.key for required, _ in now if required.key in failed - before}
    # A restored object must also meet the condition in its former state. Otherwise, a restoration would
    # show what was hidden.
    for at, former in _former(plan, then).items():
        failed |= {*unmet_keys(readers.former(at), former)}
    return [
        unmet_condition(access, required, was_met=required.key in lost)
        for required, _ in asked
        if required.key in failed
    ]


def _asked(access: Access, plan: WritePlan) -> Iterator[ConditionalPermission]:
    """Yield the conditions to evaluate. Hidden objects have none, because they count as missing."""
    seen = plan.request.context.snapshot.seen
    for required in plan.required_permissions:
        where = required_condition(access, required)
        if where is not None and seen.get(required.reference, True):
            yield ConditionalPermission(required, where)


def _former(
    plan: WritePlan, asked: Sequence[ConditionalPermission]
) -> Mapping[Instant, Sequence[ConditionalPermission]]:
    """Return the conditions of restored objects, by the instant of their former state."""
    versions = plan.request.context.snapshot.versions.items()
    instants = {moment.reference: moment.at for moment, version in versions if version is not None}
    found: dict[Instant, list[ConditionalPermission]] = defaultdict(list)
    for each in asked:
        if each.required.reference in instants:
            found[instants[each.required.reference]].append(each)
    return found


def unmet_keys(reader: Reader, asked: Sequence[ConditionalPermission]) -> Iterator[PermissionKey]:
    """Yield the keys of required permissions whose conditions do not hold. Missing objects have none."""
    run(reader.load_with_wholes(required.reference for required, _ in asked))
    conditions: dict[str, dict[Expression, None]] = defaultdict(dict)
    there: dict[str, dict[Reference, Entity]] = defaultdict(dict)
    for required, where in asked:
        entity = reader.find(required.reference)
        if entity is not None:
            conditions[required.reference.class_name][where] = None
            there[required.reference.class_name][required.reference] = entity
    values = run(
        evaluate(
            reader,
            {name: (name, [*wheres], [*there[name].values()]) for name, wheres in conditions.items()},
        )
    )
    held = {
        (reference, where)
        for name, rows in values.items()
        for reference, row in zip(there[name], rows, strict=True)
        for where, value in zip(conditions[name], row, strict=True)
        if value is True
    }
    for required, where in asked:
        is_there = required.reference in there[required.reference.class_name]
        if is_there and (required.reference, where) not in held:
            yield required.key
