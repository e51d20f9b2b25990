"""The addresses of files: where clients upload them, and download them while pending and after that."""

import re
from urllib.parse import quote

from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.objects.instant import Instant

ROOT = "/auth/file"
"""The path below which all addresses of files are."""
PENDING_SEGMENT = "pending"
"""The segment of the path before the ID of a pending file. An attribute can have this name too."""
_PLAIN = re.compile(r"[0-9A-Za-z_-]*").fullmatch


def upload_address(base_url: str, target: FileTarget) -> str:
    """Return the address to upload a file to."""
    return _address(base_url, target.class_name.lower(), target.attribute)


def pending_file_address(base_url: str, target: FileTarget, pending_id: str) -> str:
    """Return the address of an uploaded file that no object has yet."""
    return _address(base_url, target.class_name.lower(), target.attribute, PENDING_SEGMENT, pending_id)


def file_address(base_url: str, target: FileTarget, object_id: str, version: Instant | None = None) -> str:
    """Return the address of the file that an object has in an attribute.

    `version` is the start of a historical version. None means the current version.
    """
    address = _address(base_url, target.class_name.lower(), object_id, target.attribute)
    return address if version is None else f"{address}?version={version}"


def _address(base_url: str, *segments: str) -> str:
    """Return the address of a path below ROOT. `base_url` has no slash at its end."""
    return "/".join((base_url + ROOT, *map(_encode, segments)))


def _encode(segment: str) -> str:
    # Pages have many links, and nearly all of their segments need no encoding. `quote` takes longer.
    return segment if _PLAIN(segment) else quote(segment, safe="")
