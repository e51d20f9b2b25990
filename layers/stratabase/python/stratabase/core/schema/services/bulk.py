"""`<C>___updateBulk` and `<C>___deleteBulk`: write each object that matches a filter."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull

from stratabase.core.domain.access.visibility import check_class
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.filter import Filter, constant_value
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class, Model
from stratabase.core.operations import write
from stratabase.core.schema.execution.views import written_views
from stratabase.core.schema.inputs.filter_reader import EVERYTHING
from stratabase.core.schema.inputs.query_reader import CONDITION_OPTIONS, QueryReader
from stratabase.core.schema.inputs.service_arguments import (
    CommandReader,
    data_argument,
    force_warnings_argument,
    is_forced,
)
from stratabase.core.schema.request.context import ResultWithIssues, ServiceCall, raise_issues
from stratabase.core.schema.services.service import (
    Service,
    may_delete,
    may_find_and,
    may_update,
    service_field,
)
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.core.schema.types.results import DELETE_BULK_RESULT
from stratabase.values.messages import Message, _

_MAX_OBJECTS = 2**31 - 1
"""No limit for the reader of options: the operation checks how many objects are too many."""


class _UnsetCondition(NamedTuple):
    """A condition, or a part of one, that is a variable without a value, and its path in the options."""

    variable: str
    path: Path


class BulkSelection:
    """The `options` of a bulk service, which select all matches of the filter, or as many as `next` says.

    Options that select every object are refused, unless they say so by a comparison: a condition that got
    lost must not select all objects. If the client names two conditions, and one of them gets lost, the
    request selects more objects than the client means. So each must be there. A variable without a value
    inside a filter is refused too, because GraphQL then drops its field.
    """

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._class = class_

    def argument(self, registry: TypeRegistry) -> dict[str, GraphQLArgument]:
        """Return the argument `options`."""
        return {
            "options": GraphQLArgument(GraphQLNonNull(registry.type_of(GeneratedType.OPTIONS, self._class)))
        }

    def query(self, call: ServiceCall) -> Query:
        """Return the query for the objects. Raises Refused, also if the caller may not read them."""
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, self._class)])
        unset = [
            _UnsetCondition(variable, tuple(path))
            for variable, (_options, *path) in call.unset_variables()
            if path and path[0] in CONDITION_OPTIONS
        ]
        raise_issues(self._unset_issue(each, selects_all=False) for each in unset if len(each.path) > 1)
        options, context = call.arguments["options"], call.context
        query, filters = self._reader.read_with_conditions(options, PageFields(), context.input_context)
        raise_issues(self._lost_conditions(options, filters, unset, context.services.bulk))
        return query

    def _lost_conditions(
        self,
        options: Mapping[str, Any],
        filters: Mapping[str, Filter | None],
        unset: Iterable["_UnsetCondition"],
        limits: BulkLimits,
    ) -> Iterator[Issue]:
        """Yield the issues of options that name a condition and have none, or that select every object.

        Without `requires_condition`, an option without a condition may be beside one that has a condition,
        and an absent or empty filter selects every object. A null, a blank text or an unset variable alone
        is refused even then.
        """
        variables = {each.path[0]: each for each in unset}
        named = [name for name in CONDITION_OPTIONS if name in options or name in variables]
        lost = [name for name in named if not _selects(filters[name])]
        selects_all = not any(map(_selects, filters.values()))
        if selects_all and not variables:
            empty = [name for name in lost if filters[name] is None]
            if empty or limits.requires_condition:
                yield self._issue(_describe_every(self._class.name), *(empty or lost)[:1])
        elif selects_all or limits.requires_condition:
            for name in lost:
                if name in variables:
                    yield self._unset_issue(variables[name], selects_all=selects_all)
                elif not selects_all:
                    yield self._issue(_describe_lost(name, self._class.name), name)

    def _unset_issue(self, unset: "_UnsetCondition", *, selects_all: bool) -> Issue:
        message = _describe_unset(unset.variable, self._class.name, selects_all=selects_all)
        return self._issue(message, *unset.path)

    def _issue(self, message: Message, *path: str | int) -> Issue:
        labeled = _("{class_name}: {message}", class_name=self._class.name, message=message)
        return Subject(self._class).issue(IssueType.MALFORMED_REQUEST, labeled, "options", *path)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(
            self._model, self._class, max_items=_MAX_OBJECTS, default_size=_MAX_OBJECTS, skip_nulls=False
        )


def _selects(filter_: Filter | None) -> bool:
    """Return whether a filter can select fewer than all objects."""
    return filter_ is not None and constant_value(filter_) is not True


def _describe_every(class_name: str) -> Message:
    return _(
        "The options have no condition, so they would select every {class_name}. "
        "To select every {class_name}, use the filter {everything}.",
        class_name=class_name,
        everything=EVERYTHING,
    )


def _describe_lost(option: str, class_name: str) -> Message:
    return _(
        "{option} has no condition. Without it, the request might select more {class_name} objects. "
        "Specify a condition, or remove {option}.",
        option=option,
        class_name=class_name,
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


def _with_refusal(done: dict[str, Any], refusal: Refused | None) -> dict[str, Any] | ResultWithIssues:
    """Return the answer of a service that has written some objects, and was refused the others."""
    return done if refusal is None else ResultWithIssues(done, refusal)


def _update_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    reader, selection = CommandReader(registry.model), BulkSelection(registry.model, class_)

    def resolve(call: ServiceCall) -> dict[str, Any] | ResultWithIssues:
        command = reader.update_bulk(GeneratedType.UPDATE_BULK, class_, call.arguments["data"])
        context, query = call.context, selection.query(call)
        results, refusal = write.update_bulk(
            context.services,
            command,
            query,
            context.caller,
            context.read_budget,
            context.evaluation,
            force=is_forced(call.arguments),
            recorder=context.recorder,
        )
        try:
            items = written_views(call, results) if "items" in call.selected else []
        except Refused as unshown:
            before = () if refusal is None else refusal.issues
            raise Refused([*before, *unshown.issues], has_written=True) from None
        return _with_refusal({"items": items, "totalCount": len(results)}, refusal)

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

    def resolve(call: ServiceCall) -> dict[str, Any] | ResultWithIssues:
        context, query = call.context, selection.query(call)
        deleted, refusal = write.delete_bulk(
            context.services,
            query,
            context.caller,
            context.read_budget,
            context.evaluation,
            context.recorder,
        )
        return _with_refusal({"deleted": len(deleted)}, refusal)

    description = f"Delete each {class_.name} that matches a filter. Each is deleted separately."
    return service_field(
        DELETE_BULK_RESULT, selection.argument(registry) | force_warnings_argument(), resolve, description
    )


DELETE_BULK = Service("deleteBulk", _delete_field, may_find_and(may_delete))
