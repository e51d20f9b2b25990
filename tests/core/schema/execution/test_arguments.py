"""Compiled arguments are exactly what graphql-core coerces: values, their order, and errors."""

from random import Random
from typing import Any

import pytest
from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    OperationDefinitionNode,
    VariableValues,
    build_schema,
    get_argument_values,
    get_variable_values,
    parse,
    type_from_ast,
    validate,
)

from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.variables import VariableCoercion
from tests import soak
from tests.core.schema.execution.random_documents import DocumentWriter
from tests.core.schema.execution.test_variables import described

SCHEMA = build_schema("""
    input Pick @oneOf { number: Int text: String }
    input Paged { after: String prev: Int = 50 order: [String!] = ["a"] required: Int! = 3 }
    input Thing {
      name: String!
      count: Int
      matrix: [[Int!]]
      inner: Thing
      things: [Thing!]
      pick: Pick
      page: Paged = {prev: 4}
    }
    type Query {
      f(size: Int! = 3, thing: Thing, things: [Thing], count: Int, page: Paged! = {}, pick: Pick): Int
      g(id: ID!, counts: [Int!], options: Paged): Int
    }
""")


def json_of(chance: Random, type_: Any, depth: int = 0) -> Any:
    """Return a random JSON value of a type. A few are null where that is wrong."""
    if isinstance(type_, GraphQLNonNull) and chance.random() < 0.95:
        type_ = type_.of_type
    elif chance.random() < 0.2:
        return None
    if isinstance(type_, GraphQLNonNull):
        return json_of(chance, type_.of_type, depth)
    if isinstance(type_, GraphQLList):
        return [json_of(chance, type_.of_type, depth + 1) for _ in range(chance.randint(0, 2))]
    if isinstance(type_, GraphQLInputObjectType):
        names = [
            name
            for name, field in type_.fields.items()
            if isinstance(field.type, GraphQLNonNull) or (depth < 2 and chance.random() < 0.3)
        ]
        chance.shuffle(names)
        return {name: json_of(chance, type_.fields[name].type, depth + 1) for name in names}
    return chance.randint(-3, 3) if type_.name == "Int" else "a"


def coerced(arguments: Any, values: VariableValues) -> str:
    """Return what can be compared of arguments, the order of the fields of objects included."""
    try:
        return repr(sorted(arguments(values).items()))
    except GraphQLError as error:
        return str(error)


@pytest.mark.soak
def test_equal_the_arguments_of_graphql_core() -> None:
    chance = Random(soak.seed())
    writer, compared = DocumentWriter(SCHEMA, chance), 0
    for _ in range(soak.count(60, 20_000)):
        document = parse(writer.document())
        operation = document.definitions[0]
        if validate(SCHEMA, document) or not isinstance(operation, OperationDefinitionNode):
            continue
        definitions = operation.variable_definitions or ()
        types = {each.variable.name.value: type_from_ast(SCHEMA, each.type) for each in definitions}
        coercion = VariableCoercion(SCHEMA, definitions)
        fields = [
            (SCHEMA.query_type.fields[node.name.value], node)  # type: ignore[union-attr]
            for node in operation.selection_set.selections
            if isinstance(node, FieldNode) and node.name.value != "__typename"
        ]
        compiled = [FieldArguments(field, node) for field, node in fields]
        for _ in range(4):
            given = {name: json_of(chance, type_) for name, type_ in types.items() if chance.random() < 0.8}
            expected, values = get_variable_values(SCHEMA, definitions, given), coercion.values(given)
            assert described(values) == described(expected)
            if not isinstance(values, VariableValues):
                continue
            for (field, node), arguments in zip(fields, compiled, strict=True):
                compared += 1
                assert coerced(arguments.values, values) == coerced(
                    lambda known, field=field, node=node: get_argument_values(field, node, known), values
                )
    assert compared > 20


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("id: $id, counts: [1, $count], options: {after: $after}", {"counts": [1, 2], "options": "after"}),
        ("id: $id, counts: $count, options: {prev: $count}", {"counts": 2, "options": "prev"}),
        ('id: "a", options: {prev: $missing, after: $after}', {"options": "after"}),
    ],
)
def test_plain_arguments_are_coerced_without_graphql_core(
    monkeypatch: pytest.MonkeyPatch, arguments: str, expected: dict[str, Any]
) -> None:
    (operation,) = parse(f"{{ g({arguments}) }}").definitions
    assert isinstance(operation, OperationDefinitionNode)
    (node,) = operation.selection_set.selections
    assert isinstance(node, FieldNode)
    assert SCHEMA.query_type
    known = VariableValues({}, {"id": "x", "count": 2, "after": "z"})
    field = SCHEMA.query_type.fields["g"]
    plain = get_argument_values(field, node, known)
    monkeypatch.delattr("stratabase.core.schema.execution.arguments.get_argument_values")

    values = FieldArguments(field, node).values(known)

    assert values == plain
    assert expected.keys() <= values.keys()
    assert expected["options"] in values["options"]
