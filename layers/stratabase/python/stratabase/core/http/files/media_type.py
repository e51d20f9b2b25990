"""Which files browsers may show, and the security policy under which they do.

A file comes from a member, and its page would have the origin of the service. So browsers save every file
that can contain script, and show the others in a sandbox.
"""

import re

from stratabase.core.http.base.media_type import parse_media_type

_UNKNOWN = "application/octet-stream"
_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}"
_MEDIA_TYPE = re.compile(rf'{_WORD}/{_WORD}(?:[ \t]*;[ \t]*{_WORD}=(?:{_WORD}|"[ !#-\[\]-~]*"))*', re.ASCII)
_MAX_LENGTH = 255
_SHOWN = ("image/", "audio/", "video/")
_PDF = "application/pdf"
_ACTIVE = ("xml", "svg", "html", "script")
"""The words in the names of types whose files can contain script."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
"""What holds for all files. No policy allows script. Browsers style the pages that they make for files."""
_SANDBOX = "img-src 'self'; sandbox"
_POLICIES = {
    # In a full sandbox, Chrome does not load the media of a page that it makes for them.
    "audio/": "media-src 'self'; sandbox allow-same-origin",
    "video/": "media-src 'self'; sandbox allow-same-origin",
    # Earlier versions of Chrome do not start their viewer in a sandbox. Script in a PDF has no access to the
    # origin of the service, because it runs in the viewer.
    _PDF: "object-src 'self'",
}
"""The rest of the policy, by the beginning of the media type. For all others, it is the full sandbox."""


def content_type(mime_type: str) -> str:
    """Return the Content-Type of a file. A text that is no media type becomes `application/octet-stream`."""
    is_valid = len(mime_type) <= _MAX_LENGTH and _MEDIA_TYPE.fullmatch(mime_type)
    return mime_type if is_valid else _UNKNOWN


def is_shown(mime_type: str) -> bool:
    """Return whether browsers show files of a type: images, PDF, audio and video without script."""
    name = parse_media_type(content_type(mime_type)).name
    is_active = any(word in name for word in _ACTIVE)
    return (name == _PDF or name.startswith(_SHOWN)) and not is_active


def security_policy(mime_type: str) -> str:
    """Return the Content-Security-Policy of a file."""
    name = parse_media_type(content_type(mime_type)).name
    return _POLICY + next((rest for start, rest in _POLICIES.items() if name.startswith(start)), _SANDBOX)
