"""`lock`: reserve objects against the writes of others."""

from typing import Any

from graphql import GraphQLField, GraphQLInt

from stratabase.domain.objects.lock import DEFAULT_LOCK_MINUTES
from stratabase.operations.locks.lock import lock
from stratabase.schema.context import Call
from stratabase.schema.fixed import with_default
from stratabase.schema.generation import Generation
from stratabase.schema.services.locking import locking, named
from stratabase.schema.services.terms import terms_of

_MINUTES = "minutes"


def field(generation: Generation) -> GraphQLField:
    """Return the mutation."""

    def answer(call: Call) -> dict[str, Any]:
        given = call.arguments.get(_MINUTES)
        minutes = DEFAULT_LOCK_MINUTES if given is None else given
        lock(call.context.world, named(call), minutes, call.context.caller, terms_of(call))
        return {"locked": True, "minutes": minutes}

    description = "Reserve objects for some minutes: nobody else can write them. All of them, or none."
    return locking(generation, answer, description, minutes=with_default(GraphQLInt, DEFAULT_LOCK_MINUTES))
