"""`<C>___get`: read an object by its id, or the object of a singleton."""

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.core.domain.objects.entity import Reference, singleton_reference
from stratabase.core.domain.query.fetch import View
from stratabase.core.model.api_names import ID, GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.execution.views import view_of
from stratabase.core.schema.request.context import ServiceCall, require_class_access
from stratabase.core.schema.services.service import Service, is_read, is_singleton, may_read, service_field
from stratabase.core.schema.types.registry import TypeRegistry


def _field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        reader = Reader(call.context.read_context)
        return view_of(call, reader, reader.get(Reference(class_.name, call.arguments[ID])))

    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))},
        require_class_access(class_, resolve),
        f"Return the {class_.name} with this id, or null if there is none.",
    )


GET = Service("get", _field, may_read, is_read)


def _singleton_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        reader = Reader(call.context.read_context)
        return view_of(call, reader, reader.get(singleton_reference(class_)))

    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        {},
        require_class_access(class_, resolve),
        f"Return the {class_.name}.",
    )


GET_SINGLETON = Service("get", _singleton_field, may_read, is_singleton)
