"""`LockInfo`: the lock of an object, as it is answered."""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.instant import format_instant
from stratabase.domain.objects.lock import is_active
from stratabase.model.api_names import LOCK_INFO
from stratabase.schema.context import Context
from stratabase.schema.moments import moment_field

WANTED = "lock"
"""The extension of a field that shows an object's lock."""

_UNTIL = "lockedUntil"


def shown(context: Context) -> Callable[[Entity], Mapping[str, Any] | None]:
    """Return what makes the source of a `LockInfo`: None of an object that is free by now."""

    def source(entity: Entity) -> Mapping[str, Any] | None:
        lock = entity.lock
        if lock is None or not is_active(lock, context.world.clock.now()):
            return None
        mine = lock.owner == context.caller.id
        return {"lockedBy": lock.name, _UNTIL: format_instant(lock.until), "mine": mine}

    return source


LOCK_INFO_TYPE = GraphQLObjectType(
    LOCK_INFO,
    {
        "lockedBy": GraphQLField(GraphQLNonNull(GraphQLString), description="The username of its member."),
        _UNTIL: moment_field(LOCK_INFO, _UNTIL, "When it ends."),
        "mine": GraphQLField(GraphQLNonNull(GraphQLBoolean), description="Whether who asks has taken it."),
    },
    description="Who has reserved an object, and until when: nobody else can write it.",
)


def lock_field() -> GraphQLField:
    """Return the field of an object that shows its lock."""
    return GraphQLField(LOCK_INFO_TYPE, description="Null when it is free.", extensions={WANTED: True})
