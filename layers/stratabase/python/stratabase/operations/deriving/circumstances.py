"""What expressions know beside objects: who asks, and when; the same for a whole request."""

from datetime import UTC, tzinfo

from stratabase.domain.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.expressions.environment import EvaluationContext
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.locales import load_time_zone
from stratabase.formats.preferences import Formats
from stratabase.model.model_expressions import evaluation_context


def circumstances_of(caller: Caller, now: Instant) -> EvaluationContext:
    """Return the circumstances of a request of a member, which are read at an instant."""
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
    return evaluation_context(fields, now, _zone(formats))


def _zone(formats: Formats) -> tzinfo:
    """Return the member's time zone; UTC where this machine does not know it, rather than refuse."""
    try:
        return load_time_zone(formats.time_zone)
    except InvalidValue:
        return UTC
