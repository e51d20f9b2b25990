"""`unlock`: let others write objects again."""

from typing import Any

from graphql import GraphQLField

from stratabase.operations.locks.lock import unlock
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.services.locking import locking, named
from stratabase.schema.services.terms import terms_of


def field(generation: Generation) -> GraphQLField:
    """Return the mutation."""

    def answer(call: Call) -> dict[str, Any]:
        unlock(call.context.world, named(call), call.context.caller, terms_of(call))
        return {"locked": False, "minutes": 0}

    description = "Let others write objects again. Only an administrator can end the locks of others."
    return locking(generation, answer, description)
