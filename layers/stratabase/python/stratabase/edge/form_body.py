"""The body that a form of a web page sends (application/x-www-form-urlencoded)."""

from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

from stratabase.edge.fields import checked_texts
from stratabase.edge.names import some
from stratabase.edge.refusals import Malformed
from stratabase.edge.request import Request
from stratabase.edge.shape import Shape

MEDIA_TYPE = "application/x-www-form-urlencoded"
_MOST_FIELDS = 100


def read_form(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields of a form, none of which may come twice. Raises Malformed, naming all mistakes."""
    try:
        pairs = parse_qsl(
            request.body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError as error:
        raise Malformed(f"The body must be fields of a form, percent-encoded UTF-8: {error}.") from None
    twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
    if twice:
        raise Malformed(f"The form gives {some(twice)} more than once; give each field once.")
    return checked_texts(dict(pairs), shape)
