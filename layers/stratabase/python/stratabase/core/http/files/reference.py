"""The reference to a pending file, which clients send back to bind the file to an object."""

from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.values.formats.preferences import Formats

REFERENCE_SHAPE = Shape(
    "pendingFileReference",
    {
        "pendingFileId": Field(
            "The ID of the upload, which ends when an object takes the file.", required=True
        ),
        "fileId": Field("The ID of the file, which the object keeps.", required=True),
        "name": Field("The name of the file.", required=True, example="photo.jpg"),
        "mimeType": Field("The media type of the file.", required=True, example="image/jpeg"),
        "size": Field("The size of the file, in bytes.", "integer", required=True, example=20480),
        "uploadedOn": Field("When the file was uploaded, in the formats of the member.", required=True),
    },
    name="PendingFileReference",
)


def reference_json(pending_id: str, file: StoredFile, formats: Formats) -> dict[str, object]:
    """Return the reference to a pending file, with its date in the formats of a member."""
    uploaded_on = DatetimeType().serializer("default", formats)(format_instant(file.uploaded_on))
    return {**file.reference(pending_id), "uploadedOn": uploaded_on}
