"""`<C>___getBy…`: read an object by unique values. Each uniqueness constraint has a service."""

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull

from stratabase.domain.access.visibility import check_comparison
from stratabase.domain.issues.issue import Issue, IssueType, Subject
from stratabase.domain.issues.refusals import Refused
from stratabase.domain.objects.entity import State
from stratabase.domain.query.fetch import View
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import Formats
from stratabase.messages import _
from stratabase.model.api_names import GeneratedType, get_by_verb
from stratabase.model.attribute import Attribute
from stratabase.model.model import Class, Unique
from stratabase.model.types.storage import Stored
from stratabase.operations.read.reader import Reader
from stratabase.schema.execution.views import view_of
from stratabase.schema.request.context import Call
from stratabase.schema.request.refusals import raise_issues, require_class_access
from stratabase.schema.services.service import is_ordinary, may_read, service_field
from stratabase.schema.types.attributes import readable_attributes
from stratabase.schema.types.registry import TypeRegistry


class GetBy:
    """The services for the uniqueness constraints of a class."""

    serves = staticmethod(is_ordinary)
    permits = staticmethod(may_read)

    def fields(self, registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the fields of a class by verb."""
        compares = registry.capabilities.compares
        readable = {each.name: each for each in readable_attributes(class_) if compares(class_, each.name)}
        for unique in class_.uniques:
            if readable.keys() >= set(unique.attributes):
                attributes = [readable[name] for name in unique.attributes]
                yield get_by_verb(unique.attributes), _field(registry, class_, unique, attributes)


def _field(
    registry: TypeRegistry, class_: Class, unique: Unique, attributes: list[Attribute]
) -> GraphQLField:
    def resolve(call: Call) -> View | None:
        access = call.context.access
        if access is not None:
            raise_issues(check_comparison(access, class_, each.name, (each.name,)) for each in attributes)
        values = _read_values(class_, attributes, call.arguments, call.context.caller.formats)
        reader = Reader(call.context.read_context)
        return view_of(call, reader, reader.get_by(class_.name, unique, values))

    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        {each.name: GraphQLArgument(GraphQLNonNull(registry.input_type(each))) for each in attributes},
        require_class_access(class_, resolve),
        f"Return the {class_.name} with these unique values, or null if there is none.",
    )


def _read_values(
    class_: Class, attributes: list[Attribute], arguments: Mapping[str, Any], formats: Formats
) -> State:
    """Return the values of the arguments. Raises Refused with all values that cannot be read."""
    values: dict[str, Stored] = {}
    issues: list[Issue] = []
    for attribute in attributes:
        name = attribute.name
        try:
            values[name] = attribute.type.read(arguments[name], formats)
        except InvalidValue as mistake:
            message = _("{attribute}: {message}", attribute=f"{class_.name}.{name}", message=mistake.message)
            issues.append(Subject(class_).attribute_issue(IssueType.DATA_TYPE, message, name, path=(name,)))
    if issues:
        raise Refused(issues)
    return values


GET_BY = GetBy()
