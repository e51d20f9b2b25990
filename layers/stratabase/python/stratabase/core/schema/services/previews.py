"""`<C>___previewCreate`, `<C>___previewUpdate`, `<C>___preview`: show an object as a write would leave it."""

from functools import partial

from graphql import GraphQLField

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Refused
from stratabase.core.domain.objects.commit_refusals import RoleUnavailable
from stratabase.core.domain.query.fetch import View
from stratabase.core.domain.write.commands import Create
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations import write
from stratabase.core.schema.execution.current_objects import keep_current
from stratabase.core.schema.execution.views import previewed_view
from stratabase.core.schema.inputs.service_arguments import (
    CommandReader,
    DataInput,
    condition_arguments,
    create_input,
    save_input,
    update_input,
    with_conditions,
    write_options,
)
from stratabase.core.schema.request.context import ResultWithIssues, ServiceCall
from stratabase.core.schema.services.service import (
    Service,
    can_preview_new,
    is_written_alone,
    may_create,
    may_save,
    may_update,
    service_field,
)
from stratabase.core.schema.types.registry import TypeRegistry

_INCOMPLETE = "If the draft has issues, the result shows as much as possible, and `errors` lists the issues."


def _field(registry: TypeRegistry, class_: Class, *, data: DataInput, description: str) -> GraphQLField:
    """Return a query that takes `data`, and returns the object as the write would leave it."""
    reader = CommandReader(registry.model)

    def resolve(call: ServiceCall) -> View | ResultWithIssues:
        command = with_conditions(class_, data.command(reader, class_, call), call)
        services, caller = call.context.services, call.context.caller
        result, issues = write.preview(services, command, caller, options=write_options(call))
        if not issues:
            return previewed_view(call, result)
        keep_current(call, None if isinstance(command, Create) else command.reference, Refused(issues))
        try:
            return ResultWithIssues(previewed_view(call, result), Refused(issues))
        except (ReadBudgetExceeded, RoleUnavailable):  # the issues of the draft matter more
            raise Refused(issues) from None

    is_create = data.family is GeneratedType.DRAFT_CREATE
    conditions = {} if is_create else condition_arguments(class_, versions=False)
    type_ = registry.type_of(GeneratedType.OBJECT, class_)
    text = f"{description.format(class_.name)} {_INCOMPLETE}"
    return service_field(type_, data.argument(registry, class_) | conditions, resolve, text)


PREVIEW_CREATE = Service(
    "previewCreate",
    partial(
        _field,
        data=create_input(GeneratedType.DRAFT_CREATE),
        description="Return the {} that this draft would create. Writes nothing.",
    ),
    may_create,
    can_preview_new,
)
PREVIEW_UPDATE = Service(
    "previewUpdate",
    partial(
        _field,
        data=update_input(GeneratedType.DRAFT_UPDATE),
        description="Return the {} as this update would leave it. Writes nothing.",
    ),
    may_update(GeneratedType.DRAFT_UPDATE),
    is_written_alone,
)
PREVIEW = Service(
    "preview",
    partial(
        _field,
        data=save_input(),
        description="Return the {} that this draft would create or update. Writes nothing.",
    ),
    may_save,
    can_preview_new,
)
