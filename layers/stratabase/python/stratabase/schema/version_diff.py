"""`VersionDiff` and `AttributeChange`: what differs between two versions, as it is answered."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import GraphQLField, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString

from stratabase.domain.objects.instant import Instant, format_instant
from stratabase.domain.version_diff import AttributeChange
from stratabase.model.api_names import ATTRIBUTE_CHANGE, VERSION_DIFF
from stratabase.schema.moments import moment_field

_FROM, _TO, _CHANGED_ON = "from", "to", "changedOn"


def source(from_: Instant, to: Instant, changes: Iterable[AttributeChange]) -> dict[str, Any]:
    """Return the source of a `VersionDiff`."""
    return {
        _FROM: format_instant(from_),
        _TO: format_instant(to),
        "changes": [_source(change) for change in changes],
    }


def _source(change: AttributeChange) -> Mapping[str, Any]:
    on = change.changed_on
    return {
        "name": change.name,
        "old": change.old,
        "new": change.new,
        "changedBy": change.changed_by,
        _CHANGED_ON: None if on is None else format_instant(on),
    }


_CHANGE = GraphQLObjectType(
    ATTRIBUTE_CHANGE,
    {
        "name": GraphQLField(GraphQLNonNull(GraphQLString), description="The attribute or role."),
        "old": GraphQLField(GraphQLString, description="Its value at `from` as JSON text; null for null."),
        "new": GraphQLField(GraphQLString, description="Its value at `to`, likewise."),
        "changedBy": GraphQLField(
            GraphQLString, description="The username of who changed it last, if the class records that."
        ),
        _CHANGED_ON: moment_field(ATTRIBUTE_CHANGE, _CHANGED_ON, "When it was changed last.", nullable=True),
    },
    description="An attribute or role that differs between two versions.",
)

VERSION_DIFF_TYPE = GraphQLObjectType(
    VERSION_DIFF,
    {
        _FROM: moment_field(VERSION_DIFF, _FROM, "The instant that was asked for."),
        _TO: moment_field(VERSION_DIFF, _TO, "The instant that was asked for."),
        "changes": GraphQLField(GraphQLNonNull(GraphQLList(GraphQLNonNull(_CHANGE)))),
    },
    description="What differs between two versions of an object.",
)
