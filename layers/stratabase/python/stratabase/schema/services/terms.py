"""The terms on which a write is done that a service is called for."""

from stratabase.operations.terms import Terms
from stratabase.schema.context import Call
from stratabase.schema.fixed import is_forced


def terms_of(call: Call) -> Terms:
    """Return the terms of a call."""
    return Terms(is_forced(call.arguments), call.context.circumstances, call.context.allowance)
