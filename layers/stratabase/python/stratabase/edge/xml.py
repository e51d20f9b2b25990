"""Writes small XML documents that every parser accepts."""

import re
from collections.abc import Iterable, Mapping

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def document(root: str, fields: Mapping[str, object], namespace: str | None = None) -> bytes:
    """Return a document with an element per field; characters that XML cannot hold become U+FFFD."""
    return _document(_element(root, fields, namespace))


def listing(root: str, each: str, items: Iterable[Mapping[str, object]]) -> bytes:
    """Return a document with an element `each` per item, and in that an element per field."""
    return _document(f"<{root}>{''.join(_element(each, fields) for fields in items)}</{root}>")


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
