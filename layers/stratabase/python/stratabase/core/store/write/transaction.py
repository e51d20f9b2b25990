"""The transaction of a change: its actions, and how they are corrected after a refused attempt.

Planning reads as little as possible. It assumes that guards are free or held by objects of the change, that
heads have their counts, and that links exist. Each action expects that its assumption is true. When an
attempt is refused, `WriteTransaction.learn` corrects the assumptions by the items that the engine found, or
raises a refusal of the domain.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Deletion, ObjectEffect, Tombstone, reference_of
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    RoleNotBuilt,
    RoleViolation,
)
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.store.engine.actions import is_met
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    Action,
    Check,
    DeleteItem,
    Failure,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout import keys, object_items
from stratabase.core.store.layout.associations import StoredRole
from stratabase.core.store.layout.file_entries import file_writes
from stratabase.core.store.layout.object_items import (
    NO_LOCK_CONDITIONS,
    expect_unchanged,
    lock_conditions,
)
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write import deletions
from stratabase.core.store.write.association_changes import (
    AssociationChanges,
    CountDelta,
    association_changes,
    count_deltas,
    counted_reference_key,
    link_actions,
)
from stratabase.core.store.write.guard_writes import GuardWrites
from stratabase.core.store.write.heads import (
    CountedRoles,
    HeadContext,
    HeadWrite,
    both,
    expect_unclaimed,
    head_action,
)
from stratabase.core.store.write.idempotency import check_recorded, record_write
from stratabase.core.store.write.refusals import blocking_locks, unbuilt_role_violations


class RelatedWrites(NamedTuple):
    """What a change writes besides the heads of its own objects: links, counts in other heads, ledgers."""

    heads: Mapping[Key, HeadWrite] = MappingProxyType({})
    """By the key of the head. Includes the objects of the change, because their counts may change too."""
    links: Mapping[Key, Action] = MappingProxyType({})
    """By the key of the link."""
    evidence: Mapping[Key, tuple[Key, Sequence[RoleName]]] = MappingProxyType({})
    """By the key of a link or guard to remove: the head to decrement, and the roles whose counts decrease.

    The counts decrease only if the link or guard exists. A foreign key without one was never counted.
    """
    ledgers: Sequence[Put] = ()
    others: Sequence[Action] = ()
    """Closed versions, entries of the file ledger, checks of pending purges."""


NOTHING_RELATED = RelatedWrites()


class WriteTransaction:
    """The actions of one change, at most one for each key, with the assumptions that they are based on.

    The constructor raises UniqueViolation or IntegrityViolation if two objects of the change need the same
    guard, and UniqueNotBuilt if it sets values of a constraint that is not built yet.
    """

    def __init__(
        self,
        store: StoreContext,
        schema: WriteSchema,
        change: Change,
        related: RelatedWrites = NOTHING_RELATED,
        plain: Iterable[Action] = (),
    ) -> None:
        """`plain`: all actions except those on guards, for a change without related writes."""
        self.change = change
        self._store = store
        self._plain = tuple(plain)
        self._heads = related.heads
        self._links = dict(related.links)
        self._evidence = dict(related.evidence)
        self._ledgers = related.ledgers
        self._others = related.others
        self._schema = schema
        self._guards = GuardWrites(change, schema.constraints, store.read, store.associations)
        self.fence: Check = schema.fence
        """The expectation that the registry has not changed since the transaction was planned."""
        self.ledger_keys = [ledger.key for ledger in related.ledgers]
        """The keys of the ledgers that the transaction writes."""
        self.records_violations = False
        """Whether the actions record a violation in the registry."""
        self._violated_roles = schema.broken_foreign_roles(change)
        self._unread = schema.newly_unread(change)
        self._actions: tuple[Action, ...] | None = None
        """The actions for the next attempt, until something is learned that changes them."""
        self.fitting_actions: tuple[Action, ...] | None = None
        """Actions of which it is known that they fit in one commit."""

    @property
    def is_outdated(self) -> bool:
        """Whether this process has read a newer registry since the transaction was planned."""
        return self._store.write_schema().registry.revision != self._schema.registry.revision

    def actions(self) -> tuple[Action, ...]:
        """Return the actions for the next attempt."""
        if self._actions is None:
            self._actions = self._make_actions()
        return self._actions

    def _make_actions(self) -> tuple[Action, ...]:
        other_heads, records = self._guards.other_heads, self._violation_records()
        self.records_violations = bool(records)
        if self._plain:  # most changes
            return (*self._plain, *self._guards.actions(), *other_heads.values(), *records)
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
            *records,
        )

    def _violation_records(self) -> Sequence[Action]:
        """Return the write that records what the change breaks for the models of other processes, if any."""
        violated = self._guards.violated_constraints
        if not (violated or self._violated_roles or self._unread):
            return ()
        record = self._schema.violation_record(violated, self._violated_roles, self._unread)
        return () if record is None else (record,)

    @property
    def counts(self) -> Mapping[Key, Counter[RoleName]]:
        """By the key of a head: by role, the difference that the change makes to its count."""
        return {key: head.delta.counts for key, head in self._heads.items()}

    def adopt_counts(self, counts: Mapping[Key, Counter[RoleName]]) -> None:
        """Replace the counts of deleted objects by those of the whole change.

        This transaction defers the deletion of some parts. These parts must not prevent the deletion of
        other objects that they still refer to.
        """
        self._actions = None
        for key, head in self._heads.items():
            if head.is_deletion:
                head.delta.counts = counts.get(key, head.delta.counts)

    def check_certain(self) -> None:
        """Raise the refusals that do not depend on an attempt. Raises IntegrityViolation, Conflict."""
        schema = self._schema
        if schema.changed_roles or schema.unbuilt_roles:  # rarely
            _raise_violations(unbuilt_role_violations(schema, self._store.associations, self.change))
        if self._plain:
            return
        certain = [violation for head in self._heads.values() if (violation := head.certain_violation())]
        contradictory = [
            key for key, head in self._heads.items() if head.is_contradictory(self._guards.releases)
        ]
        # A required role that is still being built is reported once, for the first object that it affects:
        # the iteration is reversed, so the first violation of a role is the last to be set.
        distinct = {
            violation.role if isinstance(violation, RoleNotBuilt) else violation: violation
            for violation in reversed(certain)
        }
        # An object that must both exist and not exist: no action expresses this, so read its head now.
        if contradictory:
            self._actions = None
        found = self._learn_heads(self._read(contradictory)) if contradictory else ()
        _raise_violations([*reversed(distinct.values()), *found])

    def learn(self, failures: Sequence[Failure]) -> None:
        """Correct the actions by the items that a refused attempt found; return if a retry may succeed.

        refusals.py has a table of all failures and their meanings.
        Raises AlreadyRecorded, LockedByOthers, Conflict, UniqueViolation, IntegrityViolation.
        """
        self._actions = None
        # 0. Another request with the same idempotency key has done this. Nothing else matters then.
        check_recorded(failures)
        # 1. The failures are due to locks only.
        if locked := blocking_locks(failures):
            raise LockedByOthers(locked)
        # 2. A concurrent write has changed an item, and no correction helps: the caller must plan again.
        found = {failure.action.key: failure.found for failure in failures}
        if any(self._is_conflict(key, item) for key, item in found.items()):
            raise Conflict
        # 3. Guards: either another object needs the guard, or the next attempt expects the holder found.
        lost = self._guards.learn([each for each in failures if self._guards.covers(each.action.key)])
        # 4. A link or guard to remove does not exist. So its foreign key is not counted: leave the count.
        self._forget_uncounted_keys(found)
        # 5. Heads: a count is missing (the next attempt sets it), or a role would be violated. The failures
        #    may come from different moments. So read all heads again at once, and report what is still wrong.
        suspects = self._learn_heads(found)
        if suspects:
            certain = self._learn_heads(self._read([key for key in found if key in self._heads]))
            suspects = [violation for violation in suspects if violation in certain]
        # 6. Report taken unique values before violations of roles. Report all violations of roles together.
        if lost.uniques or not suspects:
            lost.raise_refusal()
        _raise_violations([*suspects, *(claim.violation for claim in lost.exclusives)])

    def _is_conflict(self, key: Key, found: Item | None) -> bool:
        """Return whether a failure only shows that a concurrent write has changed the item."""
        other_head = self._guards.other_heads.get(key)
        if key in self._heads or other_head:
            return other_head is not None and not is_met(other_head.expect, found)
        return not (self._guards.covers(key) or key in self._evidence)

    def _forget_uncounted_keys(self, found: Mapping[Key, Item | None]) -> None:
        """Undo the decrement of counts for foreign keys whose link or guard does not exist."""
        for key in found.keys() & self._evidence.keys():
            if key in self._links or not self._guards.was_own(key):
                head, roles = self._evidence.pop(key)
                self._heads[head].delta.counts.update(roles)
                self._links.pop(key, None)

    def _learn_heads(self, found: Mapping[Key, Item | None]) -> list[RoleViolation]:
        """Let head writes learn from heads that were found; return the violated roles. Raises Conflict.

        `found`: items by key; keys of other items are ignored.
        """
        return [
            violation
            for key, item in found.items()
            if key in self._heads
            for violation in self._heads[key].learn(item, self._store.count_links, self._guards.releases)
        ]

    def _read(self, wanted: Sequence[Key]) -> dict[Key, Item | None]:
        return dict(zip(wanted, self._store.engine.get(wanted, places=False), strict=True))


def _raise_violations(violations: Iterable[RoleViolation]) -> None:
    """Raise IntegrityViolation with all violations, without duplicates, if there are any."""
    if found := tuple(dict.fromkeys(violations)):
        raise IntegrityViolation(found)


NO_REFERENCES: frozenset[Reference] = frozenset()


def plan_transaction(  # noqa: PLR0913 - what the transaction depends on
    store: StoreContext,
    change: Change,
    schema: WriteSchema | None = None,
    *,
    ignores_required: bool = False,
    deferred: Collection[Reference] | None = None,
    restored_later: Collection[Reference] = NO_REFERENCES,
) -> WriteTransaction:
    """Return the transaction of a change, with the assumptions of the first attempt.

    `schema`: what the change must maintain; by default as the store has it now.
    `ignores_required`: skip the checks that no required role becomes empty, because they were done before.
    `deferred`: parts that cleanup deletes after this commit. Ledgers list them, and the links that cleanup
    may remove. None: the commit deletes everything. `restored_later`: objects that a later commit of the
    same restoration restores. Foreign keys may already refer to them.

    Raises UniqueViolation, UniqueNotBuilt, IntegrityViolation, TooLarge.
    """
    schema = schema or store.write_schema()
    claims = {each.reference: each for each in change.claims}
    # 1. The heads of the objects of the change, and the versions that it closes.
    head_actions: dict[Reference, Put | Patch | DeleteItem] = {}
    closed: list[Put] = []
    locks = lock_conditions(change.member_id, change.time)
    for effect in change.object_effects():
        reference = reference_of(effect)
        class_ = store.model.classes[reference.class_name]
        context = HeadContext(
            class_,
            schema.paths(class_.name),
            change.commit_id,
            change.instant,
            change.author,
            schema.deleted_listing(class_.name),
            schema.indexed_attributes(class_.name),
            effect.after is None and bool(store.associations.link_associations(class_.name)),
            locks,
            deferred is not None and not ignores_required and _defers_parts(store, effect, deferred),
            reference in claims,
        )
        head_actions[reference] = head_action(effect, context)
        if class_.versioned:
            closed += object_items.closed_version(effect, class_, change)
    record = change.record
    recording = () if record is None else (record_write(store, record, change.commit_id, change.time),)
    further = (*file_writes(change, store.model), *recording)
    # The short cut for most changes: they affect no other items.
    if deferred is None and claims.keys() <= head_actions.keys() and not store.associations.affect(change):
        return WriteTransaction(store, schema, change, plain=(*head_actions.values(), *closed, *further))
    # 2. The associations that it creates and removes, including those of deleted objects.
    ended = deletions.deleted_links(store, change, deferred)
    associations = association_changes(
        change, store.associations, lambda reference: ended.get(reference, deletions.NO_LINKS).pairs
    )
    # 3. The counts in the heads at both ends of these associations, the links, and ledgers for cleanup.
    heads = _head_writes(
        store,
        schema,
        change,
        head_actions,
        associations,
        ignores_required=ignores_required,
        deferred=deferred or NO_REFERENCES,
        restored_later=restored_later,
    )
    related = RelatedWrites(
        {keys.head(head.reference): head for head in heads},
        {action.key: action for action in link_actions(associations, change.instant)},
        dict(_evidence(associations)),
        tuple(deletions.ledger_writes(store, change, ended, deferred or NO_REFERENCES)),
        (
            *closed,
            *further,
            *deletions.expect_nothing_to_purge(store, change),
        ),
    )
    return WriteTransaction(store, schema, change, related)


def _head_writes(  # noqa: PLR0913 - what the writes depend on
    store: StoreContext,
    schema: WriteSchema,
    change: Change,
    head_actions: Mapping[Reference, Put | Patch | DeleteItem],
    associations: AssociationChanges,
    *,
    ignores_required: bool,
    deferred: Collection[Reference],
    restored_later: Collection[Reference],
) -> Iterator[HeadWrite]:
    """Yield a write for each head: of changed, checked and claimed objects, and those whose counts change."""
    deltas, locks = count_deltas(associations), lock_conditions(change.member_id, change.time)
    # A restored head has no counts: they are set when they are first needed.
    for reference in restored_later:
        deltas.pop(reference, None)
    checked = frozenset(entity.reference for entity in change.checked_entities())
    expected = {entity.reference: expect_unchanged(entity) for entity in change.unchanged_entities()}
    claimed = _claims_of_others(change, head_actions)
    for reference, found in claimed.items():
        expected[reference] = both(expected.get(reference, NO_EXPECTATION), expect_unclaimed(found))
    effect_types = {reference_of(effect): type(effect) for effect in change.object_effects()}
    for reference in dict.fromkeys((*head_actions, *deltas, *checked, *claimed)):
        yield HeadWrite(
            reference,
            head_actions.get(reference),
            deltas.get(reference) or CountDelta(),
            counted_roles_of(store, reference.class_name, schema.unfinished_roles),
            change.commit_id,
            ignores_required or reference in deferred,
            reference in checked,
            locks if reference in checked else NO_LOCK_CONDITIONS,
            expected.get(reference, NO_EXPECTATION),
            effect_types.get(reference),
            reference in claimed,
            isinstance(claimed.get(reference), Tombstone),
        )


def _claims_of_others(
    change: Change, written: Collection[Reference]
) -> Mapping[Reference, Entity | Tombstone]:
    """Return the objects that a change claims and does not write, as they were read."""
    return {each.reference: each for each in change.claims if each.reference not in written}


def _defers_parts(store: StoreContext, effect: ObjectEffect, deferred: Collection[Reference]) -> bool:
    """Return whether an effect detaches parts from their whole that cleanup deletes later."""
    if isinstance(effect, Deletion):
        return True
    return not frozenset(deferred).isdisjoint(deletions.detached_parts(store, effect))


def _evidence(associations: AssociationChanges) -> Iterator[tuple[Key, tuple[Key, Sequence[RoleName]]]]:
    """Yield `RelatedWrites.evidence` for each foreign key that is cleared."""
    for key_reference in associations.keys_cleared:
        roles = key_reference.foreign_key.counted_roles
        if roles and (key := counted_reference_key(key_reference)):
            yield key, (keys.head(key_reference.target_reference), roles)


def counted_roles_of(
    store: StoreContext, class_name: str, unbuilt: Collection[StoredRole] = ()
) -> CountedRoles:
    """Return the roles that the heads of a class count. `unbuilt`: the required roles that are not READY."""
    associations = store.associations
    required_keys = associations.required_keys.get(class_name, frozenset())
    counted = CountedRoles(
        associations.counted_roles(class_name), required_keys, store.is_singleton(class_name)
    )
    if not unbuilt:  # the normal case; otherwise a model with a new required role has not been built yet
        return counted
    lead_here = tuple(each.role for each in unbuilt if each.target == class_name)
    own = frozenset(each.role for each in unbuilt if each.role.class_name == class_name)
    return replace(counted, unbuilt=lead_here, unbuilt_lists=own - required_keys)
