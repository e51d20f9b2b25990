"""Interprets the expectations that failed in a commit, as refusals of the domain, and refuses unbuilt roles.

For many creations at once, `may_refuse` finds out by one read which of them a commit could refuse.

An engine refuses a batch with the expectations that failed and the items that it found. What each failure
means, in the order in which `WriteTransaction.learn` tests for it:

| failed expectation                                        | meaning                                  |
|-----------------------------------------------------------|------------------------------------------|
| the idempotency record of the change                      | AlreadyRecorded                          |
| a head, only because of its lock                          | LockedByOthers                           |
| a head, which another commit has written or claimed since | Conflict                                 |
| the registry, a closed version, a ledger                  | Conflict                                 |
| a guard of unique values that another object needs        | UniqueViolation                          |
| a guard of a one-to-one target that another object holds  | IntegrityViolation: AlreadyAssociated    |
| a guard that is older than the constraint, or left behind | another attempt, with the guard as found |
| a link or guard to remove, which does not exist           | another attempt, which does not count it |
| a head without a count                                    | another attempt, which sets the count    |
| a head that does not exist, and something leads there     | IntegrityViolation: TargetNotFound       |
| a head whose required role would be empty                 | IntegrityViolation: RequiredRoleEmpty    |

After a lost response (OutcomeUnknown), the heads that were found tell whether the change was committed, if
they list either its commit or the one before it. Otherwise the refusal is Unavailable.

Some changes are refused while a role is not built, because their outcome cannot be known:

- While the associations of a role are stored as a former model stored them: each change of the role, and the
  deletion of objects that may have it.
- While guards of a one-to-one role are not built: a new key, because an older object may have the same
  target. A target that the same change creates has no other object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Creation, ObjectEffect, Restoration, reference_of
from stratabase.core.domain.objects.commit_refusals import RoleNotBuilt, TooLarge
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.engine.actions import is_met
from stratabase.core.store.engine.port import Failure, Item, Key
from stratabase.core.store.indexes.registry_cache import WriteSchema, changes_key
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.layout.codec import LOCKED_UNTIL, lock_of, state_text
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.read.context import StoreContext


def blocking_locks(failures: Sequence[Failure]) -> list[tuple[Reference, Lock]]:
    """Return the objects whose expectations failed only because of their locks, with the locks.

    Return an empty list if one of these heads also failed for another reason. Then the change is planned
    again, and the locked object may not need to be written.
    """
    asked = [failure for failure in failures if _expects_lock(failure)]
    locks = {keys.reference_of(failure.action.key): blocking_lock(failure) for failure in asked}
    if None in locks.values():
        return []
    return [(reference, lock) for reference, lock in locks.items() if lock is not None]


def blocking_lock(failure: Failure) -> Lock | None:
    """Return the lock that was found on a head, or None if the expectation also failed for another reason."""
    is_as_expected = is_met(replace(failure.action.expect, either=()), failure.found)
    return lock_of(failure.found) if is_as_expected and failure.found else None


def _expects_lock(failure: Failure) -> bool:
    return any(condition.attribute == LOCKED_UNTIL for condition in failure.action.expect.either)


def is_outcome_known(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether the heads that were found tell if a change was committed, after a lost response."""
    return was_committed(change, failures) or was_not_committed(change, failures)


