"""A change that affects no other objects is planned in a short way, with the actions of the long way."""

import random
from contextlib import suppress

import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import CommitRefusal, Conflict, IntegrityViolation
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Action, Check, Engine, Key
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.write.transaction import WriteTransaction, plan_transaction
from tests.core.store.watched_engine import WatchedEngine
from tests.core.store.write.test_random_graphs import MODELS, MirroredGraph
from tests.soak import count, seed

CHANGES = count(30, 2000)


class PlannedTwice(MirroredGraph):
    """A graph of which each change is planned in both ways before it is committed."""

    def __init__(self, model: Model, engine: Engine, chance: random.Random) -> None:
        super().__init__(model, engine, chance)
        self.planned = 0

    def commit_random_change(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Compare both plans of a random change, if there is a short one. Then commit the change."""
        change = self._change()
        if not self.stored._store.associations.affect(change):
            short = self._actions(change)
            with monkeypatch.context() as patch:
                patch.setattr(Associations, "affect", lambda *_: True)
                assert self._actions(change) == short
            self.planned += bool(short)
        for entities in (self.plain, self.stored):
            with suppress(IntegrityViolation, Conflict):
                entities.commit(change)

    def _actions(self, change: Change) -> dict[Key, Action] | type[CommitRefusal]:
        try:
            transaction: WriteTransaction = plan_transaction(self.stored._store, change)
            transaction.check_certain()
        except CommitRefusal as refusal:
            return type(refusal)
        return {action.key: action for action in transaction.actions() if not isinstance(action, Check)}


@pytest.mark.soak
def test_both_ways_have_the_same_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = 0
    for model in MODELS.values():
        graph = PlannedTwice(model, WatchedEngine(), random.Random(seed()))
        for _ in range(CHANGES):
            graph.commit_random_change(monkeypatch)
        planned += graph.planned
    assert planned > len(MODELS)
