"""The input type `<C>Filter`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from graphql import (
    GraphQLBoolean,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.model.api_names import (
    AND,
    CLIENT_ID_EQUALS,
    NOT,
    OR,
    GeneratedType,
    RoleTest,
    filter_field,
    role_filter_field,
    type_name,
)
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.model.types.operators import (
    EXISTENCE_OPERATORS,
    MEMBERSHIP_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.core.schema.types.attributes import filterable_attributes
from stratabase.core.schema.types.registry import TypeRegistry

_NULLS = (
    "Objects must match all fields. `eq` and `ne` can compare with null. "
    "Another comparison with null is ignored in pages, and is an error in bulk services."
)

_LEFT_OUT = "An element without conditions is ignored in pages, and is an error in bulk services."
_NOT_LEFT_OUT = "A filter without conditions is ignored in pages, and is an error in bulk services."


class FilterField(NamedTuple):
    """The attribute and the operator of one field of a filter."""

    attribute: Attribute
    operator: Operator


def filter_fields(class_: Class) -> Iterator[tuple[str, FilterField]]:
    """Yield the comparisons of a class's filter by field name, without AND, OR, NOT, and `_clientId`."""
    for attribute in filterable_attributes(class_):
        for operator in Operator:
            if operator in attribute.type.operators:
                yield filter_field(attribute.name, operator), FilterField(attribute, operator)


class RoleFilterField(NamedTuple):
    """The role, the class that it leads to, and the test of one field of a filter."""

    role: RoleName
    target: Class
    test: RoleTest


_FILTERED_KINDS = frozenset({ClassKind.ORDINARY, ClassKind.USERS})
"""The kinds of classes whose objects have a filter."""
_TO_ONE_TESTS = (RoleTest.IS, RoleTest.NULL)
_TO_MANY_TESTS = (RoleTest.SOME, RoleTest.NONE, RoleTest.EVERY)
_DESCRIPTIONS = {
    RoleTest.IS: "This object matches. {} matches any object.",
    RoleTest.EVERY: "Every object matches, or there is none.",
}


def role_filter_fields(model: Model, class_: Class) -> Iterator[tuple[str, RoleFilterField]]:
    """Yield the tests of a class's roles by field name.

    A part can belong to a singleton, which has no filter: there is only one.
    """
    for role in class_.roles.values():
        target = model.classes[role.target]
        for test in _TO_MANY_TESTS if role.many else _TO_ONE_TESTS:
            if test is RoleTest.NULL or target.kind in _FILTERED_KINDS:
                field = RoleFilterField(RoleName(class_.name, role.name), target, test)
                yield role_filter_field(role.name, test), field


def filter_type(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
    """Return the type `<C>Filter`. All fields of a filter must hold."""

    def fields() -> dict[str, GraphQLInputField]:
        several = GraphQLList(GraphQLNonNull(type_))
        return {
            AND: GraphQLInputField(
                several, description=f"Match all of these filters. [] matches every object. {_LEFT_OUT}"
            ),
            OR: GraphQLInputField(
                several, description=f"Match at least one of these filters. [] matches no object. {_LEFT_OUT}"
            ),
            NOT: GraphQLInputField(type_, description=f"Don't match this filter. {_NOT_LEFT_OUT}"),
            **({} if class_.kind is ClassKind.USERS else {CLIENT_ID_EQUALS: GraphQLInputField(GraphQLID)}),
            **{
                name: GraphQLInputField(_operand_type(registry.input_type(field.attribute), field))
                for name, field in filter_fields(class_)
                if registry.capabilities.compares(class_, field.attribute.name)
            },
            **{
                name: _role_input_field(registry, field)
                for name, field in role_filter_fields(registry.model, class_)
                if registry.capabilities.compares_role(class_, class_.roles[field.role.role_name])
            },
        }

    type_ = GraphQLInputObjectType(type_name(class_.name, GeneratedType.FILTER), fields, description=_NULLS)
    return type_


def _role_input_field(registry: TypeRegistry, field: RoleFilterField) -> GraphQLInputField:
    type_ = (
        GraphQLBoolean
        if field.test is RoleTest.NULL
        else registry.type_of(GeneratedType.FILTER, field.target)
    )
    return GraphQLInputField(type_, description=_DESCRIPTIONS.get(field.test))


def _operand_type(type_: Any, field: FilterField) -> Any:
    if field.operator in EXISTENCE_OPERATORS:
        return GraphQLBoolean
    if field.operator in TEXT_OPERATORS and not field.attribute.type.unrestricted:
        return GraphQLString  # a part of a value is any text
    if field.operator not in MEMBERSHIP_OPERATORS:
        return type_
    with_null = field.operator is Operator.IN and field.attribute.type.lists_null
    return GraphQLList(type_ if with_null else GraphQLNonNull(type_))
