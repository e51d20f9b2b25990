"""`<C>___get`: read an object by its id, or the object of a singleton."""

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.core.domain.objects.entity import Reference, singleton_reference
from stratabase.core.domain.query.fetch import View
from stratabase.core.model.api_names import ID, GeneratedType
from stratabase.core.model.model import Class
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.execution.views import view_of
from stratabase.core.schema.inputs.service_arguments import AT_VERSION, at_version_argument
from stratabase.core.schema.request.context import ServiceCall, require_class_access
from stratabase.core.schema.services.as_of import past_reader
from stratabase.core.schema.services.service import Service, is_read, is_singleton, may_read, service_field
from stratabase.core.schema.types.registry import TypeRegistry


def _view(call: ServiceCall, class_: Class, reference: Reference) -> View | None:
    """Return what a call shows of an object, None if there is none. Raises Refused, ReadBudgetExceeded."""
    is_present = call.arguments.get(AT_VERSION) is None
    reader = Reader(call.context.read_context) if is_present else past_reader(call, class_, reference)
    return view_of(call, reader, reader.get(reference))


def _field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        return _view(call, class_, Reference(class_.name, call.arguments[ID]))

    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID)), **at_version_argument(class_)},
        require_class_access(class_, resolve),
        f"Return the {class_.name} with this id, or null if there is none.",
    )


GET = Service("get", _field, may_read, is_read)


def _singleton_field(registry: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        return _view(call, class_, singleton_reference(class_))

    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        at_version_argument(class_),
        require_class_access(class_, resolve),
        f"Return the {class_.name}.",
    )


GET_SINGLETON = Service("get", _singleton_field, may_read, is_singleton)
