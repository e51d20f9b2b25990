"""`<C>___getDeletedPage`: read a page of the deleted objects of a versioned class."""

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class, Model
from stratabase.core.operations import write
from stratabase.core.operations.read.deleted_page import DeletedPage, deleted_by, deleted_page
from stratabase.core.operations.read.read_policy import last_instant
from stratabase.core.operations.read.versions import VersionReader
from stratabase.core.schema.execution.views import PageRenderer, page_fields, version_views
from stratabase.core.schema.inputs.query_reader import query_reader_of
from stratabase.core.schema.inputs.service_arguments import write_options
from stratabase.core.schema.request.context import ServiceCall, require_class_access
from stratabase.core.schema.services.service import (
    Service,
    is_listed_when_deleted,
    is_restored,
    may_read,
    service_field,
)
from stratabase.core.schema.types.deleted_objects import DELETED_BY, RESTORABLE, deleted_source
from stratabase.core.schema.types.registry import TypeRegistry


def _field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        query = query_reader_of(field).read(options, page_fields(call.selected), call.context.input_context)
        found = deleted_page(call.context.read_context, query)
        return PageRenderer(class_, query.order, call.selected)(found.page, _items(call, class_, found))

    arguments = {"options": GraphQLArgument(registry.type_of(GeneratedType.DELETED_OPTIONS, class_))}
    description = f"Return a page of the deleted {class_.name} objects, the latest deletion first."
    field = service_field(
        registry.type_of(GeneratedType.DELETED_PAGE, class_),
        arguments,
        require_class_access(class_, resolve),
        description,
    )
    return field


def _items(call: ServiceCall, class_: Class, found: DeletedPage) -> list[Mapping[str, Any]]:
    context, deleted, facts = call.context.read_context, found.deleted, call.fetch.facts
    versions = VersionReader(context, of_deleted=True)
    views = version_views(call, found.page.items, versions) if found.page.items else []
    names = deleted_by(context, class_, deleted) if DELETED_BY in facts else {}
    return [
        deleted_source(
            view,
            gone.last_end,
            names.get(gone.reference),
            restorable=RESTORABLE in facts and _is_restorable(call, class_, version),
        )
        for view, (gone, version) in zip(views, deleted, strict=True)
    ]


def _is_restorable(call: ServiceCall, class_: Class, version: Entity) -> bool:
    """Return whether the caller may restore a deleted object. Raises ReadBudgetExceeded, Unavailable."""
    context = call.context
    # A part comes back with its whole. Parts without versions don't come back.
    if not is_restored(class_) or _loses_required_parts(context.services.model, class_):
        return False
    if context.access is None:
        return True
    context.read_budget.check(class_.name)
    return write.may_restore(
        context.services, version.reference, last_instant(version), context.caller, write_options(call)
    )


def _loses_required_parts(model: Model, class_: Class) -> bool:
    """Return whether an object requires parts whose class keeps no versions."""
    return any(
        role.composition and not model.classes[role.target].versioned for role in class_.required_roles
    )


GET_DELETED_PAGE = Service("getDeletedPage", _field, may_read, is_listed_when_deleted)
