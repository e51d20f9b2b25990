"""The accepting validator never accepts what graphql-core or the limits refuse, and accepts the usual."""

from random import Random

import pytest
from graphql import GraphQLSchema, GraphQLSyntaxError, parse, validate

from stratabase.core.schema.execution.accepting_validator import AcceptingValidator
from stratabase.core.schema.execution.limits import Limits, limit_violations
from stratabase.core.schema.generate import generate_schema
from tests import soak
from tests.core.schema.execution.random_documents import DocumentWriter
from tests.core.schema.grants.random_model import random_model
from tests.everything_model import EVERYTHING
from tests.models import THINGS

SCHEMA = generate_schema(EVERYTHING)
LIMITS = Limits()


def is_valid(schema: GraphQLSchema, text: str, limits: Limits = LIMITS) -> bool:
    document = parse(text)
    return not limit_violations(document, limits) and validate(schema, document) == []


def is_accepted(schema: GraphQLSchema, text: str, limits: Limits = LIMITS) -> bool:
    try:
        return AcceptingValidator(schema, limits).accepts(parse(text))
    except GraphQLSyntaxError:
        return False


def writers(chance: Random) -> list[tuple[GraphQLSchema, DocumentWriter]]:
    schemas = [SCHEMA, generate_schema(THINGS), generate_schema(random_model(chance))]
    return [(schema, DocumentWriter(schema, chance)) for schema in schemas]


@pytest.mark.soak
def test_never_accepts_what_graphql_core_refuses() -> None:
    chance = Random(soak.seed())
    found = writers(chance)
    accepted = 0
    for number in range(soak.count(150, 100_000)):
        if number % 500 == 499:
            found = writers(chance)
        schema, writer = chance.choice(found)
        limits = Limits(
            depth=chance.choice([3, 15]), aliases=chance.choice([1, 50]), directives=chance.choice([0, 10])
        )
        text = writer.document()
        for each in (text, writer.mutated(text), writer.mutated(text)):
            if is_accepted(schema, each, limits):
                accepted += 1
                assert is_valid(schema, each, limits), each
    # Without this, a validator that accepts nothing would pass.
    assert accepted > 20


@pytest.mark.soak
def test_accepts_most_valid_documents() -> None:
    chance = Random(soak.seed())
    writer = DocumentWriter(SCHEMA, chance)
    valid = [text for _ in range(soak.count(25, 5_000)) if is_valid(SCHEMA, text := writer.document())]
    accepted = [text for text in valid if is_accepted(SCHEMA, text)]
    assert len(accepted) >= 0.95 * len(valid) > 0


@pytest.mark.parametrize(
    "text",
    [
        "{ Person___getPage { items { _id } } }",
        "query Q($id: ID!) { Person___get(_id: $id) { _id last_name } }",
        """query($id: ID! = "a") { Person___get(_id: $id) { ...F ...F } }
        fragment F on Person { _id ...G } fragment G on Person { __typename }""",
        """query A { a: Person___get(_id: "1") { ... { _id } ... on Person { _id } } }
        query B { Person___get(_id: 2) { _id @skip(if: false) @include(if: true) } }""",
        "query($yes: Boolean!) { Person___getPage { items { _id @include(if: $yes) } items { last_name } } }",
        """{ Person___getPage(options: {orderBy: last_name___ASC, filter: {AND: {last_name___eq: null}}})
        { totalCount } }""",
        'mutation { Team___create(data: {name: "a"}) { _id } }',
    ],
)
def test_accepts(text: str) -> None:
    assert is_valid(SCHEMA, text)
    assert is_accepted(SCHEMA, text)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ({"depth": 2}, "{ Person___getPage { items { _id } } }"),
        ({"depth": 2}, "{ ...F } fragment F on Query { Person___getPage { items { _id } } }"),
        ({"aliases": 1}, "{ a: __typename ... { b: __typename } }"),
        ({"directives": 1}, "{ __typename @skip(if: true) @include(if: true) }"),
        ({}, f"{{ {'__typename ' * 51} }}"),
        ({}, f"{{ {'...F ' * 51} }} fragment F on Query {{ __typename }}"),
        ({}, f"{{ {'...{ ' * 190} __typename {'}' * 190} }}"),
    ],
)
def test_leaves_what_exceeds_limits_to_these(limit: dict[str, int], text: str) -> None:
    limits = Limits(**limit)
    assert not is_accepted(SCHEMA, text, limits)
    if limit:
        assert not is_valid(SCHEMA, text, limits)
        assert is_accepted(SCHEMA, text)
