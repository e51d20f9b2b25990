"""`<C>___validate…`: report the issues that a write would have, without performing it.

Each write service has a validation, except `restoreVersion`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.core.domain.issues.equal_issues import merge_equal
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Delete
from stratabase.core.model.api_names import ID, GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations import write
from stratabase.core.operations.read.labels import IssueLabels
from stratabase.core.schema.inputs.service_arguments import (
    CommandReader,
    DataInput,
    create_input,
    data_argument,
    save_input,
    update_input,
    write_options,
)
from stratabase.core.schema.request.context import ServiceCall
from stratabase.core.schema.services.bulk import BulkSelection
from stratabase.core.schema.services.service import (
    Service,
    is_written_alone,
    may_create,
    may_delete,
    may_find_and,
    may_save,
    may_update,
    service_field,
)
from stratabase.core.schema.types.issues import VALIDATION_RESULT, IssueRenderer
from stratabase.core.schema.types.registry import TypeRegistry


def _issues_field(
    arguments: dict[str, GraphQLArgument], find: Callable[[ServiceCall], Sequence[Issue]], description: str
) -> GraphQLField:
    """Return a query for the issues that `find` returns for a call."""

    def resolve(call: ServiceCall) -> dict[str, Any]:
        issues, context = find(call), call.context
        caller = context.caller
        renderer = IssueRenderer(
            context.services.model.application, caller.profile, context.trace_id, caller.formats.language
        )
        is_valid = not any(issue.stops_write for issue in issues)
        merged = merge_equal(issues)
        labels = IssueLabels(context.read_context).of(merged)
        shown = [renderer.render(issue, (call.key,), labels) for issue in merged]
        return {"isValid": is_valid, "issues": shown}

    return service_field(VALIDATION_RESULT, arguments, resolve, description)


def _data_field(registry: TypeRegistry, class_: Class, *, data: DataInput, description: str) -> GraphQLField:
    """Return a query that takes `data`, and returns its issues."""
    reader = CommandReader(registry.model)

    def issues(call: ServiceCall) -> Sequence[Issue]:
        command = data.command(reader, class_, call)
        return write.validate(
            call.context.services, command, call.context.caller, options=write_options(call)
        )

    return _issues_field(data.argument(registry, class_), issues, description.format(class_.name))


VALIDATE_CREATE = Service(
    "validateCreate",
    partial(
        _data_field,
        data=create_input(GeneratedType.DRAFT_CREATE),
        description="Return the issues that creating this {} would cause. Writes nothing.",
    ),
    may_create,
)
VALIDATE_UPDATE = Service(
    "validateUpdate",
    partial(
        _data_field,
        data=update_input(GeneratedType.DRAFT_UPDATE),
        description="Return the issues that this update of the {} would cause. Writes nothing.",
    ),
    may_update(GeneratedType.DRAFT_UPDATE),
    is_written_alone,
)
VALIDATE = Service(
    "validate",
    partial(
        _data_field,
        data=save_input(),
        description="Return the issues that saving this {} would cause. Writes nothing.",
    ),
    may_save,
)


def _delete_field(_: TypeRegistry, class_: Class) -> GraphQLField:
    def issues(call: ServiceCall) -> Sequence[Issue]:
        command = Delete(Reference(class_.name, call.arguments[ID]))
        return write.validate(call.context.services, command, call.context.caller)

    arguments = {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))}
    return _issues_field(
        arguments, issues, f"Return the issues that deleting this {class_.name} would cause. Writes nothing."
    )


VALIDATE_DELETE = Service("validateDelete", _delete_field, may_delete)


def _delete_bulk_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    selection = BulkSelection(registry.model, class_)

    def issues(call: ServiceCall) -> Sequence[Issue]:
        context, query = call.context, selection.query(call)
        return write.validate_bulk(
            context.services, None, query, context.caller, context.read_budget, context.evaluation
        )

    description = (
        f"Return the issues that deleting the matching {class_.name} objects would cause. Writes nothing."
    )
    return _issues_field(selection.argument(registry), issues, description)


VALIDATE_DELETE_BULK = Service("validateDeleteBulk", _delete_bulk_field, may_find_and(may_delete))


def _update_bulk_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    reader, selection = CommandReader(registry.model), BulkSelection(registry.model, class_)

    def issues(call: ServiceCall) -> Sequence[Issue]:
        command = reader.update_bulk(GeneratedType.DRAFT_UPDATE_BULK, class_, call.arguments["data"])
        context, query = call.context, selection.query(call)
        return write.validate_bulk(
            context.services, command, query, context.caller, context.read_budget, context.evaluation
        )

    arguments = data_argument(registry, class_, GeneratedType.DRAFT_UPDATE_BULK) | selection.argument(
        registry
    )
    description = (
        f"Return the issues that updating the matching {class_.name} objects would cause. Writes nothing."
    )
    return _issues_field(arguments, issues, description)


VALIDATE_UPDATE_BULK = Service(
    "validateUpdateBulk",
    _update_bulk_field,
    may_find_and(may_update(GeneratedType.DRAFT_UPDATE_BULK)),
)
