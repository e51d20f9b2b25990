"""The headers of tus 1.0 (https://tus.io), the protocol for uploads in several requests."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import NamedTuple

from stratabase.core.domain.files.media_type_of_name import media_type_of_name
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import (
    ChecksumMismatch,
    Malformed,
    UnsupportedMediaType,
    UnsupportedTusVersion,
    quote_name,
)
from stratabase.values.messages import _, or_list

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,termination,expiration,checksum"
CHUNK_TYPE = "application/offset+octet-stream"
"""The media type of the bytes of a file."""
ALGORITHMS = ("sha1", "sha256", "sha512", "md5")
"""The algorithms of checksums, by their names in tus and in Python."""
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_NAME = re.compile(r"[!-+\--~]+")
"""The name of a metadata entry: ASCII without spaces and commas."""


class Metadata(NamedTuple):
    """What a client says about a file."""

    name: str
    mime_type: str
    """The type that the client names, or else that of the name. Empty if there is none."""
    text: str
    """All of it, as the client sent it."""


def is_tus(request: Request) -> bool:
    """Return whether a request is one of tus."""
    return "tus-resumable" in request.headers


def check_version(request: Request) -> None:
    """Raise UnsupportedTusVersion for a request without the header Tus-Resumable, or with another version."""
    if request.header("tus-resumable") != VERSION:
        message = _("Send the header Tus-Resumable: {version}.", version=VERSION)
        raise UnsupportedTusVersion(message, VERSION)


def read_size(request: Request) -> int:
    """Return the size of the file that an upload is for. Raises Malformed."""
    if "upload-defer-length" in request.headers:
        message = _("Upload-Defer-Length is not supported. Send the size of the file in Upload-Length.")
        raise Malformed(message)
    if "upload-concat" in request.headers:
        raise Malformed(_("Upload-Concat is not supported. Send the file in a single upload."))
    return _read_number(request, "Upload-Length")


def read_offset(request: Request) -> int:
    """Return the offset of the bytes in a request. Raises Malformed."""
    return _read_number(request, "Upload-Offset")


def _read_number(request: Request, name: str) -> int:
    value = request.header(name.lower())
    if value is None:
        raise Malformed(_("The header {name} is missing.", name=name))
    if not _NUMBER.fullmatch(value):
        message = _(
            "The header {name} must be a number of bytes, not {value}.", name=name, value=quote_name(value)
        )
        raise Malformed(message)
    return int(value)


def read_metadata(request: Request) -> Metadata:
    """Return the name and the media type of a file. Other metadata are ignored. Raises Malformed."""
    text = request.header("upload-metadata") or ""
    entries = _parse_metadata(text)
    name = _metadata_text(entries, "filename")
    return Metadata(name, _metadata_text(entries, "filetype") or media_type_of_name(name), text)


def _parse_metadata(text: str) -> Mapping[str, bytes]:
    entries: dict[str, bytes] = {}
    for entry in text.split(",") if text.strip() else ():
        name, _space, encoded = entry.strip().partition(" ")
        value = _decode(encoded)
        if value is None or name in entries or not _NAME.fullmatch(name):
            message = _(
                "The header Upload-Metadata must have pairs of a name and a value in Base64, separated by "
                "commas. This is not such a pair, or its name comes twice: {entry}.",
                entry=quote_name(entry.strip()),
            )
            raise Malformed(message)
        entries[name] = value
    return entries


def _metadata_text(entries: Mapping[str, bytes], name: str) -> str:
    try:
        return entries.get(name, b"").decode()
    except UnicodeDecodeError:
        raise Malformed(_("The value of {name} in Upload-Metadata is not UTF-8.", name=name)) from None


def check_chunk_type(request: Request) -> None:
    """Raise UnsupportedMediaType if a body is not declared as bytes of a file."""
    if parse_media_type(request.header("content-type") or "").name != CHUNK_TYPE:
        raise UnsupportedMediaType(_("The Content-Type must be {type}.", type=CHUNK_TYPE))


def check_checksum(request: Request) -> None:
    """Raise ChecksumMismatch if a body does not have the checksum in its headers. Raises Malformed."""
    header = request.header("upload-checksum")
    if header is None:
        return
    algorithm, _space, encoded = header.strip().partition(" ")
    if algorithm not in ALGORITHMS:
        message = _(
            "The checksum algorithm {name} is not supported. Use {algorithms}.",
            name=quote_name(algorithm),
            algorithms=or_list(ALGORITHMS),
        )
        raise Malformed(message)
    checksum = _decode(encoded)
    if not checksum:
        message = _("The header Upload-Checksum must have an algorithm, a space, and the checksum in Base64.")
        raise Malformed(message)
    if not hmac.compare_digest(
        hashlib.new(algorithm, request.body, usedforsecurity=False).digest(), checksum
    ):
        message = _("The received bytes do not have the checksum in the header. Send them again.")
        raise ChecksumMismatch(message)


def _decode(encoded: str) -> bytes | None:
    try:
        return base64.b64decode(encoded.strip(), validate=True)
    except ValueError:
        return None
