"""What `lock` and `unlock` share: which objects they are for, and the shape of their answer."""

from collections.abc import Callable
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLResolveInfo,
)

from stratabase.domain.objects.entity import Reference
from stratabase.model.api_names import LOCK_STATUS_RESULT
from stratabase.schema.context import Call, Context
from stratabase.schema.entity_ids import references
from stratabase.schema.generation import Generation
from stratabase.schema.services.service import ANSWER, call_of

_LOCKS = "locks"

LOCK_STATUS_RESULT_TYPE = GraphQLObjectType(
    LOCK_STATUS_RESULT,
    {
        "locked": GraphQLField(GraphQLNonNull(GraphQLBoolean)),
        "minutes": GraphQLField(GraphQLNonNull(GraphQLInt), description="For how long."),
    },
    description="What has become of the objects.",
)


def named(call: Call) -> list[Reference]:
    """Return the objects that a call names."""
    return references(call.arguments.get(_LOCKS) or ())


def locking(
    generation: Generation,
    answer: Callable[[Call], dict[str, Any]],
    description: str,
    **arguments: GraphQLArgument,
) -> GraphQLField:
    """Return a mutation for objects of whatever classes; it tells nothing of what it takes of the storage."""

    def resolve(_: Any, info: GraphQLResolveInfo[Context], **given: Any) -> Any:
        return info.context.outcomes.of(str(info.path.key), lambda: answer(call_of(field, info, given)))

    names = GraphQLList(GraphQLNonNull(generation.entity_id))
    field = GraphQLField(
        LOCK_STATUS_RESULT_TYPE,
        {_LOCKS: GraphQLArgument(names), **arguments},
        resolve,
        description=description,
        extensions={ANSWER: answer},
    )
    return field
