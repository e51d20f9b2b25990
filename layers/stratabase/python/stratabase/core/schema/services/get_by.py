"""`<C>___getBy…`: read an object by unique values. Each uniqueness constraint has a service.

The value of a role is the ID of its target. If the caller does not see the target, no object is found.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.core.domain.access.visibility import check_comparable, check_role_comparable
from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference, State, normalize_reference
from stratabase.core.domain.query.fetch import View
from stratabase.core.model.api_names import GeneratedType, get_by_verb
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Role, Unique
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.execution.views import view_of
from stratabase.core.schema.inputs.service_arguments import AT_VERSION, at_version_argument
from stratabase.core.schema.request.context import ServiceCall, raise_issues, require_class_access
from stratabase.core.schema.services.as_of import past_reader
from stratabase.core.schema.services.service import is_ordinary, may_read, service_field
from stratabase.core.schema.types.attributes import readable_attributes
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _


class GetBy:
    """The services for the uniqueness constraints of a class."""

    serves = staticmethod(is_ordinary)
    permits = staticmethod(may_read)

    def fields(self, registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the fields of a class by verb."""
        compares = registry.capabilities.compares
        readable = {each.name: each for each in readable_attributes(class_) if compares(class_, each.name)}
        for unique in class_.uniques:
            attributes = [readable[name] for name in unique.attributes if name in readable]
            roles = [class_.roles[name] for name in unique.attributes if name in class_.roles]
            if len(attributes) + len(roles) == len(unique.attributes):
                yield get_by_verb(unique.attributes), _field(registry, class_, unique, attributes, roles)


def _field(
    registry: TypeRegistry, class_: Class, unique: Unique, attributes: list[Attribute], roles: list[Role]
) -> GraphQLField:
    def resolve(call: ServiceCall) -> View | None:
        access = call.context.access
        if access is not None:
            raise_issues(
                check_role_comparable(access, class_, class_.roles[name], (name,))
                if name in class_.roles
                else check_comparable(access, class_, name, (name,))
                for name in unique.attributes
            )
        values = _read_values(class_, attributes, call.arguments, call.context.caller.formats)
        targets = {
            role.name: normalize_reference(Reference(role.target, call.arguments[role.name]))
            for role in roles
        }
        values = {**values, **{name: target.id for name, target in targets.items()}}
        is_present = not instant or call.arguments.get(AT_VERSION) is None
        reader = Reader(call.context.read_context) if is_present else past_reader(call, class_)
        # The targets come first: whether an object leads to a hidden target must not change what is read.
        if None in reader.read([*targets.values()]):
            return None
        return view_of(call, reader, reader.get_by(class_.name, unique, values))

    # An attribute can have the name of the argument.
    instant = {} if AT_VERSION in unique.attributes else at_version_argument(class_)
    types = {each.name: registry.input_type(each) for each in attributes}
    return service_field(
        registry.type_of(GeneratedType.OBJECT, class_),
        {
            **{
                name: GraphQLArgument(GraphQLNonNull(types.get(name, GraphQLID)))
                for name in unique.attributes
            },
            **instant,
        },
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
