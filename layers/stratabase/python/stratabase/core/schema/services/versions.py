"""The services of versions: `<C>___getVersion`, `…getVersionPage`, `…getVersionDiff`, `…restoreVersion`."""

from typing import Any

from graphql import GraphQLArgument, GraphQLField

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.fetch import View, for_totals
from stratabase.core.domain.query.order import Order
from stratabase.core.model.api_names import IF_REVISION, GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations import write
from stratabase.core.operations.read.totals import totals_of_versions
from stratabase.core.operations.read.version_diff import version_diff
from stratabase.core.operations.read.version_page import version_page
from stratabase.core.operations.read.versions import get_version, resolve_instant
from stratabase.core.operations.write.options import WriteOptions, WriteOutcome, WriteResult
from stratabase.core.schema.execution.current_objects import keep_current
from stratabase.core.schema.execution.views import (
    PageRenderer,
    page_fields,
    version_view,
    version_views,
    written_views,
)
from stratabase.core.schema.inputs.query_reader import QueryReader
from stratabase.core.schema.inputs.service_arguments import (
    AT_VERSION,
    FROM,
    TO,
    condition_arguments,
    force_warnings_argument,
    id_argument,
    instant_argument,
    read_instants,
    reference_argument,
    write_options,
)
from stratabase.core.schema.request.context import ServiceCall, commit_and_show, require_class_access
from stratabase.core.schema.services.service import Service, has_history, is_restored, may_read, service_field
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.core.schema.types.results import VERSION_DIFF_TYPE, version_diff_source


def _version_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        (readings,) = read_instants(class_, call.arguments, call.context.caller.formats, AT_VERSION)
        read_context, reference = call.context.read_context, reference_argument(class_, call)
        at = resolve_instant(read_context.entities, reference, readings, read_context.budget)
        version = get_version(read_context, reference, at)
        return None if version is None else version_view(call, version, at)

    description = f"Return the {class_.name} as it was at an instant, or null if it did not exist then."
    arguments = id_argument(class_) | instant_argument(AT_VERSION)
    type_ = registry.type_of(GeneratedType.OBJECT, class_)
    return service_field(type_, arguments, require_class_access(class_, resolve), description)


GET_VERSION = Service("getVersion", _version_field, may_read, has_history)


def _version_page_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    reader = QueryReader(registry.model, class_, ordering=Order.of_versions, along_roles=False)

    def resolve(call: ServiceCall) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        totals, read_context = call.fetch.totals, call.context.read_context
        query = reader.read(options, page_fields(call.selected), call.context.input_context)
        page = version_page(read_context, reference_argument(class_, call), for_totals(query, totals))
        if totals:
            page = totals_of_versions(read_context, class_, totals, page)
        return PageRenderer(class_, query.order, call.selected)(page, version_views(call, page.items))

    arguments = {
        **id_argument(class_),
        "options": GraphQLArgument(registry.type_of(GeneratedType.OPTIONS, class_)),
    }
    description = f"Return a page of the versions of the {class_.name}, sorted by start."
    return service_field(
        registry.type_of(GeneratedType.PAGE, class_),
        arguments,
        require_class_access(class_, resolve),
        description,
    )


GET_VERSION_PAGE = Service("getVersionPage", _version_page_field, may_read, has_history)


def _version_diff_field(_: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> dict[str, Any] | None:
        read_context, reference = call.context.read_context, reference_argument(class_, call)
        instants = read_instants(class_, call.arguments, call.context.caller.formats, FROM, TO)
        from_, to = (
            resolve_instant(read_context.entities, reference, each, read_context.budget) for each in instants
        )
        changes = version_diff(read_context, reference, from_, to)
        return None if changes is None else version_diff_source(from_, to, changes)

    description = (
        f"Return what differs between the {class_.name} at two instants, or null if it existed at neither."
    )
    arguments = id_argument(class_) | instant_argument(FROM) | instant_argument(TO)
    return service_field(VERSION_DIFF_TYPE, arguments, require_class_access(class_, resolve), description)


GET_VERSION_DIFF = Service("getVersionDiff", _version_diff_field, may_read, has_history)


def _restore_version_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> Any:
        (readings,) = read_instants(class_, call.arguments, call.context.caller.formats, AT_VERSION)
        context, reference = call.context, reference_argument(class_, call)
        if_revision = call.arguments.get(IF_REVISION)

        def commit(options: WriteOptions) -> WriteResult:
            try:
                return write.restore(
                    context.services, reference, readings, context.caller, options, if_revision=if_revision
                )
            except Refused as refusal:
                keep_current(call, reference, refusal)
                raise

        return commit_and_show(
            call,
            write_options(call),
            commit,
            lambda result: written_views(call, [result])[0],
            WriteOutcome.result,
        )

    arguments = {
        **id_argument(class_),
        **instant_argument(AT_VERSION),
        **condition_arguments(class_, versions=False),
        **force_warnings_argument(),
    }
    description = f"Restore the {class_.name} and its parts as of an instant, even if it was deleted."
    return service_field(registry.type_of(GeneratedType.OBJECT, class_), arguments, resolve, description)


RESTORE_VERSION = Service(
    "restoreVersion",
    _restore_version_field,
    lambda capabilities, class_: capabilities.restores(class_),
    is_restored,
)
