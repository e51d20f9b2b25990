"""A document that selects the same field too often is refused before the quadratic validation."""

from graphql import get_introspection_query, parse

from stratabase.core.schema.execution.repetition import repetitions
from tests.rows import each_row


def found(text: str) -> list[str]:
    return [error.message for error in repetitions(parse(text))]


def often(what: str) -> list[str]:
    return [f"With its fragments expanded, the document {what} in one selection set. The maximum is 50."]


FRAGMENTS = " ".join(f"fragment F{number} on A {{ x }}" for number in range(51))
CHAIN = " ".join(f"fragment F{number} on A {{ x ...F{number + 1} }}" for number in range(40))


@each_row(
    "text",
    [
        "{ " + "x " * 50 + "}",
        "{ " + "a { x } " * 50 + "b { x } }",
        "{ " + "a { x } " * 25 + "... { " + "a { x } " * 25 + "} }",
        "{ " + " ".join(f"a{number}: a {{ {'x ' * 39}}}" for number in range(50)) + "}",
        "{ " + "...F " * 3_000 + "} fragment F on A { x }",
        "{ a { ...F0 } } fragment F40 on A { x } " + CHAIN,
        "{ ...F } fragment F on A { x a { ...F } ...F ...Unknown }",
        get_introspection_query(input_value_deprecation=True, specified_by_url=True),
    ],
)
def test_a_field_within_the_repetition_limit_passes(text: str) -> None:
    assert found(text) == []


@each_row(
    ("text", "what"),
    [
        ("{ " + "x " * 51 + "}", "selects x 51 times"),
        ("{ " + "y: x " * 51 + "}", "selects y 51 times"),
        ("{ " + "a { b { x } } " * 10 + "a { b { " + "x " * 41 + "} } }", "selects x 51 times"),
        ("{ " + "... { ...F } " * 2 + "x " * 50 + "} fragment F on A { x }", "selects x 51 times"),
        ("{ a { ...F } a { " + "x " * 50 + "} } fragment F on A { x }", "selects x 51 times"),
        ("{ x } fragment F on A { a { " + "x " * 51 + "} }", "selects x 51 times"),
        ("{ __schema { types { " + "name " * 51 + "} } }", "selects name 51 times"),
        ("{ " + " ".join(f"...F{number}" for number in range(51)) + "} " + FRAGMENTS, "spreads 51 fragments"),
    ],
)
def test_a_field_selected_too_often_is_reported(text: str, what: str) -> None:
    assert found(text) == often(what)


def test_a_document_with_too_many_fields_is_reported_with_the_limit() -> None:
    text = "{ " + " ".join(f"a{number} {{ x }}" for number in range(1_000)) + "%s }"

    assert found(text % "") == []
    assert found(text % " y") == [
        "The document has 2,001 fields. The maximum is 2,000. Split it into several requests."
    ]


def test_exponential_fragments_are_not_expanded_endlessly() -> None:
    """The number of paths to a selection grows exponentially."""
    text = "{ ...F0 ...F1 } " + " ".join(
        f"fragment F{number} on A {{ a {{ ...F{(number + 1) % 20} {'...F0' * (number == 19)} }} "
        f"b {{ ...F{(number + 1) % 20} {'...F1 ...F0' * (number % 2)} }} "
        f"c {{ ...F{(number + 1) % 20} {'x' * (number == 0)} }} x x }}"
        for number in range(20)
    )

    assert found(text) == [
        "The document spreads its fragments too many times. Split it into several requests."
    ]
