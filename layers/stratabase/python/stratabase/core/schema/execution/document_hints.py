"""Hints for errors of documents that users of other GraphQL services run into.

A hint names only what the schema has that the error is about, which is the one that the caller sees.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
)
from graphql.pyutils import did_you_mean

from stratabase.values.messages import Message, _, or_list
from stratabase.values.wording import similar_words

_NAME = re.compile(r"\w+")
_UNKNOWN_FIELD = re.compile(
    r"(?P<problem>of type '(?P<type>\w+)!?' not to include unknown field '(?P<name>\w+)'), found"
)
_UNKNOWN_VALUE = re.compile(r"Value '(?P<name>\w+)' does not exist in '(?P<type>\w+)' enum\.\Z")

_OPTIONS_OF_OTHERS: Mapping[str, str] = {
    **dict.fromkeys(("limit", "first", "take", "top", "size", "pageSize", "perPage"), "next"),
    **dict.fromkeys(("last",), "prev"),
    **dict.fromkeys(("skip",), "offset"),
    **dict.fromkeys(("after", "before"), "cursor"),
    **dict.fromkeys(("where",), "filter"),
    **dict.fromkeys(("sort", "sortBy", "order", "order_by"), "orderBy"),
}
"""By option of a page in other services: the option here."""
_OPERATORS = ("eq", "contains", "in", "some", "none", "null")
"""The operators that a hint names, if the attribute or role has them. The first ones are the most likely."""
_MAX_OPERATORS = 3
_MAX_ENUM_VALUES = 20
"""An enum with more values is described in the schema."""


def with_hint(error: GraphQLError, schema: GraphQLSchema) -> GraphQLError:
    """Return an error with what to write instead, in place of similar names, if that is known."""
    for pattern, hint in _HINTS:
        if match := pattern.search(error.message):
            message = hint(error.message.partition(" Did you mean")[0], schema, *match.groups())
            if message is not None:
                return GraphQLError(message, error.nodes, original_error=error.original_error)
    return error


def with_suggestion(error: GraphQLError, schema: GraphQLSchema) -> GraphQLError:
    """Return an error of a variable with similar names.

    graphql-core would compare the names again for each error.
    """
    text = _UNKNOWN_FIELD.sub(lambda found: _suggest_field(found, schema), error.message, count=1)
    text = _UNKNOWN_VALUE.sub(lambda found: _suggest_value(found, schema), text, count=1)
    if text == error.message:
        return error
    return GraphQLError(text, error.nodes, original_error=error.original_error)


def _suggest_field(found: re.Match[str], schema: GraphQLSchema) -> str:
    type_ = schema.type_map.get(found["type"])
    fields = type_.fields if isinstance(type_, GraphQLInputObjectType) else {}
    suggestion = did_you_mean(similar_words(found["name"], tuple(fields)))
    return f"{found['problem']}.{suggestion} Found" if suggestion else found[0]


def _suggest_value(found: re.Match[str], schema: GraphQLSchema) -> str:
    type_ = schema.type_map.get(found["type"])
    values = type_.values if isinstance(type_, GraphQLEnumType) else {}
    return f"{found[0]}{did_you_mean(similar_words(found['name'], tuple(values)), 'the enum value')}"


def _argument(problem: str, schema: GraphQLSchema, name: str, owner: str, field_name: str) -> Message | None:
    """Hint at `options` for an option of a page, and at `data` for a value of an object."""
    field = _fields(schema, owner).get(field_name)
    arguments = {} if field is None else field.args
    for argument in ("options", "data"):
        if argument not in arguments:
            continue
        type_ = get_named_type(arguments[argument].type)
        option = _OPTIONS_OF_OTHERS.get(name, name) if argument == "options" else name
        if isinstance(type_, GraphQLInputObjectType) and option in type_.fields:
            return _(
                "{problem} Write it in {argument}, as in {argument}: {{{field}: …}}.",
                problem=problem,
                argument=argument,
                field=option,
            )
    return None


def _input_field(problem: str, schema: GraphQLSchema, type_name: str, name: str) -> Message | None:
    """Hint at the options of pages, and at the operators of filters."""
    type_ = schema.type_map.get(type_name)
    if not isinstance(type_, GraphQLInputObjectType):
        return None
    known = [f"{name}___{operator}" for operator in _OPERATORS if f"{name}___{operator}" in type_.fields]
    if "orderBy" in type_.fields and (option := _OPTIONS_OF_OTHERS.get(name)):
        known = [option]
    return _use(problem, known[:_MAX_OPERATORS])


def _order(problem: str, schema: GraphQLSchema, name: str, type_name: str) -> Message | None:
    """Hint at the directions of an order."""
    return _use(problem, _directions(schema, type_name, [name]))


def _order_object(problem: str, schema: GraphQLSchema, type_name: str, value: str) -> Message | None:
    return _use(problem, _directions(schema, type_name, dict.fromkeys(_NAME.findall(value))))


def _directions(schema: GraphQLSchema, type_name: str, names: Iterable[str]) -> list[str]:
    type_ = schema.type_map.get(type_name)
    values = type_.values if isinstance(type_, GraphQLEnumType) else {}
    return [
        f"{name}___{direction}"
        for name in names
        for direction in ("ASC", "DESC")
        if f"{name}___{direction}" in values
    ]


def _enum_value(problem: str, schema: GraphQLSchema, *type_names: str | None) -> Message | None:
    """Hint at all values of an enum, unless there are many, or they are the terms of an order."""
    (name,) = filter(None, type_names)
    type_ = schema.type_map.get(name)
    values = type_.values if isinstance(type_, GraphQLEnumType) else {}
    is_listed = len(values) <= _MAX_ENUM_VALUES and all(
        isinstance(each.value, str) for each in values.values()
    )
    return _use(problem, [*values]) if is_listed else None


def _field(problem: str, schema: GraphQLSchema, name: str, type_name: str) -> Message | None:
    """Hint at the items of a page, at the other kind of operation, and at the services of a class."""
    roots = {"query": schema.query_type, "mutation": schema.mutation_type}
    for kind, root in roots.items():
        if root is not None and root.name == type_name:
            known = [f"{name}___{verb}" for verb in ("getPage", "get") if f"{name}___{verb}" in root.fields]
            if known:
                return _use(problem, known)
        elif root is not None and name in root.fields and type_name in {"Query", "Mutation"}:
            return _(
                "{problem} It is a {kind}: write {kind} {{ {name} … }}.",
                problem=problem,
                kind=kind,
                name=name,
            )
    items = _fields(schema, type_name).get("items")
    of_items = None if items is None else get_named_type(items.type)
    if isinstance(of_items, GraphQLObjectType) and name in of_items.fields:
        return _("{problem} The objects are in items: items {{ {name} }}.", problem=problem, name=name)
    return None


def _fields(schema: GraphQLSchema, type_name: str) -> Mapping[str, GraphQLField]:
    type_ = schema.type_map.get(type_name)
    return type_.fields if isinstance(type_, GraphQLObjectType) else {}


def _use(problem: str, names: list[str]) -> Message | None:
    return _("{problem} Use {names}.", problem=problem, names=or_list(names)) if names else None


_HINTS: tuple[tuple[re.Pattern[str], Callable[..., Message | None]], ...] = (
    (re.compile(r"Unknown argument '(\w+)' on field '(\w+)\.(\w+)'"), _argument),
    (re.compile(r"of type '(\w+)!?' not to include unknown field '(\w+)'"), _input_field),
    (re.compile(r"Value '(\w+)' does not exist in '(\w+)' enum"), _order),
    (re.compile(r"Enum '(\w+)' cannot represent non-enum value: (.*)", re.DOTALL), _order_object),
    (re.compile(r"(?:Enum '(\w+)' cannot represent|does not exist in '(\w+)' enum)"), _enum_value),
    (re.compile(r"Cannot query field '(\w+)' on type '(\w+)'"), _field),
)
"""By message of graphql-core: the function that makes the hint of the groups of the message."""
