"""The Content-Disposition header: whether a browser shows or saves a file, and its name (RFC 6266)."""

import re
import unicodedata
from urllib.parse import quote

_MAX_NAME_LENGTH = 255
"""The maximum number of characters of a name in the header. API Gateway limits the size of all headers."""
_UNSAFE = re.compile(r'[^\x20-\x7e]|["\\/%]')
_ATTRIBUTE_CHARACTERS = "!#$&+-.^_`|~"
"""The characters besides letters and digits that RFC 8187 allows in an encoded value."""


def content_disposition(name: str, *, inline: bool) -> str:
    """Return the value of the header for a file name in any alphabet. `inline`: browsers show the file.

    Old clients read the name in ASCII, all others the encoded name (RFC 8187).
    """
    disposition = "inline" if inline else "attachment"
    shortened = _shorten(name)
    fallback = _UNSAFE.sub("_", _without_accents(shortened)).strip()
    encoded = quote(shortened.encode("utf-8", "replace"), safe=_ATTRIBUTE_CHARACTERS)
    if not fallback:
        return disposition
    return f"{disposition}; filename=\"{fallback}\"; filename*=UTF-8''{encoded}"


def _shorten(name: str) -> str:
    if len(name) <= _MAX_NAME_LENGTH:
        return name
    stem, dot, extension = name.rpartition(".")
    ending = dot + extension if stem and len(extension) < _MAX_NAME_LENGTH // 2 else ""
    return name[: _MAX_NAME_LENGTH - len(ending)] + ending


def _without_accents(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
