"""The transaction of a change: which actions to try, and what a refused attempt teaches.

`plan_transaction` assumes that guards are free or held by the change's own objects, that heads have their
counts, and that links exist. Where the store finds otherwise, `WriteTransaction.learn` corrects the actions
for the next attempt, or raises the refusal that the domain knows.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from stratabase.domain.objects.change import Change, Deletion, ObjectEffect, reference_of
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    RoleNotBuilt,
    RoleViolation,
)
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import NO_EXPECTATION, Action, Check, Delete, Failure, Item, Key, Patch, Put
from stratabase.store.indexes.registry_cache import WriteSchema
from stratabase.store.layout import keys, versions
from stratabase.store.layout.associations import RequiredRoleStorage
from stratabase.store.layout.heads import expect_unchanged
from stratabase.store.layout.locks import NO_LOCK_CONDITIONS, LockConditions, lock_conditions
from stratabase.store.read.context import StoreContext
from stratabase.store.write import deletions
from stratabase.store.write.association_changes import (
    AssociationChanges,
    CountDelta,
    association_changes,
    count_deltas,
    counted_reference_key,
    link_actions,
)
from stratabase.store.write.effects import HeadContext, head_action
from stratabase.store.write.heads import CountedRoles, HeadWrite
from stratabase.store.write.refusals import blocking_locks
from stratabase.store.write.uniques import GuardWrites


class RelatedWrites(NamedTuple):
    """What a change writes to items that are not its own objects, and what it expects of them."""

    heads: Mapping[Key, HeadWrite] = MappingProxyType({})
    """By the key of the head. The change's own objects are among them: their counts may change as well."""
    links: Mapping[Key, Action] = MappingProxyType({})
    """By the key of the link."""
    evidence: Mapping[Key, tuple[Key, Sequence[RoleName]]] = MappingProxyType({})
    """By the key of a link or guard: if it exists, this head counts one less for each of these roles."""
    ledgers: Sequence[Put] = ()
    others: Sequence[Put | Check] = ()
    """Closed versions, and the checks that nothing is left to purge of what is restored."""


NOTHING_RELATED = RelatedWrites()


