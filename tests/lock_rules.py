"""The rules of locks over plain dicts: the oracle for the locks of a store."""

from collections.abc import Iterator, Mapping, Sequence

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import LockedByOthers, LockRefused
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock, admits
from stratabase.core.model.model import Model

Locks = Mapping[Reference, Lock]


def refuse_held(change: Change, locks: Locks) -> None:
    """Raise LockedByOthers if other members have locked an object that a change writes or checks."""
    now = change.instant if change.now is None else change.now
    held = [
        (reference, lock)
        for reference in _written(change)
        if change.member_id is not None
        and not admits(lock := locks.get(reference), change.member_id, now)
        and lock is not None
    ]
    if held:
        raise LockedByOthers(held)


def refuse_unlockable(
    references: Sequence[Reference], there: Sequence[bool], locks: Locks, member_id: str, now: Instant
) -> None:
    """Raise LockRefused if some objects do not exist, or other members have locked them."""
    missing = [reference for reference, is_there in zip(references, there, strict=True) if not is_there]
    asked = [reference for reference in references if reference not in missing and reference in locks]
    held = [(each, locks[each]) for each in asked if not admits(locks[each], member_id, now)]
    if missing or held:
        raise LockRefused(held, missing)


def whole_of(model: Model, entity: Entity) -> Reference | None:
    """Return the whole of a part, or None."""
    for role in model.classes[entity.reference.class_name].roles.values():
        if role.whole and (id_ := entity.state.get(role.name)) is not None:
            return Reference(role.target, str(id_))
    return None


def _written(change: Change) -> Iterator[Reference]:
    yield from (effect.before.reference for effect in change.object_effects() if effect.before is not None)
    yield from (entity.reference for entity in change.checked_entities())
