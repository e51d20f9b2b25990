"""The stored objects: what the operations read and commit, over any engine."""

from collections.abc import Sequence

from stratabase.domain.allowance import Allowance
from stratabase.domain.change import Change, Conflict, Effect, TooLarge, reference_of
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.page import Page, Query
from stratabase.domain.refusal import TooMuchRead
from stratabase.model.model import Model
from stratabase.store import codec, keys, pages
from stratabase.store.budget import weight
from stratabase.store.engine import (
    MOST_ACTIONS,
    Action,
    Batch,
    Engine,
    ExpectationFailed,
    Failure,
    OutcomeUnknown,
    Patch,
    Put,
)
from stratabase.store.guards import Guards
from stratabase.store.heads import Writing, action_on_head
from stratabase.store.outcome import is_known, was_done
from stratabase.store.slots import Slots

LARGEST_BATCH = 4 * 1024 * 1024
"""Bytes."""
_BESIDE_STATE = 1024
"""What an action may weigh at most, in bytes, without the state and the places."""
_ROUNDS = 5


class StoredEntities:
    """The objects of a model, kept by an engine."""

    def __init__(self, engine: Engine, model: Model) -> None:
        self._engine = engine
        self._model = model
        self._slots = Slots(engine, model)

    def read(
        self, references: Sequence[Reference], allowance: Allowance | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once.

        With an allowance, that is drawn from. Raises TooMuchRead when it was used up before.
        """
        if allowance is not None and allowance.is_used_up:
            raise TooMuchRead(references[0].class_name)
        items = self._engine.get([keys.head(reference) for reference in references])
        if allowance is not None:
            allowance.take(weight(items))
        return [None if item is None else codec.entity_of(item) for item in items]

    def page(self, query: Query, allowance: Allowance) -> Page:
        """Return a window on the objects of a class. Raises TooMuchRead."""
        class_, paths = self._model.classes[query.class_name], self._slots.paths(query.class_name)
        return pages.page(self._engine, class_, query, allowance, paths)

    def lacking(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as a person knows it."""
        return self._slots.lacking()

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing. Raises Conflict, Taken, TooLarge, Unavailable."""
        if not change.effects:
            return
        heads = tuple(self._action_on_head(effect, change.commit_id) for effect in change.effects)
        guards = Guards(change, self._model, self._read_one)
        for round_ in range(_ROUNDS):
            failures = self._attempt(change, _batch(change, round_, (*heads, *guards.actions())))
            if not failures or was_done(change, failures):
                return
            guards.learn(failures)
        raise Conflict

    def _action_on_head(self, effect: Effect, commit_id: str) -> Action:
        name = reference_of(effect).class_name
        return action_on_head(effect, Writing(self._model.classes[name], self._slots.paths(name), commit_id))

    def _read_one(self, reference: Reference) -> Entity | None:
        return self.read([reference])[0]

    def _attempt(self, change: Change, batch: Batch) -> tuple[Failure, ...]:
        """Commit, and return the expectations that failed, if any. Raises Unavailable."""
        try:
            self._engine.commit(batch)
        except ExpectationFailed as refusal:
            return refusal.failures
        except OutcomeUnknown as doubt:
            if not is_known(change, doubt.failures):
                raise
            return doubt.failures
        return ()


def _batch(change: Change, round_: int, actions: tuple[Action, ...]) -> Batch:
    """Return what is to be done together. Raises TooLarge."""
    if len(actions) > MOST_ACTIONS:
        raise TooLarge("objects and unique values in one write", len(actions), MOST_ACTIONS)
    size = sum(map(_weight, actions))
    if size > LARGEST_BATCH:
        raise TooLarge("bytes in one write", size, LARGEST_BATCH)
    return Batch(change.commit_id, actions, round_)


def _weight(action: Action) -> int:
    """Return what an action weighs at most, in bytes."""
    written = action.item if isinstance(action, Put) else action if isinstance(action, Patch) else None
    if written is None:
        return _BESIDE_STATE
    places = sum(len(place.sort.encode()) for place in written.places.values() if place is not None)
    return _BESIDE_STATE + places + len((written.state or "").encode())
