"""The endpoint that accepts a file for an attribute."""

from typing import Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.addresses import pending_file_address
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.files.multipart import FILE_PART, MAX_FORM_PARTS, MULTIPART, read_sent_file
from stratabase.core.http.files.reference import REFERENCE_SHAPE, reference_json
from stratabase.core.operations.files.upload import SentFile

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
