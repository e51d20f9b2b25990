"""The types of pages, results of bulk services and deletions, and differences of versions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.version_diff import AttributeChange
from stratabase.core.model import api_names
from stratabase.core.model.api_names import ATTRIBUTE_CHANGE, CURSOR, VERSION_DIFF, GeneratedType, type_name
from stratabase.core.model.model import Class
from stratabase.core.schema.types.attribute_types import SCALARS, moment_field
from stratabase.core.schema.types.groups import totals_fields
from stratabase.core.schema.types.registry import TypeRegistry


def page_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>Page`. Its source is a dict of the fields that are selected.

    The fields of totals are made when one of them is first used, because most requests use none.
    """
    item = GraphQLNonNull(registry.type_of(GeneratedType.OBJECT, class_))
    cursor, yes_or_no = SCALARS[CURSOR], GraphQLNonNull(GraphQLBoolean)
    fields = {
        "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
        "totalCount": GraphQLField(
            GraphQLNonNull(GraphQLInt), description="The number of objects that match the filter."
        ),
        "nextCursor": GraphQLField(cursor, description="The cursor of the last item."),
        "prevCursor": GraphQLField(cursor, description="The cursor of the first item."),
        "hasNext": GraphQLField(yes_or_no),
        "hasPrev": GraphQLField(yes_or_no),
    }
    type_ = GraphQLObjectType(type_name(class_.name, GeneratedType.PAGE), {})
    # This replaces a cached property of graphql-core.
    type_.fields = _PageFields(fields, lambda: totals_fields(registry, class_))
    return type_


class _PageFields(Mapping[str, GraphQLField]):
    """The fields of a page by name."""

    def __init__(
        self, fields: Mapping[str, GraphQLField], make_totals: Callable[[], Mapping[str, GraphQLField]]
    ) -> None:
        self._fields = fields
        self._make_totals = make_totals

    @cached_property
    def _every(self) -> Mapping[str, GraphQLField]:
        return {**self._fields, **self._make_totals()}

    def __getitem__(self, name: str) -> GraphQLField:
        return self._fields[name] if name in self._fields else self._every[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    def copy(self) -> dict[str, GraphQLField]:
        """Return all fields. graphql-core calls it when it copies the type."""
        return dict(self)


def bulk_result_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the result type of an update in bulk. Its source is a dict of its fields."""
    item = GraphQLNonNull(registry.type_of(GeneratedType.OBJECT, class_))
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.BULK_RESULT),
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "totalCount": GraphQLField(
                GraphQLNonNull(GraphQLInt), description="The number of objects that were updated."
            ),
        },
    )


DELETE_RESULT = GraphQLObjectType(
    api_names.DELETE_RESULT,
    {
        "deleted": GraphQLField(
            GraphQLNonNull(GraphQLBoolean),
            description="Whether the object was deleted. False if it did not exist.",
        )
    },
)

DELETE_BULK_RESULT = GraphQLObjectType(
    api_names.DELETE_BULK_RESULT,
    {
        "deleted": GraphQLField(
            GraphQLNonNull(GraphQLInt), description="The number of objects that were deleted."
        )
    },
)

_FROM, _TO, _CHANGED_ON = "from", "to", "changedOn"


def version_diff_source(from_: Instant, to: Instant, changes: Iterable[AttributeChange]) -> dict[str, Any]:
    """Return the source of a `VersionDiff`."""
    return {
        _FROM: format_instant(from_),
        _TO: format_instant(to),
        "changes": [_change_source(change) for change in changes],
    }


def _change_source(change: AttributeChange) -> Mapping[str, Any]:
    changed_on = change.changed_on
    return {
        "name": change.name,
        "old": change.old,
        "new": change.new,
        "changedBy": change.changed_by,
        _CHANGED_ON: None if changed_on is None else format_instant(changed_on),
    }


_CHANGE = GraphQLObjectType(
    ATTRIBUTE_CHANGE,
    {
        "name": GraphQLField(GraphQLNonNull(GraphQLString), description="The name of the attribute or role."),
        "old": GraphQLField(GraphQLString, description="The value at `from` as JSON text, or null."),
        "new": GraphQLField(GraphQLString, description="The value at `to` as JSON text, or null."),
        "changedBy": GraphQLField(
            GraphQLString,
            description="The username of the member who last changed it, if the class records this.",
        ),
        _CHANGED_ON: moment_field(ATTRIBUTE_CHANGE, _CHANGED_ON, "When it was last changed.", nullable=True),
    },
    description="An attribute or role that differs between two versions.",
)

VERSION_DIFF_TYPE = GraphQLObjectType(
    VERSION_DIFF,
    {
        _FROM: moment_field(VERSION_DIFF, _FROM, "The requested instant."),
        _TO: moment_field(VERSION_DIFF, _TO, "The requested instant."),
        "changes": GraphQLField(GraphQLNonNull(GraphQLList(GraphQLNonNull(_CHANGE)))),
    },
    description="The differences between two versions of an object.",
)
