"""The limits on a query: exceeding one is refused with the value and the limit."""

from typing import Any

from graphql import build_schema, get_introspection_query, parse

from stratabase.core.schema.execution.documents import DocumentCache
from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits, limit_violations
from stratabase.core.schema.request.context import ProfileSchema
from tests.rows import each_row

LIMITS = Limits(characters=200, depth=3, aliases=2, directives=2)


def found(text: str, limits: Limits = LIMITS) -> list[tuple[str, Any]]:
    """Return the messages with their positions."""
    return [
        (error.message.partition(".")[0], error.locations[0].line if error.locations else None)
        for error in limit_violations(parse(text), limits)
    ]


@each_row(
    "text",
    [
        "{ a { b { c } } }",
        "{ ...F } fragment F on Query { a { b { c } } }",
        "{ a { ...F } } fragment F on A { b { ... on B { c } } }",
        "{ one: a two: b c }",
        "query ($x: Int @one @two) { a @one @two b @one @two }",
        "{ __schema { a { b { c { d { x: e @one @two @three y: f z: g } } } } } }",
        '{ __type(name: "A") { a { b { c { d } } } } a { b { c } } }',
        "{ __schema { ...F } } fragment F on A { a { ...G } } fragment G on B { b { c { x: d y: e z: f } } }",
        "{ ...F } fragment F on Query { a { ...F } }",
        "{ ...Unknown }",
    ],
)
def test_a_document_within_the_limits_passes(text: str) -> None:
    assert found(text) == []


@each_row(
    ("text", "message", "line"),
    [
        ("{ a { b { c { d } } } }", "The document nests fields 4 levels deep", 1),
        ("{ x }\nfragment F on A { a { b { c { d } } } }", "The document nests fields 4 levels deep", 2),
        (
            "{ a { ...F } }\nfragment F on A { b { ...G } }\nfragment G on B { c { d } }",
            "The document nests fields 4 levels deep",
            1,
        ),
        ("{ a { ... { b { ... on B { c { d } } } } } }", "The document nests fields 4 levels deep", 1),
        ("{\n one: a\n two: a\n three: a }", "The document has 3 aliases", 2),
        ("{ one: a two: a } fragment F on A { three: a }", "The document has 3 aliases", 1),
        (
            "{ __schema { ...F } ...G } fragment F on A { x: a } fragment G on B { ...F y: b z: c }",
            "The document has 3 aliases",
            1,
        ),
        ("{ a\n b @one @two @three }", "The document applies 3 directives to the same element", 2),
        ("query Q @one @two @three { a }", "The document applies 3 directives to the same element", 1),
        (
            "query ($x: Int @one @two @three) { a }",
            "The document applies 3 directives to the same element",
            1,
        ),
        ("{ ... @one @two @three { a } }", "The document applies 3 directives to the same element", 1),
        (
            "{ ...F @one @two @three } fragment F on A { a }",
            "The document applies 3 directives to the same element",
            1,
        ),
    ],
)
def test_a_document_over_a_limit_is_reported_with_its_location(text: str, message: str, line: int) -> None:
    assert found(text) == [(message, line)]


def test_all_exceeded_limits_are_reported_together() -> None:
    text = "{ one: a two: a three: a @one @two @three b { c { d { e } } } }"
    assert len(found(text)) == 3


def test_exponential_fragments_are_measured_quickly() -> None:
    """Spread out, it would have 2^60 fields."""
    chain = "".join(f"fragment F{n} on A {{ a {{ ...F{n + 1} ...F{n + 1} }} }} " for n in range(60))
    (message, _), *_ = found("{ ...F0 } " + chain + "fragment F60 on A { a }")
    assert message == "The document nests fields 61 levels deep"


def test_fragment_cycles_are_left_to_the_validator() -> None:
    circle = "".join(f"fragment F{n} on A {{ ...F{(n + 1) % 9} ...F{(n + 2) % 9} }} " for n in range(9))
    assert found("{ ...F0 } " + circle) == []


def test_the_standard_introspection_query_passes() -> None:
    assert found(get_introspection_query(input_value_deprecation=True), Limits()) == []


def test_a_too_long_document_is_not_parsed() -> None:
    schema = build_schema("type Query { a: Int }")
    documents = DocumentCache(schema, ExecutionPolicy(limits=LIMITS))
    seen = ProfileSchema(lambda: schema)

    (error,) = documents.read("{" * 201, seen).document.errors
    assert error.message == "The query has 201 characters. The maximum is 200. Pass values as variables."
    (error,) = documents.read("{" * 200, seen).document.errors
    assert error.is_syntax_error
