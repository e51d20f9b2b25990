"""The endpoint that accepts a file for an attribute, in a body of multipart/form-data."""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol
from urllib.parse import unquote_to_bytes

from multipart import (
    MultipartError,
    MultipartSegment,
    ParserLimitReached,
    PushMultipartParser,
    parse_options_header,
)

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import pending_file_address
from stratabase.core.domain.files.media_type import media_type_of_name
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import BodyTooLarge, Malformed, UnsupportedMediaType, quote_name
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.files.reference import REFERENCE_SHAPE, reference_json
from stratabase.core.operations.files.upload import SentFile
from stratabase.values.messages import _

MULTIPART = "multipart/form-data"
FILE_PART = "file"
"""The name of the part that contains the file."""
MAX_FORM_PARTS = 16
MAX_HEADERS_SIZE = 16 * 1024
"""The maximum size of the headers of one part, in bytes."""
_MAX_HEADER_COUNT = 16
_BOUNDARY = re.compile("[ -~]{0,69}[!-~]")
"""A boundary: up to 70 characters (RFC 2046 section 5.1.1). Clients use more characters than it lists."""
_IDENTITY_ENCODINGS = ("", "7bit", "8bit", "binary")
"""The values of Content-Transfer-Encoding that leave the content as it is."""
_QUOTED = re.compile(r'"(?:\\.|[^\\"])*+"?', re.DOTALL)
_EXTENDED_FILE_NAME = re.compile(r";\s*filename\*\s*=\s*(utf-8|iso-8859-1)'[^']*'([^\s;]*)", re.IGNORECASE)
"""The parameter `filename*`, such as `filename*=UTF-8''caf%C3%A9.txt`: its charset and value (RFC 8187)."""


class _Part(NamedTuple):
    segment: MultipartSegment
    content: bytes

    def header(self, name: str) -> str:
        return str(self.segment.header(name, ""))


def read_sent_file(request: Request) -> SentFile:
    """Return the file in the body of a request. Raises Malformed, UnsupportedMediaType, BodyTooLarge.

    The body must have exactly one part with the name `file`. Other parts are ignored.
    """
    boundary = _boundary(request.header("content-type") or "")
    files = [part for part in _parts(boundary, request.body) if part.segment.name == FILE_PART]
    if len(files) != 1:
        message = (
            _("The request body has several parts named {name}. Send one file per request.", name=FILE_PART)
            if files
            else _("The request body has no part named {name}. Send the file in this part.", name=FILE_PART)
        )
        raise Malformed(message)
    (part,) = files
    _check_transfer_encoding(part)
    name = _file_name(part)
    if not name:
        message = _("The part named {name} has no file name. Send a file in this part.", name=FILE_PART)
        raise Malformed(message)
    media_type = part.header("Content-Type") or media_type_of_name(name)
    return SentFile(name, media_type, part.content)


def _boundary(content_type: str) -> str:
    """Return the boundary that a Content-Type header names. Raises UnsupportedMediaType, Malformed."""
    name, parameters = parse_options_header(content_type)
    if name != MULTIPART:
        message = _("The request body must be {expected}, with the file in a part.", expected=MULTIPART)
        raise UnsupportedMediaType(message)
    boundary = str(parameters.get("boundary", ""))
    if not _BOUNDARY.fullmatch(boundary):
        message = _(
            "The Content-Type header must have the parameter boundary, with 1 to 70 characters of ASCII."
        )
        raise Malformed(message)
    return boundary


def _parts(boundary: str, body: bytes) -> Iterator[_Part]:
    """Yield the parts of a body. Raises Malformed, BodyTooLarge."""
    if f"--{boundary}".encode() not in body:
        message = _("The request body does not contain the boundary that the Content-Type header names.")
        raise Malformed(message)
    # The strict mode refuses folded headers. To unfold them takes quadratic time.
    parser = PushMultipartParser(
        boundary,
        max_header_size=MAX_HEADERS_SIZE,
        max_header_count=_MAX_HEADER_COUNT,
        max_segment_count=MAX_FORM_PARTS,
        strict=True,
    )
    count = 0
    try:
        for part in _collect_parts(parser, body):
            count += 1
            yield part
    except ParserLimitReached:
        raise _too_many_parts() if count == MAX_FORM_PARTS else _headers_too_large() from None
    except MultipartError as error:
        message = _("The request body is not valid multipart/form-data: {error}.", error=str(error.args[0]))
        raise Malformed(message) from None
    try:
        parser.close()
    except MultipartError:
        message = _("The request body is incomplete: its last boundary is missing. Send the request again.")
        raise Malformed(message) from None


