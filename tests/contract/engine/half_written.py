"""An overlay over an engine that has some of the items. Chance decides to which of them a commit goes."""

from random import Random

from stratabase.core.store.engine.overlay import OverlayEngine
from stratabase.core.store.engine.port import Batch
from tests.contract.engine.reference import ReferenceEngine


class HalfWrittenOverlay(OverlayEngine):
    """An overlay that passes about half of the commits of untouched items on to the engine below."""

    def __init__(self, seed: int) -> None:
        self._below = ReferenceEngine()
        self._chance = Random(seed)
        super().__init__(self._below)

    def commit(self, batch: Batch) -> None:
        """Execute a batch, here or below. Raises ExpectationFailed."""
        is_untouched = self._written.keys().isdisjoint(action.key for action in batch.actions)
        if batch.fence is None and is_untouched and self._chance.random() < 0.5:
            self._below.commit(batch)
        else:
            super().commit(batch)
