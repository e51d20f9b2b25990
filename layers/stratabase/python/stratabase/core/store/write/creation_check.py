"""Finds out for many changes at once whether the store could refuse any of them.

Nothing but its size, its unique values and the objects that its keys refer to can be refused of a new object,
unless it affects more than itself. So one read tells it for many objects.
"""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.commit_refusals import TooLarge
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.codec import state_text
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.read.context import StoreContext


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
        state_text(entity)
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
