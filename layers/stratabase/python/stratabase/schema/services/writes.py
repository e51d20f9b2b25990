"""`<C>___create`, `<C>___update` and `<C>___save`: write one object with its parts and associations."""

from collections.abc import Callable
from functools import partial

from graphql import GraphQLField

from stratabase.domain.query.fetch import View
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.outcome import WriteResult
from stratabase.operations.write.services import save
from stratabase.schema.execution.views import written_views
from stratabase.schema.inputs.command_reader import (
    CommandReader,
    DataInput,
    create_input,
    save_input,
    update_input,
)
from stratabase.schema.inputs.service_arguments import (
    force_warnings_argument,
    if_version_argument,
    with_if_version,
    write_options,
)
from stratabase.schema.request.context import Call
from stratabase.schema.services.service import Service, also_has_input, is_written_alone, service_field
from stratabase.schema.types.registry import TypeRegistry

Write = Callable[..., WriteResult]
"""An operation: takes the services, a command, the caller, the request's client ids, and options."""


def _field(
    registry: TypeRegistry, class_: Class, *, data: DataInput, write: Write, description: str
) -> GraphQLField:
    """Return a mutation that takes `data`, writes it, and answers the object as it is then."""
    reader = CommandReader(registry.model)

    def answer(call: Call) -> View:
        context = call.context
        command = with_if_version(class_, data.command(reader, class_, call), call)
        result = write(context.services, command, context.caller, context.client_ids, write_options(call))
        # Later root fields may show this object, which the client knows by its client id.
        context.client_ids.update(result.client_ids)
        return written_views(call, [result])[0]

    if_version = {} if data.family is GeneratedType.CREATE else if_version_argument(class_)
    arguments = data.argument(registry, class_) | if_version | force_warnings_argument()
    type_ = registry.type_of(GeneratedType.OBJECT, class_)
    return service_field(type_, arguments, answer, description.format(class_.name))


CREATE = Service(
    "create",
    partial(_field, data=create_input(GeneratedType.CREATE), write=save, description="Make a new {}."),
)
UPDATE = Service(
    "update",
    partial(
        _field,
        data=update_input(GeneratedType.UPDATE),
        write=save,
        description="Change the {}: what is not given stays, null clears.",
    ),
    also_has_input(GeneratedType.UPDATE, is_written_alone),
)
SAVE = Service(
    "save",
    partial(
        _field,
        data=save_input(),
        write=save,
        description="Change the {} with the id given, or make a new one without.",
    ),
)
