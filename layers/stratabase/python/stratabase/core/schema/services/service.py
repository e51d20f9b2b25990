"""The definition of a service: its verb, its root field, who may use it, and the classes that have it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from graphql import GraphQLArgument, GraphQLEnumType, GraphQLEnumValue, GraphQLField, located_error

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.model import api_names
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class, ClassKind
from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.fetch_plan import errors_of, plan_fetch
from stratabase.core.schema.execution.selections import Selections, names_of
from stratabase.core.schema.inputs.object_inputs import is_empty_input
from stratabase.core.schema.inputs.service_arguments import disable_cache_argument
from stratabase.core.schema.request.context import (
    FULL,
    INSIGHT_ARGUMENT,
    LIGHT,
    RESOLVER,
    ResolveInfo,
    ResultWithIssues,
    ServiceCall,
    ServiceResolver,
    measure_when_asked,
    run_all,
)
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.values.frozen import frozen

Serves = Callable[[Class], bool]
"""Returns whether a class has a service."""


def is_read(class_: Class) -> bool:
    """Return whether objects of a class can be read by themselves: ordinary objects, exposed parts, users."""
    return class_.kind in {ClassKind.ORDINARY, ClassKind.USERS} and class_.exposed


def is_ordinary(class_: Class) -> bool:
    """Return whether a class has the services of an ordinary one."""
    return class_.kind is ClassKind.ORDINARY and class_.exposed and not class_.part


def is_singleton(class_: Class) -> bool:
    """Return whether a class has the services of a singleton."""
    return class_.kind is ClassKind.SINGLETON and class_.exposed


def is_form(class_: Class) -> bool:
    """Return whether a class has the services of a form."""
    return class_.kind is ClassKind.FORM and class_.exposed


def can_preview_new(class_: Class) -> bool:
    """Return whether new objects of a class can be previewed, even if they are never stored."""
    return is_ordinary(class_) or is_form(class_)


def is_written_alone(class_: Class) -> bool:
    """Return whether clients can write single objects of a class."""
    return is_ordinary(class_) or is_singleton(class_)


def has_history(class_: Class) -> bool:
    """Return whether a class has the services that read versions."""
    return class_.versioned and (is_read(class_) or is_singleton(class_))


def is_listed_when_deleted(class_: Class) -> bool:
    """Return whether a class has the service that reads its deleted objects."""
    return class_.versioned and is_read(class_)


def is_restored(class_: Class) -> bool:
    """Return whether objects of a class can be restored."""
    return class_.versioned and is_written_alone(class_)


Permits = Callable[[Capabilities, Class], bool]
"""Returns whether a profile may use a service of a class."""


def may_read(capabilities: Capabilities, class_: Class) -> bool:
    """Return whether a profile may use the services that read objects of a class."""
    return capabilities.sees(class_)


def may_create(capabilities: Capabilities, class_: Class) -> bool:
    """Return whether a profile may use the services that create objects of a class."""
    return capabilities.creates(class_)


def may_save(capabilities: Capabilities, class_: Class) -> bool:
    """Return whether a profile may use the services that create or update objects of a class."""
    return capabilities.creates(class_) or capabilities.updates(class_)


def may_delete(capabilities: Capabilities, class_: Class) -> bool:
    """Return whether a profile may use the services that delete objects of a class."""
    return capabilities.deletes(class_)


def may_update(family: GeneratedType) -> Permits:
    """Return the test for services that update objects by inputs of a family, which may have no field."""
    return lambda capabilities, class_: (
        capabilities.updates(class_) and not is_empty_input(capabilities, class_, family)
    )


def may_find_and(permits: Permits) -> Permits:
    """Return the test for services that write the objects that a filter finds."""
    return lambda capabilities, class_: capabilities.sees(class_) and permits(capabilities, class_)


class ServiceKind(Protocol):
    """Makes root fields for the classes that it serves."""

    @property
    def serves(self) -> Serves:
        """Returns whether a class has the service."""

    @property
    def permits(self) -> Permits:
        """Returns whether a profile may use the service of a class."""

    def fields(self, registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the root fields of a class by verb."""


@frozen
class Service:
    """A verb, the function that makes a class's root field, who may use it, and which classes have it."""

    verb: str
    field: Callable[[TypeRegistry, Class], GraphQLField]
    permits: Permits
    serves: Serves = is_ordinary

    def fields(self, registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the root field of a class by verb."""
        yield self.verb, self.field(registry, class_)


def service_field(
    type_: Any, arguments: dict[str, GraphQLArgument], resolver: ServiceResolver, description: str
) -> GraphQLField:
    """Return a root field that `resolver` resolves, with the arguments that all services have."""
    resolver = measure_when_asked(resolver)
    arguments = {**arguments, **insight_argument(), **disable_cache_argument()}

    def resolve(_: Any, info: ResolveInfo, **given: Any) -> Any:
        context, key = info.context, str(info.path.key)

        def call_service() -> Any:
            call = read_call(field, info, given)
            result = resolver(call)
            context.add_unreadable(key, call.unreadable_errors())
            return result

        result = context.root_results.get_or_run(key, call_service)
        if not isinstance(result, ResultWithIssues):
            return result
        # Report the issues beside the answer, in the form in which graphql-core reports a refusal.
        error = located_error(result.refusal, info.field_nodes, info.path.as_list())
        context.errors.append(error)
        return result.source

    field = GraphQLField(type_, arguments, resolve, description=description, extensions={RESOLVER: resolver})
    return field


def read_call(field: GraphQLField, info: ResolveInfo, arguments: dict[str, Any]) -> ServiceCall:
    """Return the call of a root field in graphql-core's executor. Raises Refused."""
    selections = Selections(info.fragments, info.variable_values)
    names = names_of(selections.collect([node.selection_set for node in info.field_nodes]))
    plan = plan_fetch(selections, str(info.path.key), field, info.field_nodes)
    variables, context = info.variable_values, info.context
    # Check the selection and its formats before the service reads or writes anything.
    (fetch, unreadable), _ = run_all(
        partial(plan.fetch_checked, variables, context),
        partial(plan.check_formats, variables, context.caller.formats),
    )
    context.add_warnings(str(info.path.key), plan.format_warnings(variables))
    unset = partial(FieldArguments(field, info.field_nodes[0]).unset, variables)
    errors = partial(errors_of, unreadable)
    return ServiceCall(info.context, str(info.path.key), arguments, names, fetch, unset, errors)


_INSIGHT_TYPE = GraphQLEnumType(
    api_names.INSIGHT_TYPE,
    {
        LIGHT: GraphQLEnumValue(LIGHT, description="Only totals."),
        FULL: GraphQLEnumValue(FULL, description="Totals, calls to the storage, and plans of queries."),
    },
    description="How much `extensions.insight` tells administrators about calls to the storage.",
)


def insight_argument() -> dict[str, GraphQLArgument]:
    """Return the argument `insight` of a service."""
    return {INSIGHT_ARGUMENT: GraphQLArgument(_INSIGHT_TYPE)}
