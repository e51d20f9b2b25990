"""Writing and strict parsing of small XML documents."""

import re
from collections.abc import Iterable, Mapping
from typing import NoReturn

from stratabase.core.http.base.refusals import Malformed, quote_name
from stratabase.values.messages import Message, _, verbatim

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
