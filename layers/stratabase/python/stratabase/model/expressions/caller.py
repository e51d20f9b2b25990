"""The fields of `caller`: of the member on whose behalf a request is done."""

from collections.abc import Mapping

from stratabase.model.expressions.kinds import TEXT, ValueKind

NAME = "caller"
CALLER: Mapping[str, ValueKind] = {
    "id": TEXT,
    "username": TEXT,
    "email": TEXT,
    "notes": TEXT,
    "profile": TEXT,
    "timeFormat": TEXT,
    "dateFormat": TEXT,
    "timeZone": TEXT,
    "language": TEXT,
}
"""The kind of each field (service.md, section 2.4), by the name under which `Circumstances.caller` has it."""
