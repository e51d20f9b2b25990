"""Writes small XML documents that every parser accepts."""

import re
from collections.abc import Mapping

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def document(root: str, fields: Mapping[str, object], namespace: str | None = None) -> bytes:
    """Return a document with an element per field; characters that XML cannot hold become U+FFFD."""
    attribute = f' xmlns="{namespace}"' if namespace else ""
    elements = "".join(f"<{name}>{_text(value)}</{name}>" for name, value in fields.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}{attribute}>{elements}</{root}>\n'.encode()


def _text(value: object) -> str:
    return _FORBIDDEN.sub("\ufffd", str(value)).translate(_ESCAPES)
