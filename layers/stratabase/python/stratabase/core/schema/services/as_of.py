"""Reads as of an instant: what `atVersion` means for `<C>___get`, `…getBy…` and `…getPage`."""

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model.model import Class
from stratabase.core.operations.read.past_reader import PastReader
from stratabase.core.operations.read.versions import resolve_instant
from stratabase.core.schema.inputs.service_arguments import AT_VERSION, read_instants
from stratabase.core.schema.request.context import ServiceCall


def past_reader(call: ServiceCall, class_: Class, reference: Reference | None = None) -> PastReader:
    """Return the reader of objects as of the instant in the arguments of a call. Raises Refused.

    In the hour that occurs twice when clocks are set back, the versions of the object with the reference tell
    which instant is meant. Without a reference, it is the earlier one.
    """
    formats = call.context.caller.formats
    (readings,) = read_instants(class_, call.arguments, formats, AT_VERSION)
    read_context = call.context.read_context
    if reference is None:
        return PastReader(read_context, readings[0])
    at = resolve_instant(read_context.entities, reference, readings, read_context.budget)
    return PastReader(read_context, at)
