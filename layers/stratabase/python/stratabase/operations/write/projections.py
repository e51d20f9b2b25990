"""Readers of the state before a write, after it, and at an instant: all of it, whoever may see it."""

from typing import NamedTuple

from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.write.plan import WritePlan
from stratabase.expressions.environment import EvaluationContext
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.source import Source
from stratabase.operations.overlay import Overlay
from stratabase.operations.services import Services


class Projections(NamedTuple):
    """The states that conditions of grants and warnings ask, with the budget from which they read.

    What was read for the plan is known at first; all else is read when it is asked for.
    """

    world: Services
    plan: WritePlan
    circumstances: EvaluationContext
    allowance: ReadBudget

    def present(self) -> Known:
        """Return a reader of objects as they are."""
        known = self._reader(self.world.entities)
        before = self.plan.request.context.snapshot.entities.values()
        known.add(entity for entity in before if entity is not None)
        return known

    def projected(self) -> Known:
        """Return a reader of objects as the write would leave them."""
        known = self._reader(Overlay(self.world.entities, self.world.model, self.plan.effects))
        before, written = self.plan.request.context.snapshot.entities, self.plan.index.objects
        known.add(each for reference, each in before.items() if each is not None and reference not in written)
        return known

    def former(self, at: Instant) -> Known:
        """Return a reader of objects as they were at an instant."""
        known = self._reader(AsOf(self.world.entities, self.world.model, at))
        versions = self.plan.request.context.snapshot.versions.items()
        known.add(version for (_, when), version in versions if version is not None and when == at)
        return known

    def _reader(self, source: Source) -> Known:
        return Known(source, self.world.model, self.allowance, circumstances=self.circumstances, bare=True)
