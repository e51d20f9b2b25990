"""Objects are locked: all that are named, or none.

Where a part is locked, its wholes are told, in the same commit: so no deletion of theirs that leaves the
parts for later passes over a lock that it has not seen.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stratabase.domain.objects.commit_refusals import LockRefused, TooLarge
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.identity import SINGLETON_ID
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.store import codec, keys, locks
from stratabase.store.desk import Desk
from stratabase.store.engine.expectations import find_failures
from stratabase.store.engine.port import (
    MAX_ACTIONS,
    Action,
    Batch,
    Expectation,
    ExpectationFailed,
    Failure,
    Patch,
    Value,
)
from stratabase.store.presence import THERE, UNDELETED, living


@dataclass(slots=True)
class Wholes:
    """What objects are parts of, each with these, and which of the objects are not there."""

    parts: dict[Reference, set[Reference]] = field(default_factory=lambda: defaultdict(set))
    missing: set[Reference] = field(default_factory=set)


def lock(desk: Desk, commit_id: str, references: Sequence[Reference], taken: Lock, now: Instant) -> None:
    """Lock objects for a member, who may have done so before. Raises Unlockable, TooLarge, Unavailable."""
    check_size(references)
    wholes = _wholes(desk, references)
    admitted = {each: there(desk, each, locks.admitting(taken.owner, now)) for each in references}
    actions = [
        *_taken(admitted, locks.attributes(taken), wholes, commit_id),
        *_told(wholes, commit_id, references),
    ]
    check_size(actions, "objects with the wholes of parts among them")
    if wholes.missing:
        raise unlockable(find_failures(desk.engine, actions), wholes)
    try:
        desk.engine.commit(Batch(commit_id, tuple(actions)))
    except ExpectationFailed as refusal:
        raise unlockable(refusal.failures, wholes) from None


def there(desk: Desk, reference: Reference, either: locks.Admitting) -> Expectation:
    """Return the expectation that an object is there and admits somebody; a singleton needs no head."""
    is_always = reference.id == SINGLETON_ID and desk.is_singleton(reference.class_name)
    return replace(UNDELETED if is_always else THERE, either=either)


def check_size(named: Sequence[Reference | Action], what: str = "objects") -> None:
    """Raise TooLarge for more than is done together."""
    if len(named) > MAX_ACTIONS:
        raise TooLarge(what, len(named), MAX_ACTIONS)


def unlockable(failures: Iterable[Failure], wholes: Wholes) -> LockRefused:
    """Return why objects are not locked, or unlocked."""
    held: list[tuple[Reference, Lock]] = []
    missing = dict.fromkeys(wholes.missing)
    for failure in failures:
        reference, found = keys.reference_of(failure.action.key), failure.found
        taken = locks.lock_of(found) if found and failure.action.expect.either else None
        if taken is not None:
            held.append((reference, taken))
        else:
            asked = [reference] if failure.action.expect.either else []
            missing |= dict.fromkeys((*asked, *wholes.parts.get(reference, ())))
    return LockRefused(held, missing)


def _taken(
    expected: Mapping[Reference, Expectation], lock: Mapping[str, Value], wholes: Wholes, commit_id: str
) -> Iterator[Action]:
    """Yield what locks the objects that may be there."""
    for reference, expect in expected.items():
        if reference not in wholes.missing:
            told = {locks.PART_LOCK: commit_id} if reference in wholes.parts else {}
            yield Patch(keys.head(reference), expect, set={**lock, **told})


def _told(wholes: Wholes, commit_id: str, besides: Sequence[Reference]) -> Iterator[Action]:
    """Yield what tells the wholes of parts, but for those that are locked themselves."""
    told = {locks.PART_LOCK: commit_id}
    named = frozenset(besides)
    return (Patch(keys.head(whole), THERE, set=told) for whole in wholes.parts if whole not in named)


def _wholes(desk: Desk, references: Sequence[Reference]) -> Wholes:
    """Read level by level what objects are parts of; no farther than can be locked together."""
    found = Wholes()
    level = {reference: {reference} for reference in references if _is_part(desk, reference)}
    while level and len(found.parts) <= MAX_ACTIONS:
        items = desk.engine.get([keys.head(reference) for reference in level])
        above: dict[Reference, set[Reference]] = defaultdict(set)
        for origins, item in zip(level.values(), items, strict=True):
            if (head := living(item)) is None:
                found.missing |= origins
            elif (whole := _whole(desk, codec.entity_of(head))) is not None:
                found.parts[whole] |= origins
                above[whole] |= origins
        level = {whole: origins for whole, origins in above.items() if _is_part(desk, whole)}
    return found


def _is_part(desk: Desk, reference: Reference) -> bool:
    return any(role.whole for role in desk.model.classes[reference.class_name].roles.values())


def _whole(desk: Desk, entity: Entity) -> Reference | None:
    roles = (role for role in desk.class_of(entity).roles.values() if role.whole)
    found = ((role.target, entity.state.get(role.name)) for role in roles)
    return next((Reference(target, str(id_)) for target, id_ in found if id_ is not None), None)
