"""tus 1.0 at the addresses of uploads and of pending files: files in several requests.

The endpoints of this module answer the requests of tus. All others go to the endpoints that they extend.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from email.utils import formatdate
from typing import NamedTuple, Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import pending_file_address
from stratabase.core.domain.files.media_type import media_type_of_name
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Responder, ResponseSpec
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import (
    CHECKSUM_MISMATCH,
    ChecksumMismatch,
    Malformed,
    MethodNotAllowed,
    UnsupportedMediaType,
    UnsupportedTusVersion,
    quote_name,
)
from stratabase.core.operations.files.attributes import UploadAddress
from stratabase.core.operations.files.resumable import NewUpload, Progress
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


_OFFSET = {"Upload-Offset": "How many bytes of the file the service has."}
_EXPIRES = {"Upload-Expires": "When the upload expires, or the pending file if the upload is complete."}
_OVERRIDE = "x-http-method-override"
_GONE = ResponseSpec(
    "The upload has expired or was terminated, an object has its file, or it is not the member's."
)
_NOT_FOUND = ResponseSpec("The class, the attribute or the ID is not valid.")
_WRONG_VERSION = ResponseSpec(
    "The header Tus-Resumable is missing or wrong.", headers={"Tus-Version": "The supported version of tus."}
)
_MISMATCH = ResponseSpec("The bytes do not have the checksum in the header Upload-Checksum.")
_APPENDED = {
    204: ResponseSpec("The service has the bytes.", headers=_OFFSET | _EXPIRES),
    404: _NOT_FOUND,
    409: ResponseSpec("The bytes are not for the present offset of the upload."),
    410: _GONE,
    412: _WRONG_VERSION,
    415: ResponseSpec(
        "The attribute does not accept files of this type, or the body has another media type."
    ),
    CHECKSUM_MISMATCH: _MISMATCH,
}


class TusUploads(Protocol):
    """The operations of resumable uploads. `operations.files.resumable.ResumableUploads` implements them."""

    @property
    def max_size(self) -> int:
        """The largest file, in bytes."""

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        """Return the attribute that an address names, if the caller may set it."""

    def create(self, caller: Caller, target: FileTarget, new: NewUpload, content: bytes = b"") -> Progress:
        """Begin an upload, possibly with its first bytes."""

    def append(self, caller: Caller, address: UploadAddress, offset: int, content: bytes) -> Progress:
        """Add bytes to an upload."""

    def progress(self, caller: Caller, address: UploadAddress) -> Progress:
        """Return how far an upload is."""

    def terminate(self, caller: Caller, address: UploadAddress) -> None:
        """Give up an upload."""


def with_tus_creation(endpoint: Endpoint, uploads: Callable[[], TusUploads]) -> Endpoint:
    """Return the endpoint for uploads, extended by the creation of resumable uploads."""
    post = endpoint.operations["POST"]

    def create(request: Request, caller: Caller | None) -> Response:
        if not is_tus(request):
            return post.respond(request, caller)
        return _create(uploads(), request, require_caller(caller))

    created = replace(post.responses[201], headers={**post.responses[201].headers, **_OFFSET, **_EXPIRES})
    extended = replace(
        post,
        respond=create,
        summary=f"{post.summary} With Tus-Resumable, begin an upload in several requests.",
        responses={**post.responses, 201: created, 412: _WRONG_VERSION, CHECKSUM_MISMATCH: _MISMATCH},
        body=(post.body, CHUNK_TYPE) if isinstance(post.body, dict) else post.body,
    )
    return replace(endpoint, operations={**endpoint.operations, "POST": extended}, headers=_headers(uploads))


def with_tus(endpoint: Endpoint, uploads: Callable[[], TusUploads]) -> Endpoint:
    """Return the endpoint of a pending file, extended by the other operations of resumable uploads."""
    get = endpoint.operations["GET"]

    def head(request: Request, caller: Caller | None) -> Response:
        if not is_tus(request):
            return get.respond(request, caller)
        return _head(uploads(), request, require_caller(caller))

    def append(request: Request, caller: Caller | None) -> Response:
        return _append(uploads(), request, require_caller(caller))

    def terminate(request: Request, caller: Caller | None) -> Response:
        return _terminate(uploads(), request, require_caller(caller))

    def authorize(request: Request, caller: Caller) -> None:
        check_version(request)
        uploads().target(caller, *_address(request)[:2])

    def operation(
        respond: Responder, id_: str, summary: str, responses: dict[int, ResponseSpec]
    ) -> Operation:
        return Operation(
            respond, id_, summary, responses, error_format=ErrorFormat.PROBLEM_JSON, has_format=False
        )

    by_method: dict[str, Responder] = {"HEAD": head, "PATCH": append, "DELETE": terminate}
    responses = {404: _NOT_FOUND, 410: _GONE, 412: _WRONG_VERSION}
    patch = replace(
        operation(append, "continueUpload", "Add bytes to an upload (tus).", _APPENDED),
        body=CHUNK_TYPE,
        authorize=authorize,
        max_body_size=None,
    )
    other = replace(
        patch,
        respond=_by_override(by_method),
        id="continueUploadByPost",
        summary="Use HEAD, PATCH or DELETE with a client that can't (tus): X-HTTP-Method-Override names it.",
        responses=_APPENDED
        | {
            200: ResponseSpec("How far the upload is.", headers=_OFFSET | _EXPIRES),
            405: ResponseSpec("X-HTTP-Method-Override names no method.", headers={"Allow": "The methods."}),
        },
    )
    known = {
        200: ResponseSpec("How far the upload is, or the headers of the file.", headers=_OFFSET | _EXPIRES)
    }
    operations = {
        **endpoint.operations,
        "HEAD": replace(
            get,
            respond=head,
            id="readUploadOffset",
            summary="With Tus-Resumable, how far an upload is. Otherwise, the headers of the file.",
            responses={**get.responses, **known},
        ),
        "PATCH": patch,
        "POST": other,
        "DELETE": operation(
            terminate,
            "terminateUpload",
            "Give up an upload or a pending file (tus).",
            {204: ResponseSpec("The upload is gone."), **responses},
        ),
    }
    return replace(endpoint, operations=operations, headers=_headers(uploads))


def _headers(uploads: Callable[[], TusUploads]) -> Callable[[Request], Headers]:
    """Return the function for the headers of all responses: what the service supports, and the version."""

    def headers(request: Request) -> Headers:
        version = ("Tus-Resumable", VERSION)
        if request.method != "OPTIONS":
            return (version,) if is_tus(request) else ()
        return (
            version,
            ("Tus-Version", VERSION),
            ("Tus-Extension", EXTENSIONS),
            ("Tus-Max-Size", str(uploads().max_size)),
            ("Tus-Checksum-Algorithm", ",".join(ALGORITHMS)),
        )

    return headers


def _create(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    check_version(request)
    size = read_size(request)
    metadata = read_metadata(request)
    if request.body:
        check_chunk_type(request)
        check_checksum(request)
    target = uploads.target(caller, *_address(request)[:2])
    new = NewUpload(metadata.name, metadata.mime_type, size, metadata.text)
    progress = uploads.create(caller, target, new, request.body)
    url = pending_file_address(request.base_url, progress.target, progress.id)
    return Response(201, (("Location", url), *_offset(progress), _expires(progress)))


def _head(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    check_version(request)
    progress = uploads.progress(caller, _address(request))
    metadata = (("Upload-Metadata", progress.metadata),) if progress.metadata else ()
    size = ("Upload-Length", str(progress.size))
    return Response(200, (*_offset(progress), size, *metadata, _expires(progress)))


def _append(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    check_chunk_type(request)
    offset = read_offset(request)
    check_checksum(request)
    progress = uploads.append(caller, _address(request), offset, request.body)
    return Response(204, (*_offset(progress), _expires(progress)))


def _terminate(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    check_version(request)
    uploads.terminate(caller, _address(request))
    return Response(204)


def _by_override(by_method: dict[str, Responder]) -> Responder:
    """Return the responder for POST, which acts as the method that a header names."""

    def respond(request: Request, caller: Caller | None) -> Response:
        responder = by_method.get((request.header(_OVERRIDE) or "").upper())
        if responder is None:
            message = _(
                "Use this method with the header X-HTTP-Method-Override: {methods}.",
                methods=or_list(by_method),
            )
            raise MethodNotAllowed(message, ("GET", *by_method, "OPTIONS"))
        return responder(request, caller)

    return respond


def _address(request: Request) -> UploadAddress:
    parameters = (request.parameters.get(name, "") for name in ("class", "name", "pendingFileId"))
    return UploadAddress(*parameters)


def _offset(progress: Progress) -> Headers:
    return (("Upload-Offset", str(progress.offset)),)


def _expires(progress: Progress) -> tuple[str, str]:
    return "Upload-Expires", formatdate(progress.expires // 1000, usegmt=True)
