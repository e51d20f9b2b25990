"""The types that are the same for every model."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLDefaultInput,
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.model import api_names
from stratabase.model.api_names import FILE_INFO, PENDING_FILE_REFERENCE
from stratabase.schema.scalars import SCALARS


def with_default(type_: Any, value: Any) -> GraphQLArgument:
    """Return an argument with a default, given as a client would write it in JSON."""
    return GraphQLArgument(type_, default=GraphQLDefaultInput(value))


def format_argument() -> dict[str, GraphQLArgument]:
    """Return the argument of every field whose value can be written in a format."""
    return {"format": with_default(GraphQLString, "default")}


DELETE_RESULT = GraphQLObjectType(
    api_names.DELETE_RESULT,
    {
        "deleted": GraphQLField(
            GraphQLNonNull(GraphQLBoolean), description="false when there was no such object."
        )
    },
)

DELETE_BULK_RESULT = GraphQLObjectType(
    api_names.DELETE_BULK_RESULT,
    {"deleted": GraphQLField(GraphQLNonNull(GraphQLInt), description="How many objects were deleted.")},
)

FORCE, DATA_VALIDATION = "forceWarnings", "dataValidation"

FORCE_WARNINGS = GraphQLInputObjectType(
    api_names.FORCE_WARNINGS,
    {
        "actionVeto": GraphQLInputField(
            GraphQLBoolean,
            default=GraphQLDefaultInput(False),
            description="In spite of vetoes. There is nothing yet that could veto, so it has no effect.",
        ),
        DATA_VALIDATION: GraphQLInputField(
            GraphQLBoolean,
            default=GraphQLDefaultInput(False),
            description="In spite of the warnings of the model.",
        ),
    },
    description="Lets a write go through in spite of issues of level WARNING.",
)

FILE_INFO_TYPE = GraphQLObjectType(
    FILE_INFO,
    {
        "fileId": GraphQLField(GraphQLNonNull(GraphQLID)),
        "link": GraphQLField(GraphQLNonNull(GraphQLString), description="Where the file is downloaded."),
        "mimeType": GraphQLField(GraphQLNonNull(GraphQLString)),
        "name": GraphQLField(GraphQLNonNull(GraphQLString)),
        "size": GraphQLField(GraphQLNonNull(GraphQLInt), description="In bytes."),
        "uploadedOn": GraphQLField(GraphQLNonNull(SCALARS["Datetime"]), format_argument()),
    },
    description="A file that an object holds.",
)

PENDING_FILE_REFERENCE_TYPE = GraphQLInputObjectType(
    PENDING_FILE_REFERENCE,
    {
        "pendingFileId": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "fileId": GraphQLInputField(GraphQLNonNull(GraphQLID)),
        "mimeType": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "name": GraphQLInputField(GraphQLNonNull(GraphQLString)),
        "size": GraphQLInputField(GraphQLNonNull(GraphQLInt), description="In bytes."),
        "uploadedOn": GraphQLInputField(GraphQLNonNull(SCALARS["Datetime"])),
    },
    description="An uploaded file that no object holds yet, as the upload answered it.",
)


def force_warnings() -> dict[str, GraphQLArgument]:
    """Return the argument of every write."""
    return {FORCE: with_default(FORCE_WARNINGS, {"actionVeto": False, DATA_VALIDATION: False})}


def is_forced(arguments: Mapping[str, Any]) -> bool:
    """Return whether a write goes through in spite of the model's warnings, as far as it can be told to."""
    return bool((arguments.get(FORCE) or {}).get(DATA_VALIDATION))


DISABLE_CACHE = "disableCache"
"""Has the objects of a page be read once more by their keys: an index may lag behind them."""


def disable_cache() -> dict[str, GraphQLArgument]:
    """Return the argument of a service that reads; what is not read from an index is exact without it."""
    return {DISABLE_CACHE: with_default(GraphQLBoolean, value=False)}
