"""The terms on which a write is done that a service is called for."""

from stratabase.operations.write.options import WriteOptions
from stratabase.schema.context import Call
from stratabase.schema.fixed import is_forced


def terms_of(call: Call) -> WriteOptions:
    """Return the terms of a call."""
    return WriteOptions(is_forced(call.arguments), call.context.circumstances, call.context.allowance)
