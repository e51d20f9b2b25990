"""What a change comes to in the store before anything is known of what is there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from stratabase.domain.objects.change import Change, Deletion, ObjectEffect, reference_of
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store import endings, keys, links, versions
from stratabase.store.association import Requirement
from stratabase.store.deed import Deed, Surroundings
from stratabase.store.demands import Demand, demands
from stratabase.store.desk import Desk
from stratabase.store.engine.port import NO_EXPECTATION, Delete, Key, Patch, Put
from stratabase.store.head import Counted, Head
from stratabase.store.heads import Writing, action_on_head, as_read
from stratabase.store.indexes.registry_cache import WriteRules
from stratabase.store.locks import EVERYBODY, Admitting, admitting
from stratabase.store.ties import Ties, ties

Bases = Mapping[Reference, Put | Patch | Delete]
"""What is done to the heads of the objects that a change makes, changes or ends."""


NOTHING: frozenset[Reference] = frozenset()


def drafted(
    desk: Desk,
    change: Change,
    *,
    forced: bool = False,
    later: Collection[Reference] | None = None,
    coming: Collection[Reference] = NOTHING,
) -> Deed:
    """Return what a change comes to. Raises Taken, NotBuilt, Broken, TooLarge.

    `forced`: nothing is refused because a required role would be empty, since that was asked before.
    `later`: parts that end later. These, and links that need not end with what is deleted, are noted to be
    purged. None: nothing is left for later. `coming`: objects that a later commit of the same restoration
    brings back, so that keys may lead to them already.
    """
    rules = desk.rules()
    bases = {
        reference_of(effect): _base(
            desk, rules, change, effect, leaves_parts=not forced and _leaves_parts(desk, effect, later)
        )
        for effect in change.object_effects()
    }
    closed = tuple(chain.from_iterable(_closed(desk, change, effect) for effect in change.object_effects()))
    if not desk.associations.concern(change):
        return Deed(desk, rules, change, plain=(*bases.values(), *closed))
    ended = endings.links_of(desk, change, later)
    all_ties = ties(change, desk.associations, lambda reference: ended.get(reference, endings.NONE).pairs)
    left = later or NOTHING
    heads = _heads(desk, rules, change, bases, all_ties, forced=forced, later=left, coming=coming)
    around = Surroundings(
        {keys.head(head.reference): head for head in heads},
        {action.key: action for action in links.actions(all_ties, change.instant)},
        dict(_evidence(all_ties)),
        tuple(endings.ledgers(desk, change, ended, left)),
        (*closed, *endings.purged(desk, change)),
    )
    return Deed(desk, rules, change, around)


def _heads(  # noqa: PLR0913 - what they follow from
    desk: Desk,
    rules: WriteRules,
    change: Change,
    bases: Bases,
    all_ties: Ties,
    *,
    forced: bool,
    later: Collection[Reference],
    coming: Collection[Reference],
) -> Iterator[Head]:
    """Yield the heads that a change is about."""
    wanted = demands(all_ties)
    for reference in coming:  # it comes back without counts, and is counted when that is first needed
        wanted.pop(reference, None)
    touched = frozenset(entity.reference for entity in change.touched_entities())
    unchanged = {entity.reference: as_read(entity) for entity in change.unchanged_entities()}
    kinds = {reference_of(effect): type(effect) for effect in change.object_effects()}
    for reference in dict.fromkeys((*bases, *wanted, *touched)):
        yield Head(
            reference,
            bases.get(reference),
            wanted.get(reference) or Demand(),
            counted_at(desk, reference.class_name, rules.unfinished_roles),
            change.commit_id,
            forced or reference in later,
            reference in touched,
            _admitting(change) if reference in touched else EVERYBODY,
            unchanged.get(reference, NO_EXPECTATION),
            kinds.get(reference),
        )


def _leaves_parts(desk: Desk, effect: ObjectEffect, later: Collection[Reference] | None) -> bool:
    """Return whether an effect takes parts out of their whole that are not looked at again."""
    if later is None or isinstance(effect, Deletion):
        return later is not None
    return not frozenset(later).isdisjoint(endings.lost_parts(desk, effect))


def _evidence(all_ties: Ties) -> Iterator[tuple[Key, tuple[Key, Sequence[RoleName]]]]:
    """Yield what tells of keys that are left whether they were counted."""
    for tie in all_ties.left:
        if tie.keyed.counted and (key := links.evidence(tie)):
            yield key, (keys.head(tie.end), tie.keyed.counted)


def _base(
    desk: Desk, rules: WriteRules, change: Change, effect: ObjectEffect, *, leaves_parts: bool
) -> Put | Patch | Delete:
    name = reference_of(effect).class_name
    writing = Writing(
        desk.model.classes[name],
        rules.paths(name),
        change.commit_id,
        change.instant,
        bool(desk.associations.kept(name)),
        _admitting(change),
        leaves_parts,
    )
    return action_on_head(effect, writing)


def _closed(desk: Desk, change: Change, effect: ObjectEffect) -> Iterator[Put]:
    return versions.closed(effect, desk.model.classes[reference_of(effect).class_name], change)


def _admitting(change: Change) -> Admitting:
    return admitting(change.member_id, change.instant if change.now is None else change.now)


def counted_at(desk: Desk, class_name: str, unbuilt: Collection[Requirement] = ()) -> Counted:
    """Return what is counted at the objects of a class. `unbuilt`: the required roles that are not READY."""
    associations = desk.associations
    barriers = associations.needs.get(class_name, frozenset())
    counted = Counted(associations.counted(class_name), barriers, desk.is_singleton(class_name))
    if not unbuilt:  # as always, but after a model has come to require more
        return counted
    lead_here = tuple(each.role for each in unbuilt if each.other == class_name)
    own = frozenset(each.role for each in unbuilt if each.role.class_name == class_name)
    return replace(counted, unbuilt=lead_here, unbuilt_lists=own - barriers)
