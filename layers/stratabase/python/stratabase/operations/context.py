"""What all reading on behalf of one request shares, built once."""

from datetime import UTC, tzinfo
from functools import cached_property, lru_cache

from stratabase.domain.access.grants import Access, access_of
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EMPTY_CONTEXT, EvaluationContext
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.locales import load_time_zone
from stratabase.formats.preferences import Formats
from stratabase.model import model_expressions
from stratabase.model.model import Model
from stratabase.operations.ports import Entities
from stratabase.operations.services import Services


class RequestContext:
    """The model and the stored objects that a request reads, how much it may read, for whom and when.

    `evaluation`: what expressions know beside objects, the caller and the instant among them.
    """

    def __init__(
        self,
        model: Model,
        entities: Entities,
        budget: ReadBudget,
        evaluation: EvaluationContext = EMPTY_CONTEXT,
    ) -> None:
        self.model = model
        self.entities = entities
        self.budget = budget
        self.evaluation = evaluation

    @cached_property
    def access(self) -> Access | None:
        """What the caller may do; None for everything, and for a request on nobody's behalf."""
        return access_of(self.model, self.evaluation.caller_field("profile"))


def request_context(
    services: Services, caller: Caller, budget: ReadBudget | None = None, now: Instant | None = None
) -> RequestContext:
    """Return the context of a request of a member, with a budget of its own unless one is given."""
    evaluation = evaluation_context(caller, services.clock.now() if now is None else now)
    return RequestContext(services.model, services.entities, budget or services.new_budget(), evaluation)


def evaluation_context(caller: Caller, now: Instant) -> EvaluationContext:
    """Return what expressions know of a request of a member, which are evaluated at an instant."""
    always = _lasting_context(caller)
    return EvaluationContext(always.caller, now, always.zone)


@lru_cache(maxsize=256)  # Most requests come from few callers.
def _lasting_context(caller: Caller) -> EvaluationContext:
    """Return what expressions know of a member, whatever the instant is."""
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
    """Return the member's time zone; UTC where this machine does not know it, rather than refuse."""
    try:
        return load_time_zone(formats.time_zone)
    except InvalidValue:
        return UTC