def was_committed(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change was committed by an earlier attempt: a head lists its commit id."""
    return any(change.commit_id in _proofs(failure) for failure in failures)


def was_not_committed(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change was certainly not committed.

    A head lists its last commits. A commit appends its id after the one that it expects to be the last. If a
    head still lists the expected id, it also lists all later ones. So if the id of the change is not among
    them, the change was not committed.
    """
    expected = {keys.head(reference_of(effect)): _expected_last(effect) for effect in change.object_effects()}
    return not was_committed(change, failures) and any(
        failure.found is not None and commit_id in codec.commit_ids(failure.found)
        for failure in failures
        for commit_id in expected.get(failure.action.key, ())
    )


def _expected_last(effect: ObjectEffect) -> tuple[str, ...]:
    """Return the id of the last commit that an effect expects on its head; empty for a new object."""
    found = effect.tombstone if isinstance(effect, Restoration) else effect.before
    return () if found is None else found.commit_ids[-1:]


def _proofs(failure: Failure) -> tuple[str, ...]:
    """Return the ids in the item that was found of commits that were done."""
    if failure.found is None:
        return ()
    stamps = (failure.found.attributes.get(name) for name in (codec.LINKED, codec.CLAIMED))
    return (*codec.commit_ids(failure.found), *(each for each in stamps if isinstance(each, str)))


def unbuilt_role_violations(
    schema: WriteSchema, associations: Associations, change: Change
) -> Iterator[RoleNotBuilt]:
    """Yield the roles that a change alters although they are not built, each for one of its objects."""
    for effect in change.object_effects():
        yield from _moving(schema, associations, effect)
        yield from _unguarded(schema, associations, change, effect)
    for link in change.link_effects():
        ends = associations.by_role[link.role]
        if {ends.near.role, ends.far.role} & schema.changed_roles:
            yield RoleNotBuilt(Reference(link.role.class_name, link.owner), link.role)


def _moving(schema: WriteSchema, associations: Associations, effect: ObjectEffect) -> Iterator[RoleNotBuilt]:
    reference = reference_of(effect)
    for role in sorted(schema.changed_roles):
        target = associations.by_name[role].target
        if effect.after is None:
            if reference.class_name in {role.class_name, target}:
                yield RoleNotBuilt(reference, role)
        elif changes_key(effect, role):
            yield RoleNotBuilt(reference, role)


def _unguarded(
    schema: WriteSchema, associations: Associations, change: Change, effect: ObjectEffect
) -> Iterator[RoleNotBuilt]:
    reference = reference_of(effect)
    for key in associations.foreign_keys(reference.class_name):
        target = key.target_of(effect.after)
        if (
            key.exclusive
            and key.opposite in schema.unbuilt_roles
            and target is not None
            and target != key.target_of(effect.before)
            and not any(
                each.before is None and reference_of(each) == Reference(key.target, target)
                for each in change.object_effects()
            )
        ):
            yield RoleNotBuilt(reference, key.role)


class _Needs(NamedTuple):
    """What a change needs to be committed."""

    guards: Sequence[Key]
    """The guards of unique values, which must be free."""
    targets: Sequence[Key]
    """The heads of objects that must exist."""


def may_refuse(store: StoreContext, changes: Sequence[Change]) -> list[bool]:
    """Return for each change whether `dry_run` could refuse it now. False is certain. Raises Unavailable."""
    schema = store.write_schema()
    needs = [_needs(store, schema, change) for change in changes]
    wanted = list(dict.fromkeys(key for each in needs if each for key in (*each.guards, *each.targets)))
    found = store.engine.get(wanted, places=False) if wanted else ()
    items = dict(zip(wanted, found, strict=True))
    return [each is None or not _is_met(each, items) for each in needs]


def _is_met(needs: _Needs, items: dict[Key, Item | None]) -> bool:
    return all(items[key] is None for key in needs.guards) and all(
        live_head(items[key]) is not None for key in needs.targets
    )


def _needs(store: StoreContext, schema: WriteSchema, change: Change) -> _Needs | None:
    """Return what a change needs. None if it may need more, for example while a model is being built."""
    effect = change.effects[0] if len(change.effects) == 1 else None
    if not isinstance(effect, Creation) or change.files or change.record is not None:
        return None
    if schema.changed_roles or schema.unbuilt_roles:
        return None
    entity = effect.after
    class_name = entity.reference.class_name
    constraints = schema.constraints(class_name)
    if not all(each.built and each.in_model for each in constraints):
        return None
    targets = _targets(store, entity)
    if targets is None:
        return None
    try:
        state_text(entity.reference, entity.state)
    except TooLarge:
        return None
    guards = [key for each in constraints if (key := each.guard_key(entity.state)) is not None]
    return _Needs(guards, targets)


def _targets(store: StoreContext, entity: Entity) -> Sequence[Key] | None:
    """Return the heads of the objects that a new object refers to.

    None if their roles or those of the new object have rules of their own: they are required or exclusive.
    """
    class_name = entity.reference.class_name
    if store.associations.counted_roles(class_name):
        return None
    targets: list[Key] = []
    for key in store.associations.foreign_keys(class_name):
        target = key.target_of(entity)
        if target is None:
            continue
        if key.exclusive or key.counted_roles:
            return None
        targets.append(keys.head(Reference(key.target, target)))
    return targets
