"""The endpoints that send files: of uploads, of objects, and of former versions of objects."""

import re
from collections.abc import Iterator
from typing import Protocol

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import PENDING_SEGMENT
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.issues.refusals import FileNotFound
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.content_disposition import content_disposition
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import BodyStream, Headers, Request, Response
from stratabase.core.http.base.preconditions import (
    ByteRange,
    Validators,
    allows_range,
    is_unmodified,
    parse_range,
)
from stratabase.core.http.base.refusals import ResponseTooLarge, quote_name
from stratabase.core.http.base.response_body import MAX_STREAMED_SIZE
from stratabase.core.http.files.reference import REFERENCE_SHAPE, reference_json
from stratabase.core.operations.files.download import OpenFile
from stratabase.values.messages import _

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
    """Return the Content-Type of a file. If it is not a media type, it is `application/octet-stream`."""
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


_CACHE = (("Cache-Control", "private, no-cache"),)
"""Browsers keep a copy, but ask each time whether it is current, and whether the member may still read it."""


def file_response(request: Request, open_file: OpenFile, max_size: int = MAX_STREAMED_SIZE) -> Response:
    """Return the response to GET or HEAD for a file.

    A response has at most `max_size` bytes. A longer range is cut off, as RFC 9110 section 15.3.7 allows.
    Raises PreconditionFailed, RangeNotSatisfiable, ResponseTooLarge, FileNotFound, Unavailable.
    """
    file = open_file.file
    validators = Validators(f'"{file.file_id}"', open_file.modified // 1000, open_file.is_exact)
    # 1. The conditions decide first (RFC 9110 section 13.2.2).
    if is_unmodified(request, validators):
        return Response(304, (*validators.headers(), *_CACHE))
    headers = (*_file_headers(open_file), *validators.headers(), *_CACHE)
    # 2. HEAD describes the whole file, of any size. Ranges are only defined for GET.
    if request.method == "HEAD":
        return Response(200, (*headers, _length(file.size)))
    # 3. GET sends a range, or the whole file.
    part = _requested_part(request, validators, file.size)
    if part is None:
        _check_size(file.size, max_size)
        return _stream(200, headers, open_file, ByteRange(0, file.size))
    start, end = part.start, min(part.end, part.start + max_size)
    content_range = ("Content-Range", f"bytes {start}-{end - 1}/{file.size}")
    return _stream(206, (*headers, content_range), open_file, ByteRange(start, end))


def _file_headers(open_file: OpenFile) -> Headers:
    file = open_file.file
    return (
        ("Content-Type", content_type(file.mime_type)),
        ("Content-Disposition", content_disposition(file.name, inline=is_shown(file.mime_type))),
        ("Content-Security-Policy", security_policy(file.mime_type)),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Accept-Ranges", "bytes"),
    )


def _requested_part(request: Request, validators: Validators, size: int) -> ByteRange | None:
    ranges = request.headers.get("range", ())
    if len(ranges) != 1 or not allows_range(request, validators):
        return None
    return parse_range(ranges[0], size)


def _check_size(size: int, max_size: int) -> None:
    if size > max_size:
        message = _(
            "The file has {size} bytes. One response has at most {limit} bytes. "
            "Request the file in parts with the Range header, for example bytes=0-{last}.",
            size=size,
            limit=max_size,
            last=str(max_size - 1),
        )
        raise ResponseTooLarge(message)


def _stream(status: int, headers: Headers, open_file: OpenFile, part: ByteRange) -> Response:
    length = part.end - part.start
    chunks: Iterator[bytes] = open_file.read(part.start, part.end) if length else iter(())
    stream = BodyStream(chunks, length)
    return Response(status, (*headers, _length(length)), binary=True, stream=stream)


def _length(size: int) -> tuple[str, str]:
    return ("Content-Length", str(size))


REFERENCE_MEDIA_TYPE = "application/vnd.stratabase.reference+json"
"""The media type in Accept with which a client requests the reference to a pending file, not its bytes."""
_VERSION = re.compile(r"[0-9]{1,15}", re.ASCII)
_CLASS = Parameter("The name of the class, in uppercase or lowercase.")
_ATTRIBUTE = Parameter("The name of the attribute, in uppercase or lowercase.")
_VALIDATORS = {
    "ETag": "The ID of the file, in quotes.",
    "Last-Modified": "When the object got the file, or the pending file was uploaded.",
}
_FILE_HEADERS = {
    **_VALIDATORS,
    "Content-Disposition": "Whether to show or save the file, and its name.",
    "Accept-Ranges": "`bytes`",
}
_RANGE_HEADERS = {"Content-Range": "The range of bytes in the response, and the size of the file."}


class Downloads(Protocol):
    """The operations that open files. `operations.files.download.FileDownloads` implements them."""

    def open_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> OpenFile:
        """Open a pending file of the caller."""

    def open_bound(
        self, caller: Caller, class_name: str, id_: str, attribute: str, version: Instant | None = None
    ) -> OpenFile:
        """Open the file of an object, or of a version of it."""


def pending_file_endpoint(downloads: Downloads, max_size: int = MAX_STREAMED_SIZE) -> Endpoint:
    """Return the endpoint that sends a file that no object has yet, or the reference to it."""

    def download(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        target = FileTarget(_parameter(request, "class"), _parameter(request, "name"))
        pending_id = _parameter(request, "pendingFileId")
        open_file = downloads.open_pending(caller, *target, pending_id)
        vary = ("Vary", "Accept")
        if not _accepts_reference(request):
            response = file_response(request, open_file, max_size)
            return response.with_headers((*response.headers, vary))
        reference = reference_json(pending_id, open_file.file, caller.formats)
        return Response(200, (("Content-Type", REFERENCE_MEDIA_TYPE), vary), orjson.dumps(reference))

    get = Operation(
        download,
        "downloadPendingFile",
        "Download a file that is not yet bound to an object: a file that you uploaded, or any file for "
        f"administrators. With `Accept: {REFERENCE_MEDIA_TYPE}`, the response is the reference to it.",
        _responses("The class, the attribute or the ID is not valid.")
        | {
            200: ResponseSpec(
                "The file, in its own media type, or the reference.",
                ("*/*", {REFERENCE_MEDIA_TYPE: REFERENCE_SHAPE}),
                _FILE_HEADERS,
            ),
            410: ResponseSpec("The file was bound to an object, has expired, or is not the member's."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    parameters = {"class": _CLASS, "name": _ATTRIBUTE, "pendingFileId": Parameter("The ID of the upload.")}
    return Endpoint({"GET": get}, parameters)


def bound_file_endpoint(
    downloads: Downloads, max_size: int = MAX_STREAMED_SIZE, operation_id: str = "downloadFile"
) -> Endpoint:
    """Return the endpoint that sends the file of an object.

    If its address has no parameter `attribute`, the name of the attribute is `pending`.
    """

    def download(request: Request, caller: Caller | None) -> Response:
        open_file = downloads.open_bound(
            require_caller(caller),
            _parameter(request, "class"),
            _parameter(request, "name"),
            request.parameters.get("attribute", PENDING_SEGMENT),
            _version(request),
        )
        return file_response(request, open_file, max_size)

    get = Operation(
        download,
        operation_id,
        "Download the file of an object, as its `link` says.",
        _responses("The object or the version does not exist, or it has no such file.")
        | {200: ResponseSpec("The file, in its own media type.", "*/*", _FILE_HEADERS)},
        query={"version": Parameter("The start of a historical version, in milliseconds since 1970.")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    parameters = {
        "class": _CLASS,
        "name": Parameter(
            "The ID of the object. The parameter is called `name` because API Gateway allows one name for "
            "each place in an address, and at this place uploads have the name of the attribute."
        ),
        "attribute": _ATTRIBUTE,
    }
    return Endpoint({"GET": get}, parameters)


def _responses(not_found: str) -> dict[int, ResponseSpec]:
    return {
        206: ResponseSpec("The requested range of bytes.", "*/*", {**_FILE_HEADERS, **_RANGE_HEADERS}),
        304: ResponseSpec("The client has the same file.", headers=_VALIDATORS),
        404: ResponseSpec(not_found),
        412: ResponseSpec("The file has changed (If-Match or If-Unmodified-Since)."),
        413: ResponseSpec(
            "The file is too large for one response. Request it in parts with the Range header."
        ),
        416: ResponseSpec("The requested range is outside of the file.", headers=_RANGE_HEADERS),
    }


def _parameter(request: Request, name: str) -> str:
    return request.parameters.get(name, "")


def _version(request: Request) -> Instant | None:
    """Return the start of the version that the query names. Raises FileNotFound."""
    values = request.query.get("version")
    if not values:
        return None
    if len(values) > 1 or not _VERSION.fullmatch(values[0]):
        message = _(
            "The version {version} does not exist. A version is named by its start, "
            "in milliseconds since 1970.",
            version=quote_name(values[-1]),
        )
        raise FileNotFound(message)
    return int(values[0])


def _accepts_reference(request: Request) -> bool:
    ranges = [
        parse_media_type(part)
        for part in ",".join(request.headers.get("accept", ())).split(",")
        if part.strip()
    ]
    return any(each.name == REFERENCE_MEDIA_TYPE and each.weight > 0 for each in ranges)
