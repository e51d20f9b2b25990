"""The links and parts to delete together with the objects that a change deletes.

An update also deletes the parts that it takes out of their whole. What does not fit in the commit is
deferred: a ledger lists it, and cleanup.py deletes it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Deletion, ObjectEffect, Restoration, reference_of
from stratabase.core.domain.objects.entity import Entity, Reference, parts_of
from stratabase.core.store.engine.port import MAX_ACTIONS, NOT_EXISTS, Check, Key, Put
from stratabase.core.store.layout import keys, ledgers, links
from stratabase.core.store.layout.associations import LinkAssociation, LinkedPair
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.guard_writes import exclusive_claims, unique_claims

_MAX_LINKS = MAX_ACTIONS + 1
"""The number of links to read for one role of one object: one more than fit in a commit.

For a role whose links must be deleted in the same commit, `deleted_links` reads more: links to objects that
are deleted too do not count.
"""


class DeletedLinks(NamedTuple):
    """The linked pairs of a deleted object."""

    pairs: tuple[LinkedPair, ...] = ()
    """The pairs to unlink in the same commit."""
    has_more: bool = False
    """Whether cleanup must unlink further pairs."""


NO_LINKS = DeletedLinks()


def deleted_links(
    store: StoreContext, change: Change, deferred: Collection[Reference] | None = None
) -> Mapping[Reference, DeletedLinks]:
    """Return the linked pairs of each object that a change deletes.

    `deferred`: the parts that cleanup deletes. If it is not None, cleanup also unlinks the pairs that no
    required role of another object counts.
    """
    deleted = [effect.before.reference for effect in deletions(change)]
    required_limit = _MAX_LINKS + len(deleted) + len(deferred or ())
    wanted = [
        (each, association)
        for each in deleted
        for association in store.associations.link_associations(each.class_name)
    ]
    found = store.parallel_map(lambda each: _read_pairs(store, *each, required_limit), wanted)
    ended: dict[Reference, DeletedLinks] = {}
    for (reference, _), pairs in zip(wanted, found, strict=True):
        before = ended.get(reference, NO_LINKS)
        now = [pair for pair in pairs if deferred is None or not _is_deferrable(pair, deferred)]
        ended[reference] = DeletedLinks((*before.pairs, *now), before.has_more or len(now) < len(pairs))
    return ended


def _read_pairs(
    store: StoreContext, reference: Reference, association: LinkAssociation, required_limit: int
) -> Sequence[LinkedPair]:
    limit = required_limit if association.far.required else _MAX_LINKS
    others = links.read_ids(store.engine, association.near.role, reference.id, limit)
    return [LinkedPair(association, reference.id, other) for other in others]


def _is_deferrable(pair: LinkedPair, deferred: Collection[Reference]) -> bool:
    """Return whether cleanup may unlink a pair: its far end does not count it, or is deferred too."""
    far = pair.association.far
    return not far.required or Reference(far.role.class_name, pair.far) in deferred


def deletions(change: Change) -> Iterator[Deletion]:
    """Yield the deletions of a change."""
    return (effect for effect in change.effects if isinstance(effect, Deletion))


def only_deleted_by(more: Change, less: Change) -> frozenset[Reference]:
    """Return the objects that the change `more` deletes and the change `less` does not."""
    deleted, still = ({each.before.reference for each in deletions(change)} for change in (more, less))
    return frozenset(deleted - still)


def without_deferrable_parts(change: Change, store: StoreContext) -> Change:
    """Return a change without the deletions of parts that cleanup can do later.

    These are parts of deleted objects, and parts that an update takes out of their whole. A part is not
    deferred if another object of the change takes its guard.
    """
    lost = {part for effect in change.object_effects() for part in detached_parts(store, effect)}
    taken = guards_taken(store, change)
    kept = (
        effect
        for effect in change.effects
        if not (isinstance(effect, Deletion) and effect.before.reference in lost)
        or not taken.isdisjoint(guards_needed(store, effect.before))
    )
    return change.part(kept)


def detached_parts(store: StoreContext, effect: ObjectEffect) -> Iterator[Reference]:
    """Yield the parts that an effect takes out of their whole; none if it withdraws a restoration."""
    before, after = effect.before, effect.after
    if before is None or (isinstance(effect, Deletion) and effect.withdrawn is not None):
        return
    class_ = store.class_of(before)
    kept = frozenset(() if after is None else parts_of(class_, after))
    yield from (part for part in parts_of(class_, before) if part not in kept)


def guards_needed(store: StoreContext, entity: Entity | None) -> Collection[Key]:
    """Return the keys of the guards that an object needs."""
    if entity is None:
        return ()
    constraints = store.write_schema().constraints(entity.reference.class_name)
    exclusive = exclusive_claims(store.associations, entity.reference, entity)
    return {**unique_claims(constraints, entity), **exclusive}.keys()


def guards_taken(store: StoreContext, change: Change) -> frozenset[Key]:
    """Return the keys of the guards that a change takes."""
    return frozenset(
        key
        for effect in change.object_effects()
        if effect.after is not None
        for key in set(guards_needed(store, effect.after)).difference(guards_needed(store, effect.before))
    )


def ledger_writes(
    store: StoreContext,
    change: Change,
    ended: Mapping[Reference, DeletedLinks],
    deferred: Collection[Reference],
) -> Iterator[Put]:
    """Yield the ledgers of a change: they list deferred parts, and stand for deferred links."""
    deleted = frozenset(effect.before.reference for effect in deletions(change))
    for effect in change.object_effects():
        reference, lost = reference_of(effect), detached_parts(store, effect)
        if isinstance(effect, Deletion):
            left = [part for part in lost if part not in deleted]
            if left or ended.get(reference, NO_LINKS).has_more:
                yield Put(ledgers.purge_ledger(keys.purge(reference), left, change))
        elif left := [part for part in lost if part in deferred]:
            yield Put(ledgers.purge_ledger(keys.update_purge(reference, change.commit_id), left, change))


def expect_nothing_to_purge(store: StoreContext, change: Change) -> Iterator[Check]:
    """Yield the checks that restored objects have no pending purge, which would delete their parts again."""
    for effect in change.effects:
        if isinstance(effect, Restoration) and _may_leave(store, effect.after):
            yield Check(keys.purge(effect.after.reference), NOT_EXISTS)


def _may_leave(store: StoreContext, entity: Entity) -> bool:
    """Return whether a deletion of the object may have left a ledger."""
    has_parts = bool(store.class_of(entity).compositions)
    return has_parts or bool(store.associations.link_associations(entity.reference.class_name))
