"""The context of one request: the data that all reads of the request share, and a look at its deadline."""

from datetime import UTC, tzinfo
from functools import cached_property, lru_cache

from stratabase.core import waiting
from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model import model_expressions
from stratabase.core.model.model import Model
from stratabase.core.operations.ports import ReadableObjects
from stratabase.core.operations.services import Services
from stratabase.core.waiting import remaining_seconds
from stratabase.values.cel.environment import EMPTY_CONTEXT, EvaluationContext
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.locales import load_time_zone
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _


def check_time() -> None:
    """Let other requests proceed before a part of a request that may take long. It costs little.

    Raises Unavailable after the deadline of the request.
    """
    waiting.give_way()
    if remaining_seconds() <= 0:
        message = _(
            "The request reached its time limit, so this part of it wasn't executed. Request less at a time."
        )
        raise Unavailable(message)


class ReadContext:
    """The model, the store, the read budget, and the evaluation context of one request.

    `evaluation` is what expressions can refer to besides objects, such as the caller and the instant.
    """

    def __init__(
        self,
        model: Model,
        entities: ReadableObjects,
        budget: ReadBudget,
        evaluation: EvaluationContext = EMPTY_CONTEXT,
    ) -> None:
        self.model = model
        self.entities = entities
        self.budget = budget
        self.evaluation = evaluation

    def within(self, budget: ReadBudget) -> "ReadContext":
        """Return the same context with another read budget."""
        return ReadContext(self.model, self.entities, budget, self.evaluation)

    @cached_property
    def access(self) -> Access | None:
        """The caller's rights. None means full access, also if the request has no caller."""
        return access_of(self.model, self.evaluation.caller_field("profile"))


def read_context(
    services: Services, caller: Caller, budget: ReadBudget | None = None, now: Instant | None = None
) -> ReadContext:
    """Return the context of a member's request, at the instant `now` or at present.

    Without `budget`, the request gets a budget of its own.
    """
    budget = budget or services.new_budget()
    evaluation = evaluation_context(caller, services.clock.now() if now is None else now, budget)
    return ReadContext(services.model, services.entities, budget, evaluation)


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
