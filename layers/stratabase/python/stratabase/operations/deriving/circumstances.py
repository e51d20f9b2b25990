"""What expressions know beside objects: who asks, and when; the same for a whole request."""

from datetime import UTC, tzinfo

from stratabase.domain.member import Caller
from stratabase.domain.objects.instant import Instant
from stratabase.model.expressions import Circumstances
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed
from stratabase.model.patterns.zone import zone


def circumstances_of(caller: Caller, now: Instant) -> Circumstances:
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
    return Circumstances(fields, now, _zone(formats))


def _zone(formats: Formats) -> tzinfo:
    """Return the member's time zone; UTC where this machine does not know it, rather than refuse."""
    try:
        return zone(formats.time_zone)
    except Malformed:
        return UTC
