"""The types of files, and the source of a `FileInfo`: what an object stores of a file, with its address."""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import (
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.files.addresses import file_address, pending_file_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.objects.instant import Instant, parse_instant
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.domain.query.fetch import View
from stratabase.core.model.api_names import FILE_INFO, ID, PENDING_FILE_REFERENCE
from stratabase.core.model.types.file import PENDING_ID
from stratabase.core.schema.types.attribute_types import SCALARS, moment_field

LINK = "link"
"""The field of a `FileInfo` with the address."""

_UPLOADED_ON = "uploadedOn"

FILE_INFO_TYPE = GraphQLObjectType(
    FILE_INFO,
    {
        "fileId": GraphQLField(GraphQLNonNull(GraphQLID)),
        LINK: GraphQLField(
            GraphQLNonNull(GraphQLString), description="The address to download the file from."
        ),
        "mimeType": GraphQLField(GraphQLNonNull(GraphQLString)),
        "name": GraphQLField(GraphQLNonNull(GraphQLString)),
        "size": GraphQLField(GraphQLNonNull(GraphQLInt), description="The size in bytes."),
        _UPLOADED_ON: moment_field(FILE_INFO, _UPLOADED_ON, "When the file was uploaded."),
    },
    description="A file of an object.",
)

PENDING_FILE_REFERENCE_TYPE = GraphQLInputObjectType(
    PENDING_FILE_REFERENCE,
    {
        "pendingFileId": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "fileId": GraphQLInputField(GraphQLNonNull(GraphQLID)),
        "mimeType": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "name": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "size": GraphQLInputField(GraphQLNonNull(GraphQLInt), description="The size in bytes."),
        _UPLOADED_ON: GraphQLInputField(GraphQLNonNull(SCALARS["Datetime"])),
    },
    description="An uploaded file that belongs to no object yet, as the upload returned it. "
    "Filters compare only `fileId`, and `fromCursor` only `name`.",
)

FileSource = Callable[[View, str], Mapping[str, Any] | None]
"""Makes the source of a `FileInfo` from the view of an object and the root URL of all links.

Returns None if the object has no file.
"""


def file_source(class_name: str, attribute: str) -> FileSource:
    """Return the function that makes the source of an attribute's file."""
    target = FileTarget(class_name, attribute)

    def source(view: View, base_url: str) -> Mapping[str, Any] | None:
        file = view.get(attribute)
        # A value that is not a file belongs to a former type of the attribute, and counts as null.
        if not isinstance(file, Mapping):
            return None
        return {**file, LINK: _link(file, target, view, base_url)}

    return source


def _link(file: Mapping[str, Any], target: FileTarget, view: View, base_url: str) -> str:
    if (pending_id := file.get(PENDING_ID)) is not None:
        return pending_file_address(base_url, target, pending_id)
    return file_address(base_url, target, view[ID], _historical_version(view))


def _historical_version(view: View) -> Instant | None:
    """Return the start of the version that a view shows, None if it is the current one."""
    return None if view.get(VERSION_END) is None else parse_instant(view[VERSION_START])
