"""What ends with objects that a change deletes: links that no key stands for, and parts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from stratabase.domain.change import Change, Deletion
from stratabase.domain.entity import Entity, Reference
from stratabase.model.class_ import Class
from stratabase.store import codec, keys, links
from stratabase.store.association import Ends, Pair
from stratabase.store.desk import Desk
from stratabase.store.engine import MOST_ACTIONS, Item, Place, Put

_MOST_LINKS = MOST_ACTIONS + 1
"""Of one role of one object; more are more than can be ended together, however many there are."""


class Links(NamedTuple):
    """The pairs that end with an object in the same commit; `left`: whether others are left for later."""

    pairs: tuple[Pair, ...] = ()
    left: bool = False


NONE = Links()


def links_of(desk: Desk, change: Change, *, leaving: bool) -> Mapping[Reference, Links]:
    """Return the pairs that end with the objects that a change deletes.

    With `leaving`, those are left for later that no required role has an interest in.
    """
    asked = [
        (effect.before.reference, ends)
        for effect in deletions(change)
        for ends in desk.associations.kept(effect.before.reference.class_name)
    ]
    found = desk.together(lambda each: _pairs(desk, *each), asked)
    ended: dict[Reference, Links] = {}
    for (reference, ends), pairs in zip(asked, found, strict=True):
        before, stay = ended.get(reference, NONE), leaving and not ends.far.required
        ended[reference] = Links(
            before.pairs if stay else (*before.pairs, *pairs), before.left or (stay and bool(pairs))
        )
    return ended


def _pairs(desk: Desk, reference: Reference, ends: Ends) -> Sequence[Pair]:
    found = links.found(desk.engine, ends.near.role, reference.id, _MOST_LINKS)
    return [Pair(ends, reference.id, other) for other in found]


def deletions(change: Change) -> Iterator[Deletion]:
    """Yield what a change deletes."""
    return (effect for effect in change.effects if isinstance(effect, Deletion))


def parts(class_: Class, entity: Entity) -> Iterator[Reference]:
    """Yield the parts of an object."""
    for role in class_.roles.values():
        value = entity.state.get(role.name) if role.composition else None
        ids = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        yield from (Reference(role.target, id_) for id_ in ids)


def without_parts(change: Change, desk: Desk) -> Change:
    """Return a change without the deletion of what is a part of something that it deletes, too."""
    ended = [effect.before for effect in deletions(change)]
    within = {part for entity in ended for part in parts(desk.class_of(entity), entity)}
    kept = (
        effect
        for effect in change.effects
        if not (isinstance(effect, Deletion) and effect.before.reference in within)
    )
    return Change(change.commit_id, change.instant, tuple(kept))


def ledgers(desk: Desk, change: Change, ended: Mapping[Reference, Links]) -> Iterator[Put]:
    """Yield what notes for deleted objects what is left: parts that do not end with them, and links."""
    deleted = {effect.before.reference: effect.before for effect in deletions(change)}
    for reference, before in deleted.items():
        left = [part for part in parts(desk.class_of(before), before) if part not in deleted]
        if left or ended.get(reference, NONE).left:
            yield Put(_ledger(reference, left, change.commit_id))


def _ledger(reference: Reference, left: Iterable[Reference], commit_id: str) -> Item:
    by_class: dict[str, list[str]] = {}
    for class_name, id_ in left:
        by_class.setdefault(class_name, []).append(id_)
    return Item(
        keys.purge(reference),
        {codec.COMMIT_IDS: [commit_id]},
        orjson.dumps(by_class).decode(),
        {keys.LISTING: Place(keys.PURGES, f"{reference.class_name}#{reference.id}")},
    )


def noted(ledger: Item) -> list[Reference]:
    """Return the parts that a ledger notes."""
    by_class: Mapping[str, list[str]] = orjson.loads(ledger.state or "{}")
    return [Reference(class_name, id_) for class_name, ids in by_class.items() for id_ in ids]
