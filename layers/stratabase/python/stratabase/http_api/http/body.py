"""The form of REST bodies, which the query's `format` chooses: JSON or XML."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any
from urllib.parse import parse_qsl

import orjson

from stratabase.http_api.http import media_type, xml
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers, Malformed, UnsupportedMediaType, quote_names
from stratabase.http_api.http.shape import ListShape, Shape, check_fields, check_text_fields
from stratabase.http_api.http.strict_json import parse_json_object
from stratabase.http_api.http.xml import parse_xml_fields

Fields = Mapping[str, object]
Content = Fields | Sequence[Fields]
"""What a body says: the fields of a shape, or those of each of several."""


class BodyFormat(Enum):
    """A form; its value is its name in the query."""

    JSON = "json"
    XML = "xml"


def body_format_of(media_type: str) -> BodyFormat | None:
    """Return the form that a media type names, None when it names another one or none."""
    return next(
        (form for form in BodyFormat if media_type.endswith((f"/{form.value}", f"+{form.value}"))), None
    )


def requested_format(request: Request) -> BodyFormat:
    """Return the form that a request asks for, JSON when it does not say. Raises Malformed."""
    values = request.query.get("format", ("json",))
    try:
        (value,) = values
        return BodyFormat(value)
    except ValueError:
        said = " and ".join(f'"{value}"' for value in values)
        raise Malformed(f'The query parameter "format" must be json or xml, not {said}.') from None


def requested_format_or_json(request: Request) -> BodyFormat:
    """Return the form that a request asks for, JSON when it does not say or says something else."""
    try:
        return requested_format(request)
    except Malformed:
        return BodyFormat.JSON


def body_response(
    request: Request, status: int, shape: Shape | ListShape, content: Content, headers: Headers = ()
) -> Response:
    """Return a response in the form that a request asks for. Raises Malformed."""
    form = requested_format(request)
    content_type = ("Content-Type", f"application/{form.value}")
    return Response(status, (content_type, *headers), render_body(form, shape, content))


def render_body(form: BodyFormat, shape: Shape | ListShape, content: Content) -> bytes:
    """Return content as JSON, or as XML with the same names; null is an empty element there."""
    if form is BodyFormat.JSON:
        return orjson.dumps(content)
    if isinstance(shape, ListShape):
        assert not isinstance(content, Mapping), "several are written of several"
        return xml.render_xml_list(shape.root, shape.item.root, content)
    assert isinstance(content, Mapping), "a shape is written of fields"
    return xml.render_xml(shape.root, content, shape.namespace)


def read_body(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields of the body that are given. Raises Malformed, UnsupportedMediaType.

    All that is wrong with the fields is named at once. A Content-Type of neither form does not matter.
    """
    form = requested_format(request)
    _check_content_type(request, form)
    if not request.body:
        raise Malformed(f"The body is empty; it must hold {', '.join(shape.fields)} as {form.name}.")
    return _READERS[form](request.body, shape)


def _from_json(body: bytes, shape: Shape) -> dict[str, Any]:
    return check_fields(parse_json_object(body), shape)


def _from_xml(body: bytes, shape: Shape) -> dict[str, Any]:
    return check_text_fields(parse_xml_fields(body, shape.root), shape)


_READERS: Mapping[BodyFormat, Callable[[bytes, Shape], dict[str, Any]]] = {
    BodyFormat.JSON: _from_json,
    BodyFormat.XML: _from_xml,
}


def _check_content_type(request: Request, form: BodyFormat) -> None:
    name, parameters = media_type.parse_media_type(request.header("content-type") or "")
    said = body_format_of(name)
    if said not in (form, None):
        raise UnsupportedMediaType(
            f"The body is read as {form.name}, but Content-Type says {name}; "
            f"the query parameter format=xml or format=json chooses the form."
        )
    if parameters.get("charset", "utf-8") != "utf-8":
        raise UnsupportedMediaType("The body must be in UTF-8, and the charset of Content-Type utf-8.")


FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"
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
        raise Malformed(f"The form gives {quote_names(twice)} more than once; give each field once.")
    return check_text_fields(dict(pairs), shape)
