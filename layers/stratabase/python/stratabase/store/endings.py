"""What ends with objects that a change deletes: links that no key stands for, and parts.

Parts also end when an update takes them out of their whole.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import orjson

from stratabase.domain.objects.change import Change, Deletion, ObjectEffect, Restoration, reference_of
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import parts_of
from stratabase.store import codec, keys, links
from stratabase.store.association import Ends, Pair
from stratabase.store.claims import claims, holds
from stratabase.store.desk import Desk
from stratabase.store.engine.port import (
    MAX_ACTIONS,
    NOT_EXISTS,
    Check,
    Condition,
    ConditionOperator,
    Expectation,
    Item,
    Key,
    Place,
    Put,
)

ENDED = "ended"
"""The attribute of a ledger that tells when its object was deleted."""
_MOST_LINKS = MAX_ACTIONS + 1
"""Of one role of one object; more are more than can be ended together, however many there are.

But among those that must end with it may be some of objects that end as well, and with these.
"""


class Links(NamedTuple):
    """The pairs that end with an object in the same commit; `left`: whether others are left for later."""

    pairs: tuple[Pair, ...] = ()
    left: bool = False


NONE = Links()


def links_of(
    desk: Desk, change: Change, later: Collection[Reference] | None = None
) -> Mapping[Reference, Links]:
    """Return the pairs that end with the objects that a change deletes.

    Where some parts end `later`, so do pairs in which no required role of anything else has an interest.
    """
    gone = [effect.before.reference for effect in deletions(change)]
    most = _MOST_LINKS + len(gone) + len(later or ())
    asked = [(each, ends) for each in gone for ends in desk.associations.kept(each.class_name)]
    found = desk.together(lambda each: _pairs(desk, *each, most), asked)
    ended: dict[Reference, Links] = {}
    for (reference, _), pairs in zip(asked, found, strict=True):
        before = ended.get(reference, NONE)
        now = [pair for pair in pairs if later is None or not _may_stay(pair, later)]
        ended[reference] = Links((*before.pairs, *now), before.left or len(now) < len(pairs))
    return ended


def _pairs(desk: Desk, reference: Reference, ends: Ends, most: int) -> Sequence[Pair]:
    limit = most if ends.far.required else _MOST_LINKS
    found = links.found(desk.engine, ends.near.role, reference.id, limit)
    return [Pair(ends, reference.id, other) for other in found]


def _may_stay(pair: Pair, later: Collection[Reference]) -> bool:
    """Return whether who is at the far end of a pair does not count it, or ends later."""
    far = pair.ends.far
    return not far.required or Reference(far.role.class_name, pair.far) in later


def deletions(change: Change) -> Iterator[Deletion]:
    """Yield what a change deletes."""
    return (effect for effect in change.effects if isinstance(effect, Deletion))


def difference(more: Change, less: Change) -> frozenset[Reference]:
    """Return the objects that one change deletes, and another does not."""
    ended, there = ({each.before.reference for each in deletions(change)} for change in (more, less))
    return frozenset(ended - there)


def without_parts(change: Change, desk: Desk) -> Change:
    """Return a change without the deletion of parts that can end later.

    Those are the parts of what it deletes, too, and those that an update takes out of their whole. A part
    that holds what something else in the change takes, like a unique value, ends with the change.
    """
    within = {part for effect in change.object_effects() for part in lost_parts(desk, effect)}
    taken = guards_taken(desk, change)
    kept = (
        effect
        for effect in change.effects
        if not (isinstance(effect, Deletion) and effect.before.reference in within)
        or not taken.isdisjoint(guards_needed(desk, effect.before))
    )
    return replace(change, effects=tuple(kept))


def lost_parts(desk: Desk, effect: ObjectEffect) -> Iterator[Reference]:
    """Yield the parts that an object has no more after an effect on it; none of what never came back."""
    before, after = effect.before, effect.after
    if before is None or (isinstance(effect, Deletion) and effect.withdrawn is not None):
        return
    class_ = desk.class_of(before)
    kept = frozenset(() if after is None else parts_of(class_, after))
    yield from (part for part in parts_of(class_, before) if part not in kept)


def guards_needed(desk: Desk, entity: Entity | None) -> Collection[Key]:
    """Return the keys of the guards that an object needs."""
    if entity is None:
        return ()
    held = holds(desk.associations, entity.reference, entity)
    constraints = desk.rules().constraints(entity.reference.class_name)
    return {**claims(constraints, entity), **held}.keys()


def guards_taken(desk: Desk, change: Change) -> frozenset[Key]:
    """Return the keys of the guards that a change takes."""
    return frozenset(
        key
        for effect in change.object_effects()
        if effect.after is not None
        for key in set(guards_needed(desk, effect.after)).difference(guards_needed(desk, effect.before))
    )


def ledgers(
    desk: Desk, change: Change, ended: Mapping[Reference, Links], later: Collection[Reference]
) -> Iterator[Put]:
    """Yield what notes for objects what is left: parts that end later, and links of what is deleted."""
    deleted = frozenset(effect.before.reference for effect in deletions(change))
    for effect in change.object_effects():
        reference, lost = reference_of(effect), lost_parts(desk, effect)
        if isinstance(effect, Deletion):
            left = [part for part in lost if part not in deleted]
            if left or ended.get(reference, NONE).left:
                yield Put(_ledger(keys.purge(reference), left, change))
        elif left := [part for part in lost if part in later]:
            yield Put(_ledger(keys.update_purge(reference, change.commit_id), left, change))


def _ledger(key: Key, left: Iterable[Reference], change: Change) -> Item:
    by_class: dict[str, list[str]] = {}
    for class_name, id_ in left:
        by_class.setdefault(class_name, []).append(id_)
    reference = keys.ledger_of(key)
    return Item(
        key,
        {codec.COMMIT_IDS: [change.commit_id], ENDED: change.instant},
        orjson.dumps(by_class).decode(),
        {keys.LISTING: Place(keys.PURGES, f"{reference.class_name}#{reference.id}")},
    )


def noted(ledger: Item) -> list[Reference]:
    """Return the parts that a ledger notes."""
    by_class: Mapping[str, list[str]] = orjson.loads(ledger.state or "{}")
    return [Reference(class_name, id_) for class_name, ids in by_class.items() for id_ in ids]


def ended(ledger: Item) -> Instant:
    """Return when the object of a ledger was deleted; the beginning of time of one that does not tell it."""
    instant = ledger.attributes.get(ENDED)
    return instant if isinstance(instant, int) else 0


def named_as(ledger: Item) -> Expectation:
    """Return the expectation that a ledger is the one that was read."""
    return Expectation(
        None, (Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, list(codec.commit_ids(ledger))),)
    )


def purged(desk: Desk, change: Change) -> Iterator[Check]:
    """Yield that nothing is left to be purged of objects that come back: it would end their parts."""
    for effect in change.effects:
        if isinstance(effect, Restoration) and _may_leave(desk, effect.after):
            yield Check(keys.purge(effect.after.reference), NOT_EXISTS)


def _may_leave(desk: Desk, entity: Entity) -> bool:
    """Return whether the deletion of an object may leave something for later."""
    has_parts = any(role.composition for role in desk.class_of(entity).roles.values())
    return has_parts or bool(desk.associations.kept(entity.reference.class_name))
