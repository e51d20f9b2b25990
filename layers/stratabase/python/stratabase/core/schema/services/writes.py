"""`<C>___create`, `<C>___update` and `<C>___save`: write one object with its parts and associations."""

from functools import partial
from typing import Any

from graphql import GraphQLField

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.fetch import View
from stratabase.core.domain.write.commands import Create
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations import write
from stratabase.core.operations.write.options import WriteOptions, WriteOutcome, WriteResult
from stratabase.core.schema.execution.current_objects import keep_current
from stratabase.core.schema.execution.views import written_views
from stratabase.core.schema.inputs.service_arguments import (
    CommandReader,
    DataInput,
    condition_arguments,
    create_input,
    force_warnings_argument,
    save_input,
    update_input,
    with_conditions,
    write_options,
)
from stratabase.core.schema.request.context import ServiceCall, commit_and_show
from stratabase.core.schema.services.service import (
    Service,
    is_written_alone,
    may_create,
    may_save,
    may_update,
    service_field,
)
from stratabase.core.schema.types.registry import TypeRegistry


def _field(registry: TypeRegistry, class_: Class, *, data: DataInput, description: str) -> GraphQLField:
    """Return a mutation that takes `data`, writes it, and returns the written object."""
    reader = CommandReader(registry.model)

    def resolve(call: ServiceCall) -> Any:
        context = call.context
        command = with_conditions(class_, data.command(reader, class_, call), call)

        def commit(options: WriteOptions) -> WriteResult:
            try:
                return write.save(context.services, command, context.caller, context.client_ids, options)
            except Refused as refusal:
                keep_current(call, None if isinstance(command, Create) else command.reference, refusal)
                raise

        def show(result: WriteResult) -> View:
            # Later root fields may show this object, which the client knows by its client id.
            context.client_ids.update(result.client_ids)
            return written_views(call, [result])[0]

        return commit_and_show(call, write_options(call), commit, show, WriteOutcome.result)

    conditions = {} if data.family is GeneratedType.CREATE else condition_arguments(class_)
    arguments = data.argument(registry, class_) | conditions | force_warnings_argument()
    type_ = registry.type_of(GeneratedType.OBJECT, class_)
    return service_field(type_, arguments, resolve, description.format(class_.name))


CREATE = Service(
    "create",
    partial(_field, data=create_input(GeneratedType.CREATE), description="Create a new {}."),
    may_create,
)
UPDATE = Service(
    "update",
    partial(
        _field,
        data=update_input(GeneratedType.UPDATE),
        description="Update the {}. Omitted fields keep their values; null clears a field.",
    ),
    may_update(GeneratedType.UPDATE),
    is_written_alone,
)
SAVE = Service(
    "save",
    partial(
        _field,
        data=save_input(),
        description="Update the {} with the given id, or create a new one if no id is given.",
    ),
    may_save,
)
