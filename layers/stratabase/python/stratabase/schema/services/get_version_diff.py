"""`<C>___getVersionDiff`: what differs between two versions of an object."""

from typing import Any

from graphql import GraphQLField

from stratabase.model.model import Class
from stratabase.operations.version_diff import version_diff
from stratabase.operations.versions import meant
from stratabase.schema.classes import has_history
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.services.service import Service, answered
from stratabase.schema.version_arguments import FROM, TO, given, instant, reference, which
from stratabase.schema.version_diff import VERSION_DIFF_TYPE, source


def _field(_: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> dict[str, Any] | None:
        world, allowance, circumstances = call.context.reading
        object_ = reference(class_, call)
        read = given(class_, call, FROM, TO)
        from_, to = (meant(world, object_, readings, allowance) for readings in read)
        changes = version_diff(world, object_, from_, to, allowance, circumstances)
        return None if changes is None else source(from_, to, changes)

    description = (
        f"What differs between the {class_.name} as of two instants; null when there was none at both."
    )
    arguments = which(class_) | instant(FROM) | instant(TO)
    return answered(VERSION_DIFF_TYPE, arguments, reading(class_, answer), description)


SERVICE = Service("getVersionDiff", _field, has_history)
