"""What a change does to one head: what its object's effect does and associations demand, as one action."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from stratabase.domain.objects.change import Creation, Deletion, Modification, ObjectEffect, Restoration
from stratabase.domain.objects.entity import RoleName
from stratabase.store import codec, keys
from stratabase.store.engine.port import (
    NO_EXPECTATION,
    Action,
    Check,
    Condition,
    ConditionOperator,
    Delete,
    Expectation,
    Patch,
    Put,
    Value,
)
from stratabase.store.head import Head, IsFreed
from stratabase.store.presence import GONE, THERE


def merged(head: Head, beside: Check | None, is_freed: IsFreed) -> Action | None:
    """Return what to do under the present belief; None where that is nothing.

    `beside`: what else is expected of the head.
    """
    if head.base is not None and head.kind is not None:
        return _MERGED[head.kind](head, head.base)
    key = keys.head(head.reference)
    if head.gone or head.bereft(is_freed):
        return Check(key, GONE)
    there = _both(NO_EXPECTATION if head.counted.optional else THERE, head.unchanged)
    patch = _patch(head, Patch(key, replace(there, either=head.admitting)))
    # That it is there goes before that it is not.
    expect = _both(patch.expect, beside.expect) if beside and beside.expect != GONE else patch.expect
    if patch.set or patch.add:
        return replace(patch, expect=expect)
    return Check(key, expect) if head.demand.there or head.touched or beside else None


def _put(head: Head, base: Put) -> Action:
    """Return the head of a new object, with all its counts."""
    counts = {codec.count_name(role): head.demand.tally[role] for role in head.counted.roles}
    attributes = {**base.item.attributes, **counts, **_stamp(head)}
    return replace(base, item=replace(base.item, attributes=attributes))


def _patch(head: Head, base: Patch) -> Patch:
    """Return a change of an object and of what is counted there."""
    tally = {role: head.demand.tally[role] for role in head.asked()}
    first = {codec.count_name(role): head.absent[role] + tally[role] for role in tally if role in head.absent}
    more = {codec.count_name(role): number for role, number in tally.items() if role not in head.absent}
    conditions = tuple(_countable(head, role, number) for role, number in tally.items())
    return replace(
        base,
        expect=_both(base.expect, Expectation(None, conditions)),
        set={**base.set, **first, **_stamp(head)},
        add={**base.add, **more},
    )


def _countable(head: Head, role: RoleName, number: int) -> Condition:
    name = codec.count_name(role)
    if role in head.absent:
        return Condition(name, ConditionOperator.ABSENT)
    if number < 0 and role not in head.counted.barriers and not head.forced:
        return Condition(name, ConditionOperator.MORE_THAN, -number)
    return Condition(name, ConditionOperator.PRESENT)


def _put_back(head: Head, base: Put) -> Action:
    """Return the head of an object that comes back.

    Links may have led to it all the time, and may end meanwhile: they are counted when that is first needed.
    """
    return replace(base, item=replace(base.item, attributes={**base.item.attributes, **_stamp(head)}))


def _delete(head: Head, base: Delete | Put) -> Action:
    """Return the end of an object to which no required key leads that does not end as well."""
    conditions = tuple(_unneeded(head, role) for role in head.asked())
    return replace(base, expect=_both(base.expect, Expectation(None, conditions)))


def _unneeded(head: Head, role: RoleName) -> Condition:
    name = codec.count_name(role)
    if role in head.absent:
        return Condition(name, ConditionOperator.ABSENT)
    return Condition(name, ConditionOperator.AT_MOST, -head.demand.tally[role])


def _stamp(head: Head) -> dict[str, Value]:
    return {codec.LINKED: head.commit_id} if head.demand.linked else {}


def _both(one: Expectation, other: Expectation) -> Expectation:
    """Return what expects both."""
    exists = one.exists if other.exists is None else other.exists
    more = tuple(each for each in other.conditions if each not in one.conditions)
    return Expectation(exists, (*one.conditions, *more), one.either or other.either)


_MERGED: Mapping[type[ObjectEffect], Callable[[Head, Any], Action]] = {
    Creation: _put,
    Modification: _patch,
    Deletion: _delete,
    Restoration: _put_back,
}
