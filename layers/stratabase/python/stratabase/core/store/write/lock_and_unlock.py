"""Locks and unlocks objects, all objects of a request or none.

A lock consists of attributes of an object's head, and locking is one commit. That commit also writes its id
to the heads of all wholes of a locked part, up to the outermost. A deletion that defers parts to cleanup
expects this id as it was read. So the deletion fails if somebody has locked a part in between.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import LockRefused, TooLarge
from stratabase.core.domain.objects.entity import SINGLETON_ID, Entity, Reference
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.engine.actions import find_failures, try_commit
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    Action,
    Batch,
    Condition,
    ConditionOperator,
    Expectation,
    Failure,
    OutcomeUnknown,
    Patch,
    Value,
)
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.object_items import (
    NOT_DELETED,
    OBJECT_EXISTS,
    LockConditions,
    live_head,
    lock_conditions,
)
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.idempotency import check_recorded, record_write
from stratabase.values.messages import _


@dataclass(slots=True)
class WholeResolver:
    """The wholes of the requested objects, at any depth."""

    parts: dict[Reference, set[Reference]] = field(default_factory=lambda: defaultdict(set))
    """By whole: the requested objects that are parts of it, directly or indirectly."""
    missing: set[Reference] = field(default_factory=set)
    """The requested objects that do not exist, or that have a whole which does not exist."""


def lock(  # noqa: PLR0913, PLR0917 - what is locked, for whom, when, and what the commit records
    store: StoreContext,
    commit_id: str,
    references: Sequence[Reference],
    lock: Lock,
    now: Instant,
    record: IdempotencyRecord | None = None,
) -> None:
    """Lock objects for a member. If the member has already locked one of them, replace that lock.

    `lock`: the lock, with its owner and end. Raises AlreadyRecorded, LockRefused, TooLarge, Unavailable.
    """
    _check_number(references)
    wholes = _find_wholes(store, references)
    expected = {each: _expect_lockable(store, each, lock_conditions(lock.owner, now)) for each in references}
    actions = [
        *_lock_actions(expected, codec.lock_attributes(lock), wholes, commit_id),
        *_wholes_actions(wholes, commit_id, references),
    ]
    if len(actions) + (record is not None) > MAX_ACTIONS:
        message = _(
            "The request locks {number} objects, including the wholes that parts belong to. "
            "The maximum is {maximum}.",
            number=len(actions),
            maximum=MAX_ACTIONS,
        )
        raise TooLarge(message)
    # The commit cannot succeed. Still, check the other objects, so that the refusal lists all problems.
    if wholes.missing:
        raise _refusal(find_failures(store.engine, actions), wholes)
    recording = () if record is None else (record_write(store, record, commit_id, now),)
    batch = Batch(commit_id, (*actions, *recording))
    if failures := try_commit(store.engine, batch):
        check_recorded(failures)
        raise _refusal(failures, wholes)


def _expect_lockable(store: StoreContext, reference: Reference, conditions: LockConditions) -> Expectation:
    """Return the expectation that an object exists and its lock admits the member.

    A singleton exists even without a head.
    """
    always_exists = reference.id == SINGLETON_ID and store.is_singleton(reference.class_name)
    return replace(NOT_DELETED if always_exists else OBJECT_EXISTS, either=conditions)


def _check_number(named: Sequence[Reference], maximum: int = MAX_ACTIONS) -> None:
    """Raise TooLarge if the objects do not fit in one commit."""
    if len(named) > maximum:
        message = _(
            "The request refers to {number} objects. The maximum is {maximum}.",
            number=len(named),
            maximum=maximum,
        )
        raise TooLarge(message)


def _refusal(failures: Iterable[Failure], wholes: WholeResolver) -> LockRefused:
    """Return the refusal with the locks of other members and the objects that do not exist."""
    held: list[tuple[Reference, Lock]] = []
    missing = dict.fromkeys(wholes.missing)
    for failure in failures:
        reference, found = keys.reference_of(failure.action.key), failure.found
        held_lock = codec.lock_of(found) if found and failure.action.expect.either else None
        if held_lock is not None:
            held.append((reference, held_lock))
        else:
            # An action without `either` is on a whole that was not itself requested.
            named = [reference] if failure.action.expect.either else []
            missing |= dict.fromkeys((*named, *wholes.parts.get(reference, ())))
    return LockRefused(held, missing)


def _lock_actions(
    expected: Mapping[Reference, Expectation],
    lock: Mapping[str, Value],
    wholes: WholeResolver,
    commit_id: str,
) -> Iterator[Action]:
    """Yield the actions that lock the requested objects, except those that are known to be missing."""
    for reference, expect in expected.items():
        if reference not in wholes.missing:
            stamp = {codec.PART_LOCK: commit_id} if reference in wholes.parts else {}
            yield Patch(keys.head(reference), expect, set={**lock, **stamp})


def _wholes_actions(wholes: WholeResolver, commit_id: str, locked: Sequence[Reference]) -> Iterator[Action]:
    """Yield the actions that write the commit id to the wholes that are not locked themselves."""
    stamp = {codec.PART_LOCK: commit_id}
    named = frozenset(locked)
    return (Patch(keys.head(whole), OBJECT_EXISTS, set=stamp) for whole in wholes.parts if whole not in named)


def _find_wholes(store: StoreContext, references: Sequence[Reference]) -> WholeResolver:
    """Read the wholes of objects level by level. Stop when there are more than fit in one commit."""
    found = WholeResolver()
    level = {reference: {reference} for reference in references if _is_part(store, reference)}
    while level and len(found.parts) <= MAX_ACTIONS:
        items = store.engine.get([keys.head(reference) for reference in level], places=False)
        above: dict[Reference, set[Reference]] = defaultdict(set)
        for origins, item in zip(level.values(), items, strict=True):
            if (head := live_head(item)) is None:
                found.missing |= origins
            elif (whole := _whole(store, codec.entity_of(head))) is not None:
                found.parts[whole] |= origins
                above[whole] |= origins
        level = {whole: origins for whole, origins in above.items() if _is_part(store, whole)}
    return found


def _is_part(store: StoreContext, reference: Reference) -> bool:
    return any(role.whole for role in store.model.classes[reference.class_name].roles.values())


def _whole(store: StoreContext, entity: Entity) -> Reference | None:
    roles = (role for role in store.class_of(entity).roles.values() if role.whole)
    found = ((role.target, entity.state.get(role.name)) for role in roles)
    return next((Reference(target, str(id_)) for target, id_ in found if id_ is not None), None)


_MAX_ATTEMPTS = 20
"""The maximum number of attempts to remove locks that other members replace concurrently."""


def unlock(  # noqa: PLR0913 - what is unlocked, by whom, when, and with which permission
    store: StoreContext,
    commit_id: str,
    references: Sequence[Reference],
    member_id: str,
    now: Instant,
    *,
    anybodys: bool = False,
    record: IdempotencyRecord | None = None,
) -> None:
    """Remove a member's locks from objects. Objects without a lock are left as they are.

    `anybodys`: also remove the locks of other members. Raises AlreadyRecorded, LockRefused, TooLarge,
    Unavailable.
    """
    _check_number(references, MAX_ACTIONS - (record is not None))
    recording = () if record is None else (record_write(store, record, commit_id, now),)
    # 1. Expect that each object has no lock or a lock of the member.
    own = {
        reference: _expect_lockable(store, reference, lock_conditions(member_id, now))
        for reference in references
    }
    expected = dict(own)
    for number in range(_MAX_ATTEMPTS):
        failures = _try_to_unlock(store, commit_id, expected, recording, number)
        if not failures:
            return
        check_recorded(failures)
        refusal = _refusal(failures, WholeResolver())
        if refusal.missing or not anybodys:
            raise refusal
        # 2. If there are locks of other members, expect exactly these at the next attempt. Without this
        #    expectation, a retry after a lost response could remove a lock that was created in between.
        found = {keys.reference_of(each.action.key): each.found for each in failures}
        expected |= {
            reference: _expect_lock(found_lock)
            if item and (found_lock := codec.lock_of(item))
            else own[reference]
            for reference, item in found.items()
        }
    raise Unavailable(_("Concurrent locks on the same objects prevented this request. Try again."))


def _try_to_unlock(
    store: StoreContext,
    commit_id: str,
    expected: dict[Reference, Expectation],
    recording: Sequence[Action],
    number: int,
) -> Sequence[Failure]:
    """Attempt to remove locks; return the expectations that failed, none on success. Raises Unavailable."""
    actions = [
        Patch(keys.head(reference), expect, remove=codec.LOCK_ATTRIBUTES)
        for reference, expect in expected.items()
    ]
    try:
        return try_commit(store.engine, Batch(commit_id, (*actions, *recording), number))
    except OutcomeUnknown as doubt:
        if any(each.found is None or codec.lock_of(each.found) for each in doubt.failures):
            raise
    return ()  # none of the objects is locked now, so the lost attempt has succeeded


def _expect_lock(lock: Lock) -> Expectation:
    """Return the expectation that an object still has the lock that was found."""
    conditions = (
        Condition(codec.LOCK_OWNER, ConditionOperator.EQUALS, lock.owner),
        Condition(codec.LOCKED_UNTIL, ConditionOperator.EQUALS, lock.until),
    )
    return Expectation(exists=True, conditions=conditions)
