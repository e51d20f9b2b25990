"""REST bodies in JSON or XML, as the query parameter `format` says, and what forms of web pages send.

A body has the same fields in both formats, which a Shape names. Readers check the fields and report
everything that is wrong with them at once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any
from urllib.parse import parse_qsl

import orjson

from stratabase.http_api.http.media_type import MediaType, parse_media_type
from stratabase.http_api.http.messages import Headers, Request, Response
from stratabase.http_api.http.refusals import Malformed, UnsupportedMediaType
from stratabase.http_api.http.shape import ListShape, Shape, check_fields, check_text_fields
from stratabase.http_api.http.strict_json import parse_json_object, repeated_fields
from stratabase.http_api.http.xml import parse_xml_fields, render_xml, render_xml_list
from stratabase.messages import _, and_list

Fields = Mapping[str, object]
Content = Fields | Sequence[Fields]
"""What a body holds: the fields of a Shape, or those of each item of a ListShape."""

FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"
_MAX_FORM_FIELDS = 100


class BodyFormat(Enum):
    """A format of bodies; the value is its name in the query."""

    JSON = "json"
    XML = "xml"


def body_format_of(media_type: str) -> BodyFormat | None:
    """Return the format that a media type names (`application/json`, `text/xml`, `…+json`), if any."""
    for body_format in BodyFormat:
        if media_type.endswith((f"/{body_format.value}", f"+{body_format.value}")):
            return body_format
    return None


def requested_format(request: Request) -> BodyFormat:
    """Return the format that a request asks for, JSON by default. Raises Malformed."""
    values = request.query.get("format", ("json",))
    try:
        (value,) = values
        return BodyFormat(value)
    except ValueError:
        message = _(
            'The query parameter "format" must be json or xml, not {values}.',
            values=and_list(f'"{value}"' for value in values),
        )
        raise Malformed(message) from None


def requested_format_or_json(request: Request) -> BodyFormat:
    """Return the format that a request asks for; JSON when it asks for none, or for one that there is not."""
    try:
        return requested_format(request)
    except Malformed:
        return BodyFormat.JSON


def body_response(
    request: Request, status: int, shape: Shape | ListShape, content: Content, headers: Headers = ()
) -> Response:
    """Return a response in the format that a request asks for. Raises Malformed."""
    body_format = requested_format(request)
    content_type = ("Content-Type", f"application/{body_format.value}")
    return Response(status, (content_type, *headers), render_body(body_format, shape, content))


def render_body(body_format: BodyFormat, shape: Shape | ListShape, content: Content) -> bytes:
    """Return content as JSON, or as XML with the same names, where null is an empty element."""
    if body_format is BodyFormat.JSON:
        return orjson.dumps(content)
    if isinstance(shape, ListShape):
        assert not isinstance(content, Mapping), "a list has the fields of each item"
        return render_xml_list(shape.root, shape.item.root, content)
    assert isinstance(content, Mapping), "a shape has fields"
    return render_xml(shape.root, content, shape.namespace)


def read_body(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields that the body of a request gives. Raises Malformed, UnsupportedMediaType.

    A Content-Type that names neither format is ignored: `format` decides.
    """
    body_format = requested_format(request)
    _check_content_type(request, body_format)
    if not request.body:
        message = _(
            "The request body is empty. Send {fields} as {format}.",
            fields=and_list(shape.fields),
            format=body_format.name,
        )
        raise Malformed(message)
    if body_format is BodyFormat.JSON:
        return check_fields(parse_json_object(request.body), shape)
    return check_text_fields(parse_xml_fields(request.body, shape.root), shape)


def _check_content_type(request: Request, body_format: BodyFormat) -> None:
    content_type = parse_media_type(request.header("content-type") or "")
    if body_format_of(content_type.name) not in (body_format, None):
        message = _(
            "The request body must be {format}, but the Content-Type header is {content_type}. "
            "To choose the format, use the query parameter format=json or format=xml.",
            format=body_format.name,
            content_type=content_type.name,
        )
        raise UnsupportedMediaType(message)
    check_charset(content_type)


def check_charset(content_type: MediaType) -> None:
    """Raise UnsupportedMediaType for a Content-Type whose charset is not UTF-8."""
    if content_type.parameters.get("charset", "utf-8") != "utf-8":
        message = _(
            "The request body must be in UTF-8, and the charset in the Content-Type header must be utf-8."
        )
        raise UnsupportedMediaType(message)


def read_form(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields that the form of a web page gives, each at most once. Raises Malformed."""
    try:
        pairs = parse_qsl(
            request.body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FORM_FIELDS
        )
    except ValueError as error:
        message = _(
            "The request body must contain form fields in percent-encoded UTF-8: {error}.", error=str(error)
        )
        raise Malformed(message) from None
    repeated = [name for name, count in Counter(name for name, _value in pairs).items() if count > 1]
    if repeated:
        raise Malformed(repeated_fields(_("The form"), repeated))
    return check_text_fields(dict(pairs), shape)
