"""The options of a write, besides the command and its caller."""

from typing import NamedTuple

from stratabase.domain.members.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.operations.context import evaluation_context


class WriteOptions(NamedTuple):
    """The client's options for a write, and the context of the request that it belongs to."""

    force: bool = False
    """Whether the write ignores issues of level WARNING."""
    evaluation: EvaluationContext | None = None
    """The evaluation context of the request. If it is None, each round has its own."""
    budget: ReadBudget | None = None
    """The budget for what conditions read. If it is None, each use has its own."""

    def evaluation_for(self, caller: Caller, now: Instant) -> EvaluationContext:
        """Return the evaluation context of conditions: the request's, or one for the caller at `now`."""
        return self.evaluation or evaluation_context(caller, now)


DEFAULT_OPTIONS = WriteOptions()
"""No force, and no request."""
