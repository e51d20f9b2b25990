"""`lock` and `unlock`: reserve objects of any classes for the caller."""

from collections.abc import Callable
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
)

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import DEFAULT_LOCK_MINUTES
from stratabase.core.operations import locks
from stratabase.core.schema.inputs.service_arguments import write_options
from stratabase.core.schema.request.context import RESOLVER, ResolveInfo, ServiceCall, commit_and_show
from stratabase.core.schema.services.service import read_call
from stratabase.core.schema.types.attribute_types import with_default
from stratabase.core.schema.types.locks import LOCK_STATUS_RESULT_TYPE, references_of
from stratabase.core.schema.types.registry import TypeRegistry

_LOCKS, _MINUTES = "locks", "minutes"


def named_objects(call: ServiceCall) -> list[Reference]:
    """Return the objects in the argument of a call."""
    return references_of(call.arguments.get(_LOCKS) or ())


def locks_field(
    registry: TypeRegistry,
    resolver: Callable[[ServiceCall], Any],
    description: str,
    **arguments: GraphQLArgument,
) -> GraphQLField:
    """Return a mutation that takes objects of any classes. It has no `insight` argument."""

    def resolve(_: Any, info: ResolveInfo, **given: Any) -> Any:
        return info.context.root_results.get_or_run(
            str(info.path.key), lambda: resolver(read_call(field, info, given))
        )

    names = GraphQLList(GraphQLNonNull(registry.entity_id_type))
    field = GraphQLField(
        LOCK_STATUS_RESULT_TYPE,
        {_LOCKS: GraphQLArgument(names), **arguments},
        resolve,
        description=description,
        extensions={RESOLVER: resolver},
    )
    return field


def lock_mutation(registry: TypeRegistry) -> GraphQLField:
    """Return the mutation `lock`."""

    def resolve(call: ServiceCall) -> Any:
        requested = call.arguments.get(_MINUTES)
        minutes = DEFAULT_LOCK_MINUTES if requested is None else requested
        services, caller, named = call.context.services, call.context.caller, named_objects(call)
        return commit_and_show(
            call,
            write_options(call),
            lambda options: locks.lock(services, named, minutes, caller, options),
            lambda _done: {"locked": True, "minutes": minutes},
            lambda _outcome: None,
        )

    description = "Lock all of the objects or none for some minutes. No other member can write them."
    return locks_field(registry, resolve, description, minutes=with_default(GraphQLInt, DEFAULT_LOCK_MINUTES))


def unlock_mutation(registry: TypeRegistry) -> GraphQLField:
    """Return the mutation `unlock`."""

    def resolve(call: ServiceCall) -> Any:
        services, caller, named = call.context.services, call.context.caller, named_objects(call)
        return commit_and_show(
            call,
            write_options(call),
            lambda options: locks.unlock(services, named, caller, options),
            lambda _done: {"locked": False, "minutes": 0},
            lambda _outcome: None,
        )

    description = "Unlock objects. Only administrators can end the locks of other members."
    return locks_field(registry, resolve, description)
