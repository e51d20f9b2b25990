"""Readers of the state before a write, after it, and at an instant: all of it, whoever may see it."""

from typing import NamedTuple

from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.write.plan import WritePlan
from stratabase.expressions.environment import EvaluationContext
from stratabase.operations.context import RequestContext
from stratabase.operations.read.pending import PendingWrite
from stratabase.operations.read.reader import Reader
from stratabase.operations.services import Services


class StateReaders(NamedTuple):
    """The states that conditions of grants and warnings ask, with the budget from which they read.

    What was read for the plan is known at first; all else is read when it is asked for.
    """

    services: Services
    plan: WritePlan
    evaluation: EvaluationContext
    budget: ReadBudget

    def present(self) -> Reader:
        """Return a reader of objects as they are."""
        reader = Reader(self._request, unrestricted=True)
        before = self.plan.request.context.snapshot.entities.values()
        reader.add(entity for entity in before if entity is not None)
        return reader

    def projected(self) -> Reader:
        """Return a reader of objects as the write would leave them."""
        pending = PendingWrite(self.plan.index)
        reader = Reader(self._request, pending=pending, unrestricted=True)
        before, written = self.plan.request.context.snapshot.entities, self.plan.index.objects
        reader.add(
            each for reference, each in before.items() if each is not None and reference not in written
        )
        return reader

    def former(self, at: Instant) -> Reader:
        """Return a reader of objects as they were at an instant."""
        reader = Reader(self._request, at, unrestricted=True)
        versions = self.plan.request.context.snapshot.versions.items()
        reader.add(version for (_, when), version in versions if version is not None and when == at)
        return reader

    @property
    def _request(self) -> RequestContext:
        return RequestContext(self.services.model, self.services.entities, self.budget, self.evaluation)
