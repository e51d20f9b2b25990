"""The form of REST bodies, which the query's `format` chooses: JSON or XML."""

from collections.abc import Mapping, Sequence
from enum import Enum

import orjson

from stratabase.edge import xml
from stratabase.edge.refusals import Headers, Malformed
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.shape import Several, Shape

Fields = Mapping[str, object]
Content = Fields | Sequence[Fields]
"""What a body says: the fields of a shape, or those of each of several."""


class Format(Enum):
    """A form; its value is its name in the query."""

    JSON = "json"
    XML = "xml"


def form_of(media_type: str) -> Format | None:
    """Return the form that a media type names, None when it names another one or none."""
    return next((form for form in Format if media_type.endswith((f"/{form.value}", f"+{form.value}"))), None)


def asked(request: Request) -> Format:
    """Return the form that a request asks for, JSON when it does not say. Raises Malformed."""
    values = request.query.get("format", ("json",))
    try:
        (value,) = values
        return Format(value)
    except ValueError:
        said = " and ".join(f'"{value}"' for value in values)
        raise Malformed(f'The query parameter "format" must be json or xml, not {said}.') from None


def asked_if_any(request: Request) -> Format:
    """Return the form that a request asks for, JSON when it does not say or says something else."""
    try:
        return asked(request)
    except Malformed:
        return Format.JSON


def answer(
    request: Request, status: int, shape: Shape | Several, content: Content, headers: Headers = ()
) -> Response:
    """Return a response in the form that a request asks for. Raises Malformed."""
    form = asked(request)
    content_type = ("Content-Type", f"application/{form.value}")
    return Response(status, (content_type, *headers), written(form, shape, content))


def written(form: Format, shape: Shape | Several, content: Content) -> bytes:
    """Return content as JSON, or as XML with the same names; null is an empty element there."""
    if form is Format.JSON:
        return orjson.dumps(content)
    if isinstance(shape, Several):
        assert not isinstance(content, Mapping), "several are written of several"
        return xml.listing(shape.root, shape.each.root, content)
    assert isinstance(content, Mapping), "a shape is written of fields"
    return xml.document(shape.root, content, shape.namespace)
