"""The endpoints that send files: of uploads, of objects, and of former versions of objects."""

import re
from typing import Protocol

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import PENDING_SEGMENT
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.files.refusals import FileNotFound
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import quote_name
from stratabase.core.http.base.response_size import MAX_STREAMED_SIZE
from stratabase.core.http.files.file_response import file_response
from stratabase.core.http.files.reference import REFERENCE_SHAPE, reference_json
from stratabase.core.operations.files.download import OpenFile
from stratabase.values.messages import _

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
