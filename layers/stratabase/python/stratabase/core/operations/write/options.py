"""The options of a write, besides the command and its caller."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.write.outcome import WriteOutcome
from stratabase.values.cel.environment import EvaluationContext


class CommitRecorder(Protocol):
    """Records a commit for a request with an idempotency key."""

    def commit(self, outcome: WriteOutcome, commit: Callable[[Change], None]) -> None:
        """Commit the change of an outcome together with an idempotency record, by `commit`.

        Raises what `commit` raises. Raises Refused if the answer is too large to be kept.
        """

    def commit_record(self, commit: Callable[[IdempotencyRecord], None]) -> None:
        """Make the record of a step whose answer depends on no outcome, and call `commit` with it."""


class BulkRecorder(Protocol):
    """Records the commits of a bulk operation, one for each object, for a request with an idempotency key."""

    def recorder_of(self, id_: str) -> CommitRecorder:
        """Return what records the commit of the object with an ID."""

    def done(self) -> Sequence[str]:
        """Return the IDs of the objects that requests with the key have written in this operation."""


class WriteOptions(NamedTuple):
    """The client's options for a write, and the context of the request that it belongs to."""

    force: bool = False
    """Whether the write ignores issues of level WARNING."""
    evaluation: EvaluationContext | None = None
    """The evaluation context of the request. If it is None, each round has its own."""
    budget: ReadBudget | None = None
    """The budget for what conditions read. If it is None, each use has its own."""
    recorder: CommitRecorder | None = None
    """What records the commit, if the request has an idempotency key."""

    def evaluation_for(self, caller: Caller, now: Instant) -> EvaluationContext:
        """Return the evaluation context of conditions: the request's, or one for the caller at `now`."""
        return self.evaluation or evaluation_context(caller, now)


NO_OPTIONS = WriteOptions()
"""No force, and no request."""
