"""A store and an in-memory store that are written and read together, and must return the same results."""

from dataclasses import replace
from secrets import token_hex
from typing import Any

from stratabase.core.domain.objects.change import Change, Creation, Effect, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation, UniqueViolation
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import settle
from tests.core.store.engine_items import all_items
from tests.core.store.graph_agreement import disagreements
from tests.fakes import DictEntities

REFUSALS = (IntegrityViolation, Conflict, UniqueViolation)


class MirroredEntities:
    """Entities that commit to a store and to an in-memory oracle, and read from the store."""

    def __init__(self, engine: Engine, model: Model) -> None:
        self.engine = engine
        self.plain = DictEntities(model)
        self._model = model
        self._stored = Repository(engine, model)
        self._prefix = f"{token_hex(8)} "
        """Makes commit ids unique across the tables of an emulator."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stored, name)

    def commit(self, change: Change) -> None:
        change = replace(change, commit_id=f"{self._prefix}{change.commit_id}")
        met = _refusal(self._stored, change)
        plain = replace(change, effects=tuple(map(_without_nulls, change.effects)))
        assert type(_refusal(self.plain, plain)) is type(met), (change, met)
        self.check()
        if met is not None:
            raise met

    def check(self) -> None:
        """Assert that the engine contains exactly the items that the oracle's graph requires."""
        assert disagreements(self._model, self.plain.graph, all_items(self.engine)) == []

    def sweep(self) -> None:
        """Sweep until no work is left, even if the index of ledgers lags."""
        self._stored.sweep()
        settle(self.engine)
        self._stored.sweep()


def _refusal(entities: Repository | DictEntities, change: Change) -> Exception | None:
    """Commit a change, and return the exception if the commit is refused."""
    try:
        entities.commit(change)
    except REFUSALS as refusal:
        return refusal
    return None


def _without_nulls(effect: Effect) -> Effect:
    """Return an effect without null values, which stores omit."""
    if not isinstance(effect, Creation | Modification):
        return effect
    state = {name: value for name, value in effect.after.state.items() if value is not None}
    return replace(effect, after=replace(effect.after, state=state))
