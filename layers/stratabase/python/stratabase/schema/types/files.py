"""The types of files: `FileInfo` in responses, `PendingFileReference` in inputs."""

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

from stratabase.model.api_names import FILE_INFO, PENDING_FILE_REFERENCE
from stratabase.schema.types.attribute_types import SCALARS
from stratabase.schema.types.attributes import moment_field
from stratabase.schema.types.file_source import LINK

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
