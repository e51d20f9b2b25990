"""The options of a write, besides the command and its caller, and its result.

The result is that of a write whose grants, warnings and store were checked.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.objects.change import Change, Effect
from stratabase.core.domain.objects.entity import Entity, Reference, State
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.commands import ClientIds
from stratabase.core.operations.context import evaluation_context
from stratabase.values.cel.environment import EvaluationContext

if TYPE_CHECKING:
    from stratabase.core.domain.write.plan import WritePlan

_NONE: Mapping[Reference, str] = MappingProxyType({})
_NO_UPLOADS: Mapping[str, str] = MappingProxyType({})


class WriteResult(NamedTuple):
    """The object that was written, as it is now, and all effects of the write."""

    entity: Entity
    effects: tuple[Effect, ...] = ()
    """All changes. With them, `PendingWrite` shows the write at once, even if the store's indexes lag."""
    client_ids: ClientIds = _NONE
    """By object in the request: its client id."""
    uploads: Mapping[str, str] = _NO_UPLOADS
    """By file ID: the ID of the pending file, for files that the write takes."""

    @property
    def reference(self) -> Reference:
        """The reference of the object."""
        return self.entity.reference

    @property
    def state(self) -> State:
        """The state of the object."""
        return self.entity.state


class WriteOutcome(NamedTuple):
    """A plan, its change, and everything that prevents it."""

    plan: "WritePlan"
    change: Change
    issues: list[Issue]
    """The issues that prevent the write, including warnings that are not forced."""
    is_allowed: bool = True
    """Whether grants allow the write. If not, `issues` has nothing else."""
    reports: Sequence[Issue] = ()
    """What validations report besides the issues. It does not prevent the write."""

    @property
    def is_shown(self) -> bool:
        """Whether a preview may show the object as it would be, whatever the issues."""
        request = self.plan.request
        is_allowed = self.is_allowed and not self.plan.is_forbidden
        return is_allowed and request.context.ids.root in request.objects

    def result(self) -> WriteResult:
        """Return the result for the client."""
        entity = self.plan.entity
        assert entity is not None
        request = self.plan.request
        uploads = (
            {each.file.file_id: id_ for id_, each in request.files.items()} if request.files else _NO_UPLOADS
        )
        return WriteResult(entity, self.change.effects, request.context.ids.client_ids, uploads)


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
    evaluation: Callable[[], EvaluationContext] | None = None
    """Returns the evaluation context of the request. If it is None, each round has its own."""
    budget: ReadBudget | None = None
    """The budget for what conditions read. If it is None, each use has its own."""
    recorder: CommitRecorder | None = None
    """What records the commit, if the request has an idempotency key."""

    def evaluation_for(self, caller: Caller, now: Instant) -> EvaluationContext:
        """Return the evaluation context of conditions: the request's, or one for the caller at `now`."""
        return evaluation_context(caller, now) if self.evaluation is None else self.evaluation()


NO_OPTIONS = WriteOptions()
"""No force, and no request."""
