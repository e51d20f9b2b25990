"""How a write is done, beside the command and its caller."""

from typing import NamedTuple

from stratabase.domain.members.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.operations.context import evaluation_context


class WriteOptions(NamedTuple):
    """What a client says of a write, and what the request that it is in knows and may read."""

    force: bool = False
    """It goes through in spite of issues of level WARNING."""
    evaluation: EvaluationContext | None = None
    """Those of the request; without, those of the moment."""
    budget: ReadBudget | None = None
    """What conditions may read; without, each round of a write has an allowance of its own."""

    def evaluation_for(self, caller: Caller, now: Instant) -> EvaluationContext:
        """Return what conditions know beside objects."""
        return self.evaluation or evaluation_context(caller, now)


DEFAULT_OPTIONS = WriteOptions()
"""Nothing is said."""
