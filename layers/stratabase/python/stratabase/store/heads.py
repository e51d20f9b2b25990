"""What the effects of a change do to the heads of objects, and under which expectations."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.domain.change import Creation, Deletion, Effect, Update
from stratabase.domain.entity import Entity, State
from stratabase.model.class_ import Class
from stratabase.store import codec, keys
from stratabase.store.engine import FREE, Action, Condition, Delete, Expectation, Item, Patch, Put, Test


def action_on_head(effect: Effect, class_: Class, commit_id: str) -> Action:
    """Return what an effect does to its object's head. Raises TooLarge."""
    return _ACTIONS[type(effect)](effect, class_, commit_id)


def as_read(entity: Entity) -> Expectation:
    """Return the expectation that an object has not been written since it was read."""
    condition = Condition(codec.COMMIT_IDS, Test.EQUALS, list(entity.commit_ids))
    return Expectation(exists=True, conditions=(condition,))


def _put(effect: Creation, _: Class, commit_id: str) -> Action:
    after = effect.after
    item = Item(
        keys.head(after.reference),
        {codec.COMMIT_IDS: codec.remembered((), commit_id)},
        codec.state_text(after),
        {keys.LISTING: keys.listed(after.reference)},
    )
    return Put(item, FREE)


def _patch(effect: Update, class_: Class, commit_id: str) -> Action:
    before, after = effect.before, effect.after
    kept = Entity(after.reference, _unknown(before.state, class_) | dict(after.state))
    return Patch(
        keys.head(before.reference),
        as_read(before),
        set={codec.COMMIT_IDS: codec.remembered(before.commit_ids, commit_id)},
        state=codec.state_text(kept),
    )


def _unknown(state: State, class_: Class) -> dict[str, Any]:
    """Return the values of attributes that the model has not; no write that does not name them loses them."""
    return {name: value for name, value in state.items() if name not in class_.attributes}


def _delete(effect: Deletion, _: Class, __: str) -> Action:
    return Delete(keys.head(effect.before.reference), as_read(effect.before))


_ACTIONS: Mapping[type[Any], Callable[[Any, Class, str], Action]] = {
    Creation: _put,
    Update: _patch,
    Deletion: _delete,
}
