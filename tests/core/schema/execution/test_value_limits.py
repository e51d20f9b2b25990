"""The values of a request are counted before they are parsed."""

from typing import Any

from graphql import parse

from stratabase.core.schema.execution.limits import excess_of_literals, excess_of_variables
from tests.core.schema.executor_api import ExecutorApi
from tests.rows import each_row

CREATE = "mutation($d: ThingCreate!) { Thing___create(data: $d) { _id } }"


@each_row(
    ("variables", "message"),
    [
        ({"d": [None] * 20_000}, "The variable $d has 20,001 values"),
        ({"d": {"lines": [{"n": 1}] * 10_000}}, "The variable $d has 20,002 values"),
        (
            {"a": 1, "d": {"lines": ["x"] * 19_000}, "b": ["x"] * 998},
            "The variables have 20,002 values in total. $d alone has 19,002",
        ),
    ],
)
def test_too_many_values_are_reported_with_the_variable(variables: dict[str, Any], message: str) -> None:
    error = excess_of_variables(variables)

    assert error is not None
    assert error.message == f"{message}. The maximum is 20,000. Split the request into several requests."


@each_row("variables", [{}, {"d": [1] * 19_999}, {"a": ["x"] * 9_999, "b": {"c": ["x"] * 9_998}}])
def test_values_within_the_limit_pass(variables: dict[str, Any]) -> None:
    assert excess_of_variables(variables) is None


def test_values_are_counted_everywhere_in_a_document() -> None:
    text = """
      query($x: [Int] = [%s]) { a(b: [%s]) a { ... on B { c(d: {e: {f: [%s]}}) } } a @b(c: [%s]) }
      fragment F on A { b(c: [%s]) }
    """
    few, many = (parse(text.replace("%s", "1 " * number)) for number in (3_998, 4_000))

    assert [error.message for error in excess_of_literals(few)] == []
    (error,) = excess_of_literals(many)
    assert error.message.endswith(" values. The maximum is 20,000. Split it into several requests.")


def test_a_request_with_too_many_values_is_not_executed() -> None:
    api = ExecutorApi()

    answer = api.answer(CREATE, d={"name": [1] * 30_000})

    assert not answer.began
    assert b"The variable $d has 30,002 values. The maximum is 20,000." in answer.body
    assert api.reported == []
