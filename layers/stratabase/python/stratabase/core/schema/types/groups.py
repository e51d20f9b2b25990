"""The fields of pages that show totals of all matches, and their types: counts, aggregates and groups."""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.attributes import type_of
from stratabase.core.domain.query.groups import GroupKey, GroupPart, GroupTerm, Measure, measured_type
from stratabase.core.model.api_names import (
    AGGREGATES,
    COUNT,
    COUNT_TYPE,
    CURSOR,
    GROUP_OBJECT,
    GROUPS,
    ID,
    KEYS,
    LABEL,
    TOTAL_COUNT_UP_TO,
    GeneratedType,
    SortDirection,
    aggregates_type,
    group_filter_field,
    group_key,
    measure_name,
    sort_value,
    type_name,
)
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Model
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.operators import DISTINCT_TOTALS, ORDER_OPERATORS, Operator, Total
from stratabase.core.schema.types.attribute_types import SCALARS, InputEnumType, value_field, with_default
from stratabase.core.schema.types.attributes import readable_attributes
from stratabase.core.schema.types.objects import resolve_keyed
from stratabase.core.schema.types.registry import TypeRegistry

TOTALS = "totals"
"""The key in the `extensions` of a field of a page for its `TotalsField`."""
MEASURED = "measured"
"""The key in the `extensions` of a field for the name of the attribute or role of which it shows totals."""
DEFAULT_GROUPS = 100
"""The maximum number of groups if the request does not say it."""
_TESTS = tuple(each for each in Operator if each in ORDER_OPERATORS or each in {Operator.EQ, Operator.NE})
"""The operators of conditions on groups."""


class TotalsKind(Enum):
    """The kinds of totals."""

    COUNT = TOTAL_COUNT_UP_TO
    AGGREGATES = AGGREGATES
    GROUPS = GROUPS


class TotalsField(NamedTuple):
    """The totals that a field of a page shows, and the class of the page."""

    kind: TotalsKind
    model: Model
    class_: Class


def totals_fields(registry: TypeRegistry, class_: Class) -> dict[str, GraphQLField]:
    """Return the fields of a page of a class that show totals of all matches."""
    limit = GraphQLArgument(GraphQLNonNull(GraphQLInt), description="The maximum number of objects to count.")
    fields = {
        TotalsKind.COUNT: (
            COUNT_OF_MATCHES,
            {"limit": limit},
            "The number of objects that match the filter, up to a limit.",
        ),
        TotalsKind.AGGREGATES: (
            registry.type_of(GeneratedType.AGGREGATES, class_),
            {},
            "Totals of all objects that match the filter, whatever the paging.",
        ),
    }
    if any(_keys(registry, class_)):
        fields[TotalsKind.GROUPS] = (
            registry.type_of(GeneratedType.GROUP_PAGE, class_),
            _group_arguments(registry, class_),
            "All objects that match the filter, in groups with equal keys.",
        )
    return {
        kind.value: GraphQLField(
            GraphQLNonNull(type_),
            arguments,
            resolve_keyed,
            description=description,
            extensions={TOTALS: TotalsField(kind, registry.model, class_)},
        )
        for kind, (type_, arguments, description) in fields.items()
    }


def _group_arguments(registry: TypeRegistry, class_: Class) -> dict[str, GraphQLArgument]:
    def several(family: GeneratedType) -> GraphQLList[Any]:
        return GraphQLList(GraphQLNonNull(registry.type_of(family, class_)))

    return {
        "by": GraphQLArgument(GraphQLNonNull(several(GeneratedType.GROUP_KEY))),
        "having": GraphQLArgument(registry.type_of(GeneratedType.GROUP_FILTER, class_)),
        "orderBy": GraphQLArgument(several(GeneratedType.GROUP_SORT)),
        "next": with_default(GraphQLInt, DEFAULT_GROUPS),
        "cursor": GraphQLArgument(SCALARS[CURSOR]),
    }


COUNT_OF_MATCHES = GraphQLObjectType(
    COUNT_TYPE,
    {
        "count": GraphQLField(GraphQLNonNull(GraphQLInt), description="At most the limit."),
        "more": GraphQLField(GraphQLNonNull(GraphQLBoolean), description="Whether there are more."),
    },
)
GROUPED_OBJECT = GraphQLObjectType(
    GROUP_OBJECT,
    {
        ID: GraphQLField(GraphQLNonNull(GraphQLID)),
        LABEL: GraphQLField(GraphQLString, description="Null if you can't read what it consists of."),
    },
    description="The object that a role leads to from all objects of a group.",
)


@cache
def _aggregates_of(name: str | None) -> GraphQLObjectType:
    """Return the type with the totals of an attribute of a type. None: of values without an order."""
    own = aggregates_type(name)
    totals = DISTINCT_TOTALS if name is None else TYPES[name].totals

    def field(total: Total) -> GraphQLField:
        if total is Total.COUNT_DISTINCT:
            return GraphQLField(GraphQLInt, description="The number of different values, without null.")
        is_real = total in {Total.SUM, Total.AVG}
        return _value_field(own, total.value, TYPES["Real" if is_real else str(name)])

    return GraphQLObjectType(own, {total.value: field(total) for total in totals})


def _value_field(type_name: str, name: str, type_: AttributeType) -> GraphQLField:
    """Return the field of a type that shows a value of one of the types of every model."""
    if type_.name in SCALARS:
        return value_field(type_name, name, type_)
    return GraphQLField({"Int": GraphQLInt, "String": GraphQLString}[type_.name])


