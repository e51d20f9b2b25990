"""The name under which a received file is saved. The server's name can't lead to another folder."""

import re
from urllib.parse import unquote_to_bytes

from multipart import parse_options_header

from stratabase.core.domain.files.file_name import clean_file_name

_QUOTED = re.compile(r'"(?:\\.|[^\\"])*+"?', re.DOTALL)
_ENCODED_NAME = re.compile(r";\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]*)", re.IGNORECASE)
"""The parameter `filename*`, such as `filename*=UTF-8''caf%C3%A9.txt` (RFC 8187)."""
_RESERVED = re.compile(r'[<>:"|?*]')
"""Characters that file names on Windows can't have."""
_MAX_SIZE = 200
"""The maximum length of a name in bytes. Most systems allow 255, with the ending of an unfinished file."""


def download_name(content_disposition: str, default: str) -> str:
    """Return a safe name for a file, from the header Content-Disposition of its response.

    The name has no folder, no control characters, and no dot at its start, which would hide the file.
    """
    name = _RESERVED.sub("_", clean_file_name(_sent_name(content_disposition) or default)).strip()
    if name.startswith("."):
        name = f"_{name[1:]}"
    return _shortened(name.rstrip(". ") or default)


def _sent_name(content_disposition: str) -> str:
    # A quoted name may contain text that looks like the other parameter.
    encoded = _ENCODED_NAME.search(_QUOTED.sub('""', content_disposition))
    if encoded is not None:
        return unquote_to_bytes(encoded[1]).decode("utf-8", "replace")
    return str(parse_options_header(content_disposition)[1].get("filename", ""))


def _shortened(name: str) -> str:
    """Return a name of at most 200 bytes in UTF-8, with the same extension if it is short."""
    stem, dot, extension = name.rpartition(".")
    ending = (dot + extension).encode() if stem else b""
    if len(ending) > _MAX_SIZE // 4:
        ending = b""
    beginning = name.encode()[: len(name.encode()) - len(ending)][: _MAX_SIZE - len(ending)]
    return beginning.decode("utf-8", "ignore") + ending.decode()
