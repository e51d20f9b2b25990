"""Readers of the states before a write, after it, and at a former instant, regardless of grants."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.services import Services
from stratabase.values.cel.environment import EvaluationContext


class StateReaders(NamedTuple):
    """Makes the readers for conditions of grants and warnings. They share one read budget.

    They start with the objects that were read for the plan, and read others on demand.
    """

    services: Services
    plan: WritePlan
    evaluation: EvaluationContext
    budget: ReadBudget

    def present(self) -> Reader:
        """Return a reader of objects as they are before the write."""
        reader = Reader(self._read_context, unrestricted=True)
        before = self.plan.request.context.snapshot.entities.values()
        reader.add(entity for entity in before if entity is not None)
        return reader

    def projected(self) -> Reader:
        """Return a reader of objects as the write would leave them."""
        before = self.plan.request.context.snapshot.entities.values()
        return self.projected_from(entity for entity in before if entity is not None)

    def projected_from(self, known: Iterable[Entity]) -> Reader:
        """Return a reader of objects as the write would leave them, which reads all but `known` ones anew."""
        reader = Reader(self._read_context, pending=PendingWrite(self.plan.index), unrestricted=True)
        written = self.plan.index.objects
        reader.add(entity for entity in known if entity.reference not in written)
        return reader

    def former(self, at: Instant) -> Reader:
        """Return a reader of objects as of an instant."""
        reader = Reader(self._read_context, at, unrestricted=True)
        versions = self.plan.request.context.snapshot.versions.items()
        reader.add(version for moment, version in versions if version is not None and moment.at == at)
        return reader

    @property
    def _read_context(self) -> ReadContext:
        return ReadContext(self.services.model, self.services.entities, self.budget, self.evaluation)
