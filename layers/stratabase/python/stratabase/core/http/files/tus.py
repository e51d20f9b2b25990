"""tus 1.0 at the addresses of uploads and of pending files: files in several requests.

The endpoints of this module answer the requests of tus. All others go to the endpoints that they extend.
"""

from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import pending_file_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Responder, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import CHECKSUM_MISMATCH, MethodNotAllowed
from stratabase.core.http.files import tus_headers
from stratabase.core.operations.files.own_uploads import UploadAddress
from stratabase.core.operations.files.resumable import NewUpload, Progress
from stratabase.values.messages import _, or_list

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
        if not tus_headers.is_tus(request):
            return post.respond(request, caller)
        return _create(uploads(), request, require_caller(caller))

    created = replace(post.responses[201], headers={**post.responses[201].headers, **_OFFSET, **_EXPIRES})
    extended = replace(
        post,
        respond=create,
        summary=f"{post.summary} With Tus-Resumable, begin an upload in several requests.",
        responses={**post.responses, 201: created, 412: _WRONG_VERSION, CHECKSUM_MISMATCH: _MISMATCH},
        body=(post.body, tus_headers.CHUNK_TYPE) if isinstance(post.body, dict) else post.body,
    )
    return replace(endpoint, operations={**endpoint.operations, "POST": extended}, headers=_headers(uploads))


def with_tus(endpoint: Endpoint, uploads: Callable[[], TusUploads]) -> Endpoint:
    """Return the endpoint of a pending file, extended by the other operations of resumable uploads."""
    get = endpoint.operations["GET"]

    def head(request: Request, caller: Caller | None) -> Response:
        if not tus_headers.is_tus(request):
            return get.respond(request, caller)
        return _head(uploads(), request, require_caller(caller))

    def append(request: Request, caller: Caller | None) -> Response:
        return _append(uploads(), request, require_caller(caller))

    def terminate(request: Request, caller: Caller | None) -> Response:
        return _terminate(uploads(), request, require_caller(caller))

    def authorize(request: Request, caller: Caller) -> None:
        tus_headers.check_version(request)
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
        body=tus_headers.CHUNK_TYPE,
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
        version = ("Tus-Resumable", tus_headers.VERSION)
        if request.method != "OPTIONS":
            return (version,) if tus_headers.is_tus(request) else ()
        return (
            version,
            ("Tus-Version", tus_headers.VERSION),
            ("Tus-Extension", tus_headers.EXTENSIONS),
            ("Tus-Max-Size", str(uploads().max_size)),
            ("Tus-Checksum-Algorithm", ",".join(tus_headers.ALGORITHMS)),
        )

    return headers


def _create(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    tus_headers.check_version(request)
    size = tus_headers.read_size(request)
    metadata = tus_headers.read_metadata(request)
    if request.body:
        tus_headers.check_chunk_type(request)
        tus_headers.check_checksum(request)
    target = uploads.target(caller, *_address(request)[:2])
    new = NewUpload(metadata.name, metadata.mime_type, size, metadata.text)
    progress = uploads.create(caller, target, new, request.body)
    url = pending_file_address(request.base_url, progress.target, progress.id)
    return Response(201, (("Location", url), *_offset(progress), _expires(progress)))


def _head(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    tus_headers.check_version(request)
    progress = uploads.progress(caller, _address(request))
    metadata = (("Upload-Metadata", progress.metadata),) if progress.metadata else ()
    size = ("Upload-Length", str(progress.size))
    return Response(200, (*_offset(progress), size, *metadata, _expires(progress)))


def _append(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    tus_headers.check_chunk_type(request)
    offset = tus_headers.read_offset(request)
    tus_headers.check_checksum(request)
    progress = uploads.append(caller, _address(request), offset, request.body)
    return Response(204, (*_offset(progress), _expires(progress)))


def _terminate(uploads: TusUploads, request: Request, caller: Caller) -> Response:
    tus_headers.check_version(request)
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
