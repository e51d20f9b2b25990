"""`<C>___updateBulk` and `<C>___deleteBulk`: write each object that matches a filter."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull

from stratabase.domain.access.visibility import check_class
from stratabase.domain.issues.issue import Issue, IssueType, Subject
from stratabase.domain.query.filter import MATCH_ALL
from stratabase.domain.query.page import PageFields, Query
from stratabase.messages import Message, _
from stratabase.model.api_names import FILTER_EXP, GeneratedType
from stratabase.model.model import Class, Model
from stratabase.operations.write.bulk import delete_bulk, update_bulk
from stratabase.schema.execution.views import written_views
from stratabase.schema.inputs.command_reader import CommandReader, data_argument
from stratabase.schema.inputs.query_reader import QueryReader
from stratabase.schema.inputs.service_arguments import force_warnings_argument, is_forced
from stratabase.schema.request.context import Call
from stratabase.schema.request.refusals import raise_issues
from stratabase.schema.services.service import (
    Service,
    may_delete,
    may_find_and,
    may_update,
    service_field,
)
from stratabase.schema.types.registry import TypeRegistry
from stratabase.schema.types.results import DELETE_BULK_RESULT

_MAX_OBJECTS = 2**31 - 1
"""No limit for the reader of options: the operation checks how many objects are too many."""
_CONDITIONS = ("filter", FILTER_EXP)
"""The options that select objects."""


class BulkSelection:
    """The `options` of a bulk service, which select all matches of the filter, or as many as `next` says.

    A condition that is null or empty is refused: an unset variable must not select all objects. A variable
    without a value inside a filter is refused too, because GraphQL then drops its field. That would widen the
    filter, below OR even to all objects.
    """

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._class = class_

    def argument(self, registry: TypeRegistry) -> dict[str, GraphQLArgument]:
        """Return the argument `options`."""
        return {
            "options": GraphQLArgument(GraphQLNonNull(registry.type_of(GeneratedType.OPTIONS, self._class)))
        }

    def query(self, call: Call) -> Query:
        """Return the query for the objects. Raises Refused, also if the caller may not read them."""
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, self._class)])
        query = self._reader.read(call.arguments["options"], PageFields(), call.context.input_context)
        raise_issues(self._absent_conditions(call, selects_all=query.filter in (None, MATCH_ALL)))
        return query

    def _absent_conditions(self, call: Call, *, selects_all: bool) -> Iterator[Issue]:
        """Yield an issue for each condition that is null, or whose variable has no value.

        A whole option without a value is accepted beside another condition, because clients list all options
        that exist.
        """
        options, class_name = call.arguments["options"], self._class.name
        for name in _CONDITIONS:
            if selects_all and name in options and options[name] is None:
                message = _(
                    "{option} is null, which would select every {class_name}. "
                    "To select every {class_name}, remove {option}.",
                    option=name,
                    class_name=class_name,
                )
                yield self._issue(message, name)
        # Inside a condition, a variable without a value is always refused. As a whole option, it is refused
        # only if the request then selects all objects.
        for variable, (_options, *path) in call.unset_variables():
            if path and path[0] in _CONDITIONS and (selects_all or len(path) > 1):
                yield self._issue(_describe_unset(variable, class_name, selects_all=selects_all), *path)

    def _issue(self, message: Message, *path: str | int) -> Issue:
        labeled = _("{class_name}: {message}", class_name=self._class.name, message=message)
        return Subject(self._class).issue(IssueType.MALFORMED_REQUEST, labeled, "options", *path)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(
            self._model, self._class, max_items=_MAX_OBJECTS, default_size=_MAX_OBJECTS, skip_nulls=False
        )


def _describe_unset(variable: str, class_name: str, *, selects_all: bool) -> Message:
    if selects_all:
        return _(
            "The variable ${variable} has no value. "
            "Without this condition, the request would select every {class_name}. "
            "Specify a value for the variable.",
            variable=variable,
            class_name=class_name,
        )
    return _(
        "The variable ${variable} has no value. "
        "Without this condition, the request might select more {class_name} objects. "
        "Specify a value for the variable.",
        variable=variable,
        class_name=class_name,
    )


def _update_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    reader, selection = CommandReader(registry.model), BulkSelection(registry.model, class_)

    def resolve(call: Call) -> dict[str, Any]:
        command = reader.update_bulk(GeneratedType.UPDATE_BULK, class_, call.arguments["data"])
        context, query = call.context, selection.query(call)
        results = update_bulk(
            context.services,
            command,
            query,
            context.caller,
            context.read_budget,
            context.evaluation,
            force=is_forced(call.arguments),
            recorder=context.recorder,
        )
        items = written_views(call, results) if "items" in call.selected else []
        return {"items": items, "totalCount": len(results)}

    arguments = {
        **data_argument(registry, class_, GeneratedType.UPDATE_BULK),
        **selection.argument(registry),
        **force_warnings_argument(),
    }
    description = f"Update each {class_.name} that matches a filter. Each is written separately."
    return service_field(registry.type_of(GeneratedType.BULK_RESULT, class_), arguments, resolve, description)


UPDATE_BULK = Service("updateBulk", _update_field, may_find_and(may_update(GeneratedType.UPDATE_BULK)))


def _delete_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    selection = BulkSelection(registry.model, class_)

    def resolve(call: Call) -> dict[str, int]:
        context, query = call.context, selection.query(call)
        deleted = delete_bulk(
            context.services,
            query,
            context.caller,
            context.read_budget,
            context.evaluation,
            context.recorder,
        )
        return {"deleted": deleted}

    description = f"Delete each {class_.name} that matches a filter. Each is deleted separately."
    return service_field(
        DELETE_BULK_RESULT, selection.argument(registry) | force_warnings_argument(), resolve, description
    )


DELETE_BULK = Service("deleteBulk", _delete_field, may_find_and(may_delete))
