"""XML documents of one element with fields in it, read without any of what makes XML dangerous."""

from typing import NoReturn

from stratabase.edge.names import shown
from stratabase.edge.refusals import Malformed


def read_elements(body: bytes, root: str) -> dict[str, str]:
    """Return the texts of the elements within the element `root`, by their names. Raises Malformed.

    CDATA, comments and declarations of prefixes mean what they mean everywhere; a DOCTYPE, entities of one's
    own, processing instructions, other attributes, and elements deeper down or twice are refused.
    """
    # Read only when XML comes in, which most processes never see.
    from defusedxml.common import DefusedXmlException  # noqa: PLC0415 - see above
    from defusedxml.ElementTree import DefusedXMLParser, ParseError  # noqa: PLC0415 - see above

    _check_encoding(body)
    fields = _Fields(root)
    parser = DefusedXMLParser(target=fields, encoding="utf-8", forbid_dtd=True)
    parser.parser.XmlDeclHandler = _check_declaration
    try:
        parser.feed(body)
        parser.close()
    except DefusedXmlException:
        raise Malformed("The body must be XML without a DOCTYPE and without entities of its own.") from None
    except ParseError as error:
        raise Malformed(f"The body must be an XML document in UTF-8: {error}.") from None
    return fields.texts


class _Fields:
    """What the parser calls as it reads; it stops at the first thing that is not expected."""

    def __init__(self, root: str) -> None:
        self.texts: dict[str, str] = {}
        self._root = root
        self._open: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if attributes:
            raise Malformed(f"{_element(tag)} has an attribute; none is read here.")
        if len(self._open) == 2:
            raise Malformed(f"{_element(self._open[-1])} holds {_element(tag)}; it must hold a text.")
        if not self._open and tag != self._root:
            raise Malformed(f"The body must be an element <{self._root}>, not {_element(tag)}.")
        if self._open and tag in self.texts:
            raise Malformed(f"{_element(tag)} comes more than once; give each field once.")
        if self._open:
            self.texts[tag] = ""
        self._open.append(tag)

    def end(self, _: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        if len(self._open) == 2:
            self.texts[self._open[-1]] += text
        elif text.strip():
            raise Malformed(f"There is text beside the fields in <{self._root}>.")

    def pi(self, target: str, _: str | None = None) -> NoReturn:
        raise Malformed(f"There is a processing instruction, {shown(target)}; none is read here.")

    def close(self) -> None:
        """Do nothing more at the end."""


def _element(tag: str) -> str:
    name = tag.rpartition("}")[2]
    return f"<{shown(name, quotes='')}>" + (" of a namespace" if name != tag else "")


def _check_encoding(body: bytes) -> None:
    try:
        # A parser takes what begins like UTF-16 for that, whatever it was told.
        whole = b"\0" not in body and body.decode()
    except UnicodeDecodeError:
        whole = False
    if whole is False:
        raise Malformed("The body must be XML in UTF-8.")


def _check_declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != "utf-8":
        raise Malformed(f"The body must be XML in UTF-8; it says that it is in {shown(encoding)}.")
