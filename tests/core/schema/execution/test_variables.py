"""Compiled coercion of variables gives exactly what graphql-core gives: values, their order, and errors."""

from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    OperationDefinitionNode,
    VariableValues,
    build_schema,
    get_variable_values,
    parse,
)
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.schema.execution.variables import MAX_COERCED_DEPTH, VariableCoercion
from tests.rows import each_row

SCHEMA = build_schema("""
    enum Colour { RED GREEN }
    input Pick @oneOf { number: Int text: String }
    input Paged { prev: Int = 50 after: String }
    input Thing {
      name: String!
      count: Int
      matrix: [[Int!]]
      colour: Colour
      inner: Thing
      things: [Thing!]
      pick: Pick
      page: Paged
    }
    type Query { f(thing: Thing): Int }
""")
DEFINITIONS = "$thing: Thing!, $things: [Thing], $count: Int, $colour: Colour!, $page: Paged, $size: Int = 3"
GARBAGE = st.sampled_from(
    [None, 0, -1, 2**40, 1.5, "", "RED", "7", True, [], [None], {}, {"name": "x"}, {"no": 1}]
)


def definitions_of(variables: str) -> Any:
    (operation,) = parse(f"query ({variables}) {{ f }}").definitions
    assert isinstance(operation, OperationDefinitionNode)
    return operation.variable_definitions


def values_of(type_: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return JSON values for a type. A few of them are wrong."""
    if isinstance(type_, GraphQLNonNull):
        return values_of(type_.of_type, depth)
    right: st.SearchStrategy[Any]
    if isinstance(type_, GraphQLList):
        right = st.lists(values_of(type_.of_type, depth + 1), max_size=2)
    elif isinstance(type_, GraphQLInputObjectType):
        fields = {name: values_of(field.type, depth + 1) for name, field in type_.fields.items() if depth < 3}
        required = {
            name: value
            for name, value in fields.items()
            if isinstance(type_.fields[name].type, GraphQLNonNull)
        }
        optional = {name: value for name, value in fields.items() if name not in required}
        right = st.fixed_dictionaries(required, optional=optional).flatmap(
            lambda value: st.permutations(list(value.items())).map(_as_dict)
        )
    elif isinstance(type_, GraphQLEnumType):
        right = st.sampled_from(["RED", "GREEN"])
    else:
        right = st.integers(-9, 9) if type_.name == "Int" else st.text(max_size=3)
    return st.one_of(right, right, right, right, right, right, right, GARBAGE)


def _as_dict(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(items)


def described(values: Any) -> Any:
    """Return what can be compared of coerced variables, with the order of fields. None if they are wrong."""
    if isinstance(values, VariableValues):
        return repr(values.coerced), {
            name: (str(source.signature.type), repr(source.value)) for name, source in values.sources.items()
        }
    return None


TYPES = {
    "thing": SCHEMA.type_map["Thing"],
    "things": GraphQLList(SCHEMA.type_map["Thing"]),
    "count": SCHEMA.type_map["Int"],
    "colour": SCHEMA.type_map["Colour"],
    "page": SCHEMA.type_map["Paged"],
    "size": SCHEMA.type_map["Int"],
}


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={name: values_of(type_) for name, type_ in TYPES.items()}),
        min_size=3,
    )
)
def test_equals_the_coercion_of_graphql_core(requests: list[dict[str, Any]]) -> None:
    definitions = definitions_of(DEFINITIONS)
    coercion = VariableCoercion(SCHEMA, definitions)
    plain = {"thing": {"name": "a"}, "things": [], "count": 1, "colour": "RED", "page": None, "size": 1}
    for variables in (plain, plain, *requests):
        expected = get_variable_values(SCHEMA, definitions, variables)
        assert described(coercion.values(variables)) == described(expected)


def test_plain_values_are_coerced_without_graphql_core(monkeypatch: pytest.MonkeyPatch) -> None:
    definitions = definitions_of("$thing: Thing!, $colour: Colour")
    variables = {"thing": {"count": 3, "name": "a", "things": [{"name": "b"}]}, "colour": "RED"}
    coercion = VariableCoercion(SCHEMA, definitions)
    first = coercion.values(variables)
    monkeypatch.delattr("stratabase.core.schema.execution.variables.get_variable_values")
    assert described(coercion.values(variables)) == described(first)


@each_row("depth", [MAX_COERCED_DEPTH - 1, MAX_COERCED_DEPTH + 1, 250, 3000])
def test_deep_values_get_the_answer_of_graphql_core(depth: int) -> None:
    definitions = definitions_of("$thing: Thing!")
    coercion = VariableCoercion(SCHEMA, definitions)
    coercion.values({"thing": {"name": "a"}})
    thing: dict[str, Any] = {"name": "innermost"}
    for _ in range(depth):
        thing = {"name": "a", "inner": thing}
    expected = get_variable_values(SCHEMA, definitions, {"thing": thing})
    found = coercion.values({"thing": thing})
    assert isinstance(found, VariableValues) == isinstance(expected, VariableValues)