class WriteTransaction:
    """The actions of one change, at most one on each key, corrected by what each refused attempt found.

    Raises UniqueViolation, UniqueNotBuilt and IntegrityViolation when that is certain before an attempt.
    """

    def __init__(
        self,
        store: StoreContext,
        rules: WriteSchema,
        change: Change,
        related: RelatedWrites = NOTHING_RELATED,
        plain: Iterable[Action] = (),
    ) -> None:
        """`plain`: all actions but the guards', for a change that has no related writes."""
        self.change = change
        self._store = store
        self._plain = tuple(plain)
        self._heads = related.heads
        self._links = dict(related.links)
        self._evidence = dict(related.evidence)
        self._ledgers = related.ledgers
        self._others = related.others
        self._rules = rules
        self._guards = GuardWrites(change, rules.constraints, store.read, store.associations)
        self._unkept_roles = rules.broken_foreign_roles(change)
        self._actions: tuple[Action, ...] | None = None
        """The actions for the next attempt, until something is learned that changes them."""

    @property
    def ledger_keys(self) -> list[Key]:
        """The keys of the ledgers that it writes."""
        return [ledger.key for ledger in self._ledgers]

    @property
    def fence(self) -> Check:
        """The expectation that the registry is as it was when the change was planned."""
        return self._rules.fence

    @property
    def is_outdated(self) -> bool:
        """Whether this process knows of a newer registry than the change was planned with."""
        return self._store.rules().registry.revision != self._rules.registry.revision

    @property
    def changes_rules(self) -> bool:
        """Whether it notes a violation in the registry."""
        return any(self._note_violations())

    def actions(self) -> tuple[Action, ...]:
        """Return the actions for the next attempt."""
        if self._actions is None:
            self._actions = self._make_actions()
        return self._actions

    def _make_actions(self) -> tuple[Action, ...]:
        other_heads = self._guards.other_heads
        if self._plain:  # most changes
            return (*self._plain, *self._guards.actions(), *other_heads.values(), *self._note_violations())
        heads = (
            head.action(other_heads.get(key), self._guards.releases) for key, head in self._heads.items()
        )
        return (
            *(action for action in heads if action is not None),
            *self._guards.actions(),
            *(check for key, check in other_heads.items() if key not in self._heads),
            *self._links.values(),
            *self._ledgers,
            *self._others,
            *self._note_violations(),
        )

    def _note_violations(self) -> Iterator[Action]:
        """Yield what notes in the registry that the change breaks a rule which only other models have."""
        if not (self._guards.violated_constraints or self._unkept_roles):
            return
        if noted := self._rules.violation_note(self._guards.violated_constraints, self._unkept_roles):
            yield noted

    @property
    def counts(self) -> Mapping[Key, Counter[RoleName]]:
        """By the key of a head: how many objects more (fewer) each role counts there after the change."""
        return {key: head.delta.counts for key, head in self._heads.items()}

    def adopt_counts(self, counts: Mapping[Key, Counter[RoleName]]) -> None:
        """Take the counts of deleted objects from a larger change, of which this one defers some parts."""
        self._actions = None
        for key, head in self._heads.items():
            if head.is_deletion:
                head.delta.counts = counts.get(key, head.delta.counts)

    def check_certain(self) -> None:
        """Refuse what no action can express. Raises IntegrityViolation, Conflict."""
        if self._plain:
            return
        certain = [violation for head in self._heads.values() if (violation := head.certain_violation())]
        contradictory = [
            key for key, head in self._heads.items() if head.is_contradictory(self._guards.releases)
        ]
        # A role that is not built yet is reported once, for the first object that it concerns.
        distinct = {
            violation.role if isinstance(violation, RoleNotBuilt) else violation: violation
            for violation in reversed(certain)
        }
        if contradictory:
            self._actions = None
        found = self._learn_heads(self._read(contradictory)) if contradictory else ()
        _raise_violations([*reversed(distinct.values()), *found])

    def learn(self, failures: Sequence[Failure]) -> None:
        """Correct the actions by what a refused attempt found; return if another attempt may succeed.

        Raises LockedByOthers, Conflict, UniqueViolation, IntegrityViolation. The table of what each failure
        means is in refusals.py.
        """
        self._actions = None
        # 1. Locks alone are in the way.
        if locked := blocking_locks(failures):
            raise LockedByOthers(locked)
        # 2. Another write has changed an item that nothing can be learned from.
        found = {failure.action.key: failure.found for failure in failures}
        if any(self._is_conflict(key, item) for key, item in found.items()):
            raise Conflict
        # 3. A guard: another object holds it, or its holder has been found and is expected next time.
        lost = self._guards.learn([each for each in failures if self._guards.covers(each.action.key)])
        # 4. A link or guard that the change removes is not there: its key was never counted.
        self._forget_uncounted_keys(found)
        # 5. A head: it lacks a count (which the next attempt makes), does not exist, or counts too few. What
        #    retry wrong is read once more, all at once: the failures may come from different moments.
        suspects = self._learn_heads(found)
        if suspects:
            certain = self._learn_heads(self._read([key for key in found if key in self._heads]))
            suspects = [violation for violation in suspects if violation in certain]
        # 6. Unique values that are taken go before roles; several violations of roles are reported together.
        if lost.uniques or not suspects:
            lost.raise_refusal()
        _raise_violations([*suspects, *(claim.violation for claim in lost.exclusives)])

    def _is_conflict(self, key: Key, found: Item | None) -> bool:
        """Return whether a failure tells only that another write came between."""
        other_head = self._guards.other_heads.get(key)
        if key in self._heads or other_head:
            return other_head is not None and not is_met(other_head.expect, found)
        return not (self._guards.covers(key) or key in self._evidence)

    def _forget_uncounted_keys(self, found: Mapping[Key, Item | None]) -> None:
        """Count nothing off for a key that is older than its link or guard."""
        for key in found.keys() & self._evidence.keys():
            if key in self._links or not self._guards.was_own(key):
                head, roles = self._evidence.pop(key)
                self._heads[head].delta.counts.update(roles)
                self._links.pop(key, None)

    def _learn_heads(self, found: Mapping[Key, Item | None]) -> list[RoleViolation]:
        """Return which roles would be broken if these are the heads, by their keys. Raises Conflict."""
        return [
            violation
            for key, item in found.items()
            if key in self._heads
            for violation in self._heads[key].learn(item, self._store.count_links, self._guards.releases)
        ]

    def _read(self, wanted: Sequence[Key]) -> dict[Key, Item | None]:
        return dict(zip(wanted, self._store.engine.get(wanted), strict=True))


def _raise_violations(violations: Iterable[RoleViolation]) -> None:
    """Raise IntegrityViolation if there is a violation, with each of them once."""
    if found := tuple(dict.fromkeys(violations)):
        raise IntegrityViolation(found)


NO_REFERENCES: frozenset[Reference] = frozenset()


