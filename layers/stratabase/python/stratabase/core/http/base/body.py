"""REST bodies in JSON or XML, and the bodies of HTML forms.

The query parameter `format` selects JSON or XML. A body has the same fields in both formats, which a Shape
defines. The reading functions validate the fields and report all mistakes at once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, NoReturn
from urllib.parse import parse_qsl

import orjson

from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import Malformed, UnsupportedMediaType, quote_name
from stratabase.core.http.base.shape import ListShape, Shape, check_text_fields, validated_fields
from stratabase.core.http.base.strict_json import check_charset, parse_json_object, repeated_fields
from stratabase.values.messages import Message, _, and_list, verbatim
from stratabase.values.text_cache import cache_short_texts

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def render_xml(root: str, fields: Mapping[str, object], namespace: str | None = None) -> bytes:
    """Return a document with an element per field. Characters that XML forbids become U+FFFD."""
    return _document(_element(root, fields, namespace))


def render_xml_list(root: str, item_name: str, items: Iterable[Mapping[str, object]]) -> bytes:
    """Return a document with an element `item_name` per item, which contains an element per field."""
    return _document(f"<{root}>{''.join(_element(item_name, fields) for fields in items)}</{root}>")


def _document(element: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{element}\n'.encode()


def _element(name: str, fields: Mapping[str, object], namespace: str | None = None) -> str:
    attribute = f' xmlns="{namespace}"' if namespace else ""
    elements = "".join(f"<{name}>{_text(value)}</{name}>" for name, value in fields.items())
    return f"<{name}{attribute}>{elements}</{name}>"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _FORBIDDEN.sub("\ufffd", str(value)).translate(_ESCAPES)


def parse_xml_fields(body: bytes, root: str) -> dict[str, str]:
    """Return the texts of the child elements of `root`, by element name. Raises Malformed.

    CDATA, comments and namespace prefixes are allowed. A DOCTYPE, entity declarations, processing
    instructions, other attributes, repeated elements and deeper nesting are rejected.
    """
    # Imported here because most processes never receive XML.
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415 - see above
    from defusedxml.ElementTree import DefusedXMLParser, ParseError  # noqa: PLC0415 - see above

    _check_encoding(body)
    fields = _FieldTarget(root)
    parser = DefusedXMLParser(target=fields, encoding="utf-8", forbid_dtd=True)
    parser.parser.XmlDeclHandler = _check_declaration
    try:
        parser.feed(body)
        parser.close()
    except DefusedXmlException:
        message = _("The request body must be XML without a DOCTYPE or entity declarations.")
        raise Malformed(message) from None
    except ParseError as error:
        message = _("The request body must be an XML document in UTF-8: {error}.", error=str(error))
        raise Malformed(message) from None
    return fields.texts


class _FieldTarget:
    """The parser target, which collects the fields. It raises Malformed at the first unexpected event."""

    def __init__(self, root: str) -> None:
        self.texts: dict[str, str] = {}
        self._root = root
        self._open: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if attributes:
            raise Malformed(_("The element {element} must not have attributes.", element=_quote_tag(tag)))
        if len(self._open) == 2:
            message = _(
                "The element {element} contains the element {child}. It must contain only text.",
                element=_quote_tag(self._open[-1]),
                child=_quote_tag(tag),
            )
            raise Malformed(message)
        if not self._open and tag != self._root:
            message = _(
                "The root element of the request body must be {expected}, not {element}.",
                expected=f"<{self._root}>",
                element=_quote_tag(tag),
            )
            raise Malformed(message)
        if self._open and tag in self.texts:
            message = _(
                "The request body repeats the element {element}. Use it only once.", element=_quote_tag(tag)
            )
            raise Malformed(message)
        if self._open:
            self.texts[tag] = ""
        self._open.append(tag)

    def end(self, _tag: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        if len(self._open) == 2:
            self.texts[self._open[-1]] += text
        elif text.strip():
            message = _(
                "The element {element} must not contain text outside its child elements.",
                element=f"<{self._root}>",
            )
            raise Malformed(message)

    def pi(self, target: str, _data: str | None = None) -> NoReturn:
        message = _(
            "The request body must not contain processing instructions such as {target}.",
            target=quote_name(target),
        )
        raise Malformed(message)

    def close(self) -> None:
        """Do nothing. The parser calls it at the end."""


def _quote_tag(tag: str) -> Message:
    name = tag.rpartition("}")[2]
    element = f"<{quote_name(name, quotes='')}>"
    return verbatim(element) if name == tag else _("{element} in a namespace", element=element)


def _check_encoding(body: bytes) -> None:
    try:
        # Expat parses a body that looks like UTF-16 as UTF-16, even with `encoding="utf-8"`, so check here.
        text = b"\0" not in body and body.decode()
    except UnicodeDecodeError:
        text = False
    if text is False:
        raise Malformed(_("The request body must be XML in UTF-8."))


def _check_declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != "utf-8":
        message = _(
            "The request body must be XML in UTF-8, but its XML declaration specifies {encoding}.",
            encoding=quote_name(encoding),
        )
        raise Malformed(message)


Fields = Mapping[str, object]
Content = Fields | Sequence[Fields]
"""The content of a body: the fields of a Shape, or the fields of each item of a ListShape."""

FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"
_MAX_FORM_FIELDS = 100


class BodyFormat(Enum):
    """A format of bodies. The value is its name in the query parameter `format`."""

    JSON = "json"
    XML = "xml"


@cache_short_texts(256)
def body_format_of(media_type: str) -> BodyFormat | None:
    """Return the body format of a media type such as `application/json`, `text/xml` or `…+json`, or None."""
    for body_format in BodyFormat:
        if media_type.endswith((f"/{body_format.value}", f"+{body_format.value}")):
            return body_format
    return None


def requested_format(request: Request) -> BodyFormat:
    """Return the body format that the query of a request selects. The default is JSON. Raises Malformed."""
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


def require_json(request: Request) -> None:
    """Raise Malformed if the query of a request selects another body format than JSON."""
    if requested_format(request) is not BodyFormat.JSON:
        raise Malformed(_("This address responds only in JSON. Remove the query parameter format."))


def requested_format_or_json(request: Request) -> BodyFormat:
    """Return the body format that the query of a request selects, or JSON if the parameter is invalid."""
    try:
        return requested_format(request)
    except Malformed:
        return BodyFormat.JSON


def body_response(
    request: Request, status: int, shape: Shape | ListShape, content: Content, headers: Headers = ()
) -> Response:
    """Return a response with content in the format that the request selects. Raises Malformed."""
    body_format = requested_format(request)
    content_type = ("Content-Type", f"application/{body_format.value}")
    return Response(status, (content_type, *headers), render_body(body_format, shape, content))


def render_body(body_format: BodyFormat, shape: Shape | ListShape, content: Content) -> bytes:
    """Return content as JSON or XML. In XML, fields become elements, and null becomes an empty element."""
    if body_format is BodyFormat.JSON:
        return orjson.dumps(content)
    if isinstance(shape, ListShape):
        assert not isinstance(content, Mapping), "a list has the fields of each item"
        return render_xml_list(shape.root, shape.item.root, content)
    assert isinstance(content, Mapping), "a shape has fields"
    return render_xml(shape.root, content, shape.namespace)


def read_body(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields in the body of a request. Raises Malformed, UnsupportedMediaType.

    The query parameter `format` decides. A Content-Type that is neither JSON nor XML is ignored.
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
        return validated_fields(parse_json_object(request.body), shape)
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


def read_form(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields of an HTML form in the body of a request. Raises Malformed."""
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
