"""The type `LockInfo`, and the types of the lock services."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLEnumValue,
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.domain.objects.lock import is_active
from stratabase.core.model.api_names import ENTITY_ID, ENTITY_NAME, ID, LOCK_INFO, LOCK_STATUS_RESULT
from stratabase.core.schema.request.context import GraphQLContext
from stratabase.core.schema.types.attribute_types import InputEnumType, moment_field

SHOWS_LOCK = "lock"
"""The key in the `extensions` of a field that shows the lock of an object."""
_LOCKED_UNTIL = "lockedUntil"


def lock_source(context: GraphQLContext) -> Callable[[Entity], Mapping[str, Any] | None]:
    """Return the function that makes the source of a `LockInfo`: None if the object is not locked now."""

    def source(entity: Entity) -> Mapping[str, Any] | None:
        lock = entity.lock
        if lock is None or not is_active(lock, context.services.clock.now()):
            return None
        mine = lock.owner == context.caller.id
        return {"lockedBy": lock.name, _LOCKED_UNTIL: format_instant(lock.until), "mine": mine}

    return source


LOCK_INFO_TYPE = GraphQLObjectType(
    LOCK_INFO,
    {
        "lockedBy": GraphQLField(
            GraphQLNonNull(GraphQLString), description="The username of the member who holds the lock."
        ),
        _LOCKED_UNTIL: moment_field(LOCK_INFO, _LOCKED_UNTIL, "When the lock ends."),
        "mine": GraphQLField(
            GraphQLNonNull(GraphQLBoolean), description="Whether the caller holds the lock."
        ),
    },
    description="The lock of an object. Only the member who holds it can write the object.",
)


def lock_field() -> GraphQLField:
    """Return the field that shows the lock of an object."""
    return GraphQLField(
        LOCK_INFO_TYPE,
        description="The lock of the object, or null if it is not locked.",
        extensions={SHOWS_LOCK: True},
    )


_CLASS_FIELD = "entityName"


def entity_id_type(class_names: Iterable[str]) -> GraphQLInputObjectType:
    """Return the input type `EntityID` for objects of some classes, with or without services."""
    names = InputEnumType(
        ENTITY_NAME,
        {name: GraphQLEnumValue(name) for name in class_names},
        description="The classes of the model.",
    )
    return GraphQLInputObjectType(
        ENTITY_ID,
        {
            _CLASS_FIELD: GraphQLInputField(GraphQLNonNull(names), description="The class of the object."),
            ID: GraphQLInputField(GraphQLNonNull(GraphQLID)),
        },
        description="Identifies an object.",
    )


def references_of(inputs: Iterable[Mapping[str, Any]]) -> list[Reference]:
    """Return the objects that `EntityID` inputs name."""
    return [Reference(each[_CLASS_FIELD], each[ID]) for each in inputs]


LOCK_STATUS_RESULT_TYPE = GraphQLObjectType(
    LOCK_STATUS_RESULT,
    {
        "locked": GraphQLField(GraphQLNonNull(GraphQLBoolean)),
        "minutes": GraphQLField(GraphQLNonNull(GraphQLInt), description="The duration of the lock."),
    },
    description="The result of locking or unlocking objects.",
)