def plan_transaction(
    store: StoreContext,
    change: Change,
    *,
    ignores_required: bool = False,
    later: Collection[Reference] | None = None,
    coming: Collection[Reference] = NO_REFERENCES,
) -> WriteTransaction:
    """Return the transaction of a change, before anything is known of the items that it meets.

    `ignores_required`: refuse nothing because a required role would be empty, since that was checked before.
    `later`: parts that are deleted later. Ledgers note these, and the links that need not end with what is
    deleted. None: nothing is left for later. `coming`: objects that a later commit of the same restoration
    brings back, so that keys may lead to them already.

    Raises UniqueViolation, UniqueNotBuilt, IntegrityViolation, TooLarge.
    """
    rules = store.rules()
    # 1. The heads of the change's own objects, and the versions that it closes.
    head_actions = {
        reference_of(effect): _head_action(
            store,
            rules,
            change,
            effect,
            defers_parts=not ignores_required and _defers_parts(store, effect, later),
        )
        for effect in change.object_effects()
    }
    closed = tuple(
        chain.from_iterable(_closed_version(store, change, effect) for effect in change.object_effects())
    )
    if not store.associations.affect(change):
        return WriteTransaction(store, rules, change, plain=(*head_actions.values(), *closed))
    # 2. The associations that it makes and ends, also those that end with a deleted object.
    ended = deletions.deleted_links(store, change, later)
    associations = association_changes(
        change, store.associations, lambda reference: ended.get(reference, deletions.NO_LINKS).pairs
    )
    # 3. The counts of all heads that they touch, their links, and what is left for later.
    left = later or NO_REFERENCES
    heads = _head_writes(
        store,
        rules,
        change,
        head_actions,
        associations,
        ignores_required=ignores_required,
        later=left,
        coming=coming,
    )
    related = RelatedWrites(
        {keys.head(head.reference): head for head in heads},
        {action.key: action for action in link_actions(associations, change.instant)},
        dict(_evidence(associations)),
        tuple(deletions.ledger_writes(store, change, ended, left)),
        (*closed, *deletions.expect_nothing_to_purge(store, change)),
    )
    return WriteTransaction(store, rules, change, related)


def _head_writes(  # noqa: PLR0913 - what they follow from
    store: StoreContext,
    rules: WriteSchema,
    change: Change,
    head_actions: Mapping[Reference, Put | Patch | Delete],
    associations: AssociationChanges,
    *,
    ignores_required: bool,
    later: Collection[Reference],
    coming: Collection[Reference],
) -> Iterator[HeadWrite]:
    """Yield the write of each head: of own objects, of those whose counts change, and of touched ones."""
    deltas = count_deltas(associations)
    for reference in coming:  # it comes back without counts, which are made when they are first needed
        deltas.pop(reference, None)
    touched = frozenset(entity.reference for entity in change.touched_entities())
    unchanged = {entity.reference: expect_unchanged(entity) for entity in change.unchanged_entities()}
    effect_types = {reference_of(effect): type(effect) for effect in change.object_effects()}
    for reference in dict.fromkeys((*head_actions, *deltas, *touched)):
        yield HeadWrite(
            reference,
            head_actions.get(reference),
            deltas.get(reference) or CountDelta(),
            counted_roles_of(store, reference.class_name, rules.unfinished_roles),
            change.commit_id,
            ignores_required or reference in later,
            reference in touched,
            _lock_conditions(change) if reference in touched else NO_LOCK_CONDITIONS,
            unchanged.get(reference, NO_EXPECTATION),
            effect_types.get(reference),
        )


def _defers_parts(store: StoreContext, effect: ObjectEffect, later: Collection[Reference] | None) -> bool:
    """Return whether an effect takes parts out of their whole that are deleted later."""
    if later is None or isinstance(effect, Deletion):
        return later is not None
    return not frozenset(later).isdisjoint(deletions.detached_parts(store, effect))


def _evidence(associations: AssociationChanges) -> Iterator[tuple[Key, tuple[Key, Sequence[RoleName]]]]:
    """Yield the link or guard of each key that is cleared, with the head and the roles that count the key."""
    for key_reference in associations.keys_cleared:
        roles = key_reference.foreign_key.counted_roles
        if roles and (key := counted_reference_key(key_reference)):
            yield key, (keys.head(key_reference.target_reference), roles)


def _head_action(
    store: StoreContext, rules: WriteSchema, change: Change, effect: ObjectEffect, *, defers_parts: bool
) -> Put | Patch | Delete:
    class_name = reference_of(effect).class_name
    context = HeadContext(
        store.model.classes[class_name],
        rules.paths(class_name),
        change.commit_id,
        change.instant,
        bool(store.associations.link_associations(class_name)),
        _lock_conditions(change),
        defers_parts,
    )
    return head_action(effect, context)


def _closed_version(store: StoreContext, change: Change, effect: ObjectEffect) -> Iterator[Put]:
    return versions.closed_version(effect, store.model.classes[reference_of(effect).class_name], change)


def _lock_conditions(change: Change) -> LockConditions:
    return lock_conditions(change.member_id, change.instant if change.now is None else change.now)


def counted_roles_of(
    store: StoreContext, class_name: str, unbuilt: Collection[RequiredRoleStorage] = ()
) -> CountedRoles:
    """Return what is counted at the objects of a class. `unbuilt`: the required roles that are not READY."""
    associations = store.associations
    required_keys = associations.required_keys.get(class_name, frozenset())
    counted = CountedRoles(
        associations.counted_roles(class_name), required_keys, store.is_singleton(class_name)
    )
    if not unbuilt:  # always, but after a model has come to require more
        return counted
    lead_here = tuple(each.role for each in unbuilt if each.target == class_name)
    own = frozenset(each.role for each in unbuilt if each.role.class_name == class_name)
    return replace(counted, unbuilt=lead_here, unbuilt_lists=own - required_keys)
