"""`<C>___getPage`: read a page of the objects of a class that match a filter, in an order."""

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.totals import page_with_totals
from stratabase.core.operations.read.views import read_views
from stratabase.core.schema.execution.views import PageRenderer, page_fields
from stratabase.core.schema.inputs.page_options import DEFAULT_OPTIONS
from stratabase.core.schema.inputs.query_reader import QueryReader
from stratabase.core.schema.inputs.service_arguments import AT_VERSION, DISABLE_CACHE, at_version_argument
from stratabase.core.schema.request.context import ServiceCall, require_class_access
from stratabase.core.schema.services.as_of import past_reader
from stratabase.core.schema.services.service import Service, is_read, may_read, service_field
from stratabase.core.schema.types.attribute_types import with_default
from stratabase.core.schema.types.registry import TypeRegistry


def _field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    query_reader = QueryReader(registry.model, class_)

    def resolve(call: ServiceCall) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        fetch = call.fetch
        fields = page_fields(
            call.selected,
            version_start=fetch.version_start,
            revision=fetch.revision,
            attributes=fetch.attributes,
        )
        past = None if call.arguments.get(AT_VERSION) is None else past_reader(call, class_)
        reader, at = (Reader(call.context.read_context), None) if past is None else (past, past.instant)
        query = query_reader.read(options, fields, call.context.input_context, at)
        page = page_with_totals(reader, query, fetch) if fetch.totals else reader.page(query)
        items: Sequence[Entity] = page.items
        if call.arguments.get(DISABLE_CACHE) and at is None:
            # The cursors come from the page of the index: an object that has moved must not move them.
            items = reader.confirm(query, page)
        views = read_views(reader, call.fetch, items)
        return PageRenderer(class_, query.order, call.selected, at)(page, views)

    return service_field(
        registry.type_of(GeneratedType.PAGE, class_),
        {
            "options": with_default(registry.type_of(GeneratedType.OPTIONS, class_), DEFAULT_OPTIONS),
            **at_version_argument(class_),
        },
        require_class_access(class_, resolve),
        f"Return a page of the {class_.name} objects that match a filter.",
    )


GET_PAGE = Service("getPage", _field, may_read, is_read)