def _measured(registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, AttributeType | None]]:
    """Yield the attributes that have totals with their types, and the to-one roles with None."""
    capabilities = registry.capabilities
    for attribute in readable_attributes(class_):
        if attribute.type.totals and capabilities.compares(class_, attribute.name):
            yield attribute.name, attribute.type
    for name in _to_one_roles(registry, class_):
        yield name, None


def _to_one_roles(registry: TypeRegistry, class_: Class) -> Iterator[str]:
    capabilities = registry.capabilities
    for role in class_.roles.values():
        if not role.many and capabilities.follows(class_, role) and capabilities.compares_role(class_, role):
            yield role.name


def _measures(registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, Measure | GroupPart]]:
    """Yield the count and all totals of a class, by their names in orders and conditions."""
    yield COUNT, GroupPart.COUNT
    for name, type_ in _measured(registry, class_):
        for total in DISTINCT_TOTALS if type_ is None else type_.totals:
            yield measure_name(name, total), Measure(name, total)


def _keys(registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GroupKey]]:
    """Yield the keys of groups of a class by name."""
    for name, type_ in _measured(registry, class_):
        if type_ is None or type_.groups_by_value:
            yield group_key(name), GroupKey(name)
        for bucket in () if type_ is None else type_.buckets:
            yield group_key(name, bucket), GroupKey(name, bucket)


def _total_fields(registry: TypeRegistry, class_: Class) -> dict[str, GraphQLField]:
    fields = {COUNT: GraphQLField(GraphQLNonNull(GraphQLInt), description="The number of objects.")}
    for name, type_ in _measured(registry, class_):
        has_order = type_ is not None and Total.MIN in type_.totals
        shown = _aggregates_of(type_.name if type_ is not None and has_order else None)
        fields[name] = GraphQLField(shown, extensions={MEASURED: name})
    return fields


def aggregates_of_class(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___Aggregates`. Its source has a dict of totals for each attribute and role."""
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.AGGREGATES), lambda: _total_fields(registry, class_)
    )


def group_page_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___GroupPage`. Its source is a dict of its fields."""
    item = GraphQLNonNull(registry.type_of(GeneratedType.GROUP, class_))
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.GROUP_PAGE),
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "totalCount": GraphQLField(
                GraphQLNonNull(GraphQLInt), description="The number of groups that meet `having`."
            ),
            "nextCursor": GraphQLField(SCALARS[CURSOR], description="The cursor of the last item."),
            "hasNext": GraphQLField(GraphQLNonNull(GraphQLBoolean)),
        },
    )


def group_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___Group`. Its source is like that of `<C>___Aggregates`, with the keys."""

    def fields() -> dict[str, GraphQLField]:
        keys = GraphQLNonNull(registry.type_of(GeneratedType.GROUP_KEYS, class_))
        return {KEYS: GraphQLField(keys), **_total_fields(registry, class_)}

    return GraphQLObjectType(type_name(class_.name, GeneratedType.GROUP), fields)


def group_keys_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___GroupKeys`. Its source has the keys of the request by name."""
    own = type_name(class_.name, GeneratedType.GROUP_KEYS)

    def field(name: str, key: GroupKey) -> GraphQLField:
        if key.name in class_.roles:
            return GraphQLField(GROUPED_OBJECT)
        if key.bucket is not None:
            return GraphQLField(GraphQLString)
        type_ = type_of(class_, key.name)
        if type_.has_serializer:
            return value_field(own, name, type_)
        return GraphQLField(registry.output_type(Attribute(key.name, type_)))

    return GraphQLObjectType(own, lambda: {name: field(name, key) for name, key in _keys(registry, class_)})


def group_key_type(registry: TypeRegistry, class_: Class) -> GraphQLEnumType:
    """Return the enum of the keys of groups, for example `placed_on___MONTH`."""
    values = {name: GraphQLEnumValue(key) for name, key in _keys(registry, class_)}
    return InputEnumType(type_name(class_.name, GeneratedType.GROUP_KEY), values)


def group_sort_type(registry: TypeRegistry, class_: Class) -> GraphQLEnumType:
    """Return the enum of the terms of an order of groups, for example `total___SUM___DESC`."""
    parts = {KEYS: GroupPart.KEYS, **dict(_measures(registry, class_))}
    values = {
        sort_value(name, direction): GraphQLEnumValue(
            GroupTerm(part, descending=direction is SortDirection.DESCENDING)
        )
        for name, part in parts.items()
        for direction in SortDirection
    }
    return InputEnumType(type_name(class_.name, GeneratedType.GROUP_SORT), values)


class GroupTestField(NamedTuple):
    """What one field of a condition on groups compares, and how."""

    by: Measure | GroupPart
    operator: Operator


GROUP_TEST = "groupTest"
"""The key in the `extensions` of a field of a condition on groups for its `GroupTestField`."""


def group_filter_type(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
    """Return the input type `<C>___GroupFilter`."""
    input_type: Callable[[Attribute], Any] = registry.input_type

    def fields() -> dict[str, GraphQLInputField]:
        return {
            group_filter_field(name, operator): GraphQLInputField(
                input_type(Attribute(name, measured_type(class_, by))),
                extensions={GROUP_TEST: GroupTestField(by, operator)},
            )
            for name, by in _measures(registry, class_)
            for operator in _TESTS
        }

    return GraphQLInputObjectType(
        type_name(class_.name, GeneratedType.GROUP_FILTER),
        fields,
        description="Groups must meet all fields. `eq` and `ne` can compare with null. Another comparison "
        "with null is ignored.",
    )