def _collect_parts(parser: PushMultipartParser, body: bytes) -> Iterator[_Part]:
    """Yield the complete parts of a body. Raises MultipartError, BodyTooLarge."""
    segment: MultipartSegment | None = None
    chunks: list[bytes] = []
    for event in parser.parse(body):
        if isinstance(event, MultipartSegment):
            segment, chunks = event, []
            _check_headers_size(segment)
        elif event is not None:
            chunks.append(event)
        elif segment is not None:
            yield _Part(segment, b"".join(chunks))


def _check_headers_size(segment: MultipartSegment) -> None:
    # The parser limits each header and their number.
    size = sum(len(name) + len(value.encode()) + len(": \r\n") for name, value in segment.headerlist)
    if size > MAX_HEADERS_SIZE:
        raise _headers_too_large()


def _too_many_parts() -> BodyTooLarge:
    return BodyTooLarge(
        _("The request body has too many parts. The limit is {limit} parts.", limit=MAX_FORM_PARTS)
    )


def _headers_too_large() -> BodyTooLarge:
    message = _(
        "The headers of a part are too large. The limit is {limit} bytes, in {count} headers.",
        limit=MAX_HEADERS_SIZE,
        count=_MAX_HEADER_COUNT,
    )
    return BodyTooLarge(message)


def _check_transfer_encoding(part: _Part) -> None:
    encoding = part.header("Content-Transfer-Encoding").strip()
    if encoding.lower() not in _IDENTITY_ENCODINGS:
        message = _(
            "The content transfer encoding {encoding} is not supported. "
            "Send the bytes of the file as they are.",
            encoding=quote_name(encoding),
        )
        raise Malformed(message)


def _file_name(part: _Part) -> str:
    """Return the file name that a part names, empty if it names none."""
    # RFC 7578 has no `filename*`, but clients send it. The quoted name may contain text that looks like it.
    unquoted = _QUOTED.sub('""', part.header("Content-Disposition"))
    extended = _EXTENDED_FILE_NAME.search(unquoted)
    if extended is not None:
        charset, value = extended.groups()
        try:
            return unquote_to_bytes(value).decode(charset)
        except UnicodeDecodeError:
            pass  # As browsers do, ignore a malformed parameter.
    return part.segment.filename or ""


_FORM = Shape(
    "upload",
    {FILE_PART: Field("The file, with its name and media type.", required=True, format="binary")},
    name="Upload",
    open=True,
)


class Uploads(Protocol):
    """The operations that accept files. `operations.files.upload.FileUploads` implements them."""

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        """Return the attribute that an address names, if the caller may set it."""

    def upload(self, caller: Caller, target: FileTarget, sent: SentFile) -> PendingFile:
        """Store a file, and return it."""


def upload_endpoint(uploads: Uploads) -> Endpoint:
    """Return the endpoint that accepts a file for an attribute."""

    def target_of(request: Request, caller: Caller) -> FileTarget:
        return uploads.target(caller, request.parameters.get("class", ""), request.parameters.get("name", ""))

    def authorize(request: Request, caller: Caller) -> None:
        target_of(request, caller)

    def upload(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        pending = uploads.upload(caller, target_of(request, caller), read_sent_file(request))
        location = ("Location", pending_file_address(request.base_url, pending.target, pending.id))
        return body_response(
            request,
            201,
            REFERENCE_SHAPE,
            reference_json(pending.id, pending.file, caller.formats),
            (location,),
        )

    post = Operation(
        upload,
        "uploadFile",
        "Upload a file for an attribute. To keep it, set the attribute to the reference within an hour.",
        {
            201: ResponseSpec(
                "The file is pending. Send the reference in a GraphQL mutation.",
                REFERENCE_SHAPE,
                {"Location": "The address from which the pending file can be downloaded."},
            ),
            404: ResponseSpec("The class has no such attribute of the type File."),
            413: ResponseSpec(
                "The file is too large for the attribute or the service, or the body has over "
                f"{MAX_FORM_PARTS} parts."
            ),
            415: ResponseSpec(
                "The attribute does not accept files of this type, or the body is not multipart/form-data."
            ),
            429: ResponseSpec(
                "The pending files of the member are too large, or there are too many requests."
            ),
        },
        {MULTIPART: _FORM},
        authorize=authorize,
        max_body_size=None,
    )
    parameters = {
        "class": Parameter("The name of the class, in uppercase or lowercase."),
        "name": Parameter("The name of the attribute, in uppercase or lowercase."),
    }
    return Endpoint({"POST": post}, parameters)
