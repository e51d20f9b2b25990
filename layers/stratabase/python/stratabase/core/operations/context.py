"""What operations share: in a process, the model, the ports and the limits; in a request, what reads need.

It also looks at the deadline of a request.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import field
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache, partial
from sys import maxsize

from stratabase.core import waiting
from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import MAX_LOCK_MINUTES
from stratabase.core.domain.query.read_budget import Measuring, ReadBudget
from stratabase.core.domain.query.taken_plan import RecordingPlans
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.domain.write.warning_rules import WarningRules
from stratabase.core.model import model_expressions
from stratabase.core.model.model import Class, Model
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.ports import Clock, EntityRepository, Ids, ReadableObjects
from stratabase.core.waiting import remaining_seconds
from stratabase.values.cel.environment import EMPTY_CONTEXT, EvaluationContext
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.locales import load_time_zone
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

_BULK_SHARE = 0.75
"""The share of the remaining time of a request that a bulk operation can use."""
_UNLIMITED = BulkLimits(objects=maxsize, seconds=maxsize)


@frozen
class Services:
    """The model, the store, the clock, the source of ids, and the limits that all operations share."""

    model: Model
    entities: EntityRepository
    """The repository of the objects."""
    clock: Clock
    ids: Ids
    new_budget: Callable[[], ReadBudget]
    """Makes the read budget of one request. Its time starts at once."""
    measuring: Measuring = field(default=lambda _: nullcontext())
    """A context manager that measures calls to the storage. The default measures nothing."""
    bulk: BulkLimits = _UNLIMITED
    """The limits of one bulk operation. The default has none; those of an instance are settings."""
    lock_minutes: int = MAX_LOCK_MINUTES
    """The longest lock, in minutes."""
    files: FileStores | None = None
    """The stores of files. Without them, no file is pending."""
    new_totals_budget: Callable[[], ReadBudget] | None = None
    """Makes the read budget of the totals of one request. None if they draw on that of the request."""
    pause: Callable[[float], None] = waiting.pause
    """Waits for some seconds between two rounds of a write."""
    recording_plans: RecordingPlans = field(default=lambda _: nullcontext())
    """A context manager that notes the plans of queries. The default notes nothing."""
    warning_rules: WarningRules = field(init=False)
    """The warnings of the model, prepared for writes."""

    def __post_init__(self) -> None:
        """Prepare the warnings once, because every write needs them."""
        object.__setattr__(self, "warning_rules", WarningRules(self.model))

    def bulk_end(self) -> float:
        """Return the instant at which a bulk operation that begins now must stop, in milliseconds.

        It is early enough to finish the object in progress, and to answer, before the deadline.
        """
        return self.clock.now() + 1000 * min(self.bulk.seconds, _BULK_SHARE * remaining_seconds())

    def class_(self, name: str) -> Class:
        """Return the class with a name."""
        return self.model.classes[name]


def check_time() -> None:
    """Let other requests proceed before a part of a request that may take long. It costs little.

    Raises Unavailable after the deadline of the request.
    """
    if not waiting.has_time():
        message = _(
            "The request reached its time limit, so this part of it wasn't executed. Request less at a time."
        )
        raise Unavailable(message)


class ReadContext:
    """The model, the store, the read budget, and the evaluation context of one request."""

    def __init__(
        self,
        model: Model,
        entities: ReadableObjects,
        budget: ReadBudget,
        evaluation: EvaluationContext | Callable[[], EvaluationContext] = EMPTY_CONTEXT,
        new_totals_budget: Callable[[], ReadBudget] | None = None,
    ) -> None:
        """Take what reads share. `evaluation` may be a function that makes it. Few requests need it.

        `new_totals_budget`: makes the budget for totals. Otherwise, they draw on that of the request.
        """
        self._new_totals_budget = new_totals_budget
        self.model = model
        self.entities = entities
        self.budget = budget
        self._evaluation = evaluation

    @cached_property
    def evaluation(self) -> EvaluationContext:
        """What expressions can refer to besides objects, such as the caller and the instant."""
        made = self._evaluation
        return made if isinstance(made, EvaluationContext) else made()

    def within(self, budget: ReadBudget) -> "ReadContext":
        """Return the same context with another read budget."""
        return ReadContext(self.model, self.entities, budget, self.evaluation)

    @cached_property
    def _totals_budget(self) -> ReadBudget | None:
        return None if self._new_totals_budget is None else self._new_totals_budget()

    def for_totals(self) -> "ReadContext":
        """Return the same context with the budget that all totals of the request share."""
        return self.within(self._totals_budget or self.budget)

    @cached_property
    def access(self) -> Access | None:
        """The caller's rights. None means full access, also if the request has no caller.

        Code that knows them already can set them.
        """
        return access_of(self.model, self.evaluation.caller_field("profile"))


def read_context(
    services: Services, caller: Caller, budget: ReadBudget | None = None, now: Instant | None = None
) -> ReadContext:
    """Return the context of a member's request, at the instant `now` or at present.

    Without `budget`, the request gets a budget of its own.
    """
    budget = budget or services.new_budget()
    now = services.clock.now() if now is None else now
    evaluation = partial(evaluation_context, caller, now, budget)
    return ReadContext(services.model, services.entities, budget, evaluation, services.new_totals_budget)


def evaluation_context(caller: Caller, now: Instant, budget: ReadBudget | None = None) -> EvaluationContext:
    """Return what expressions can refer to in a member's request besides objects, at an instant.

    Long computations are charged to the budget, if there is one.
    """
    always = _lasting_context(caller)
    if budget is None:
        return EvaluationContext(always.caller, now, always.zone)
    return EvaluationContext(always.caller, now, always.zone, budget.compare)


@lru_cache(maxsize=256)  # Most requests come from few callers.
def _lasting_context(caller: Caller) -> EvaluationContext:
    """Return the part of an evaluation context that is the same for all requests of a member."""
    formats = caller.formats
    fields = {
        "id": caller.id,
        "username": caller.username,
        "email": caller.email,
        "notes": caller.notes,
        "profile": caller.profile,
        "timeFormat": formats.time_format,
        "dateFormat": formats.date_format,
        "timeZone": formats.time_zone,
        "language": formats.language,
    }
    return model_expressions.evaluation_context(fields, zone=_zone(formats))


def _zone(formats: Formats) -> tzinfo:
    """Return the member's time zone, or UTC if this machine does not have it: that must not fail requests."""
    try:
        return load_time_zone(formats.time_zone)
    except InvalidValue:
        return UTC
