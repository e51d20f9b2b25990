"""Expressions cannot overload or crash the service."""

import sys
from collections.abc import Callable
from typing import Any

from stratabase.core.model.model_expressions import ModelExpressions
from stratabase.values.cel.environment import COST_LIMIT, Environment, EvaluationContext
from stratabase.values.cel.grammar import MAX_EXPRESSION_DEPTH
from stratabase.values.cel.parser import MAX_EXPRESSION_LENGTH
from stratabase.values.cel.texts import MAX_TEXT_LENGTH
from stratabase.values.formats.regex import MAX_REGEX_LENGTH
from tests.rows import each_row
from tests.values.cel.evaluation import MODEL, environment, expression, mistakes

LONG = Environment({"notes": "xy" * 150_000, "name": "x" * 255})
DEEP = f"The expression is nested more than {MAX_EXPRESSION_DEPTH} levels deep. Simplify it or split it."
DIGITS = "[1,2,3,4,5,6,7,8,9,0]"
TOO_DEEP = {
    "calls": "lower(" * 60 + "name" + ")" * 60,
    "signs": "-" * 4000 + "count",
    "denials": "!" * 4000 + "good",
    "brackets with content": "(1 + " * 60 + "1" + ")" * 60,
    "lists": "[" * 60 + "]" * 60,
    "choices in conditions": "(" * 60 + "good" + " ? good : bad)" * 60,
    "comparisons": "good == " * 200 + "bad",
    "places": "[1]" + "[0]" * 100,
    "macros": "[true].all(x, " * 60 + "x" + ")" * 60,
}
LONG_BUT_FLAT = {
    "1" + " + 1" * 1000: 1001,
    "count" + " + count" * 500: 1503,
    " || ".join(["count == 4"] * 250): False,
    "count == 4 ? 1 : " * 200 + "2": 2,
    "(" * 2000 + "1" + ")" * 2000: 1,
    "[" + "1, " * 1300 + "1].size()": 1301,
    "price" + " * 2" * 1000: None,
}


@each_row("text", TOO_DEEP.values())
def test_a_too_deeply_nested_expression_is_refused(text: str) -> None:
    assert [message for _, message in mistakes(text)] == [DEEP]


def test_the_length_of_an_expression_is_limited() -> None:
    message = f"The expression has 10000 characters. The maximum is {MAX_EXPRESSION_LENGTH}."
    assert mistakes("1" * 10_000) == [(0, message)]
    assert mistakes("1" + " " * (MAX_EXPRESSION_LENGTH - 1)) == []


@each_row("text", LONG_BUT_FLAT)
def test_a_long_flat_expression_is_accepted(text: str) -> None:
    assert expression(text).evaluate(environment()) == LONG_BUT_FLAT[text]


def _deepest(call: Callable[[], Any]) -> int:
    """Return the maximum depth of nested calls."""
    deepest = depth = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal depth, deepest
        depth += (event == "call") - (event == "return")
        deepest = max(deepest, depth)

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return deepest


@each_row(
    "text",
    [
        "lower(" * (MAX_EXPRESSION_DEPTH - 1) + "name" + ")" * (MAX_EXPRESSION_DEPTH - 1),
        "[true].all(x, " * (MAX_EXPRESSION_DEPTH - 2) + "x" + ")" * (MAX_EXPRESSION_DEPTH - 2),
    ],
)
def test_the_deepest_expression_leaves_room_on_the_stack(text: str) -> None:
    """Python has room for 1,000 calls within one another."""
    found = []
    assert _deepest(lambda: found.append(expression(text))) < 450
    assert _deepest(lambda: found[0].evaluate(environment())) < 150


@each_row(
    "text",
    [
        f"{DIGITS}.all(a, " * 4 + "true" + ")" * 4,
        f"[{'1,' * 150}1].exists(a, [{'2,' * 150}2].exists(b, a == b))",
        f"{DIGITS}.map(a, {DIGITS}.filter(b, {DIGITS}.all(c, c > a && {DIGITS}.exists(d, d == c))).size())",
    ],
)
def test_nested_lists_are_limited(text: str) -> None:
    assert [message for _, message in mistakes(text)] == [
        "Nested lists make this more than 10000 steps. Put them side by side."
    ]


@each_row(
    "text",
    [
        "notes" + " + notes" * 500,
        "concat(" + "notes, " * 500 + "notes)",
        f"{DIGITS}.map(x, {DIGITS}.map(y, notes + 'a').size()).size() > 0 ? notes + 'a' : ''",
        "upper(" * 40 + "notes" + ")" * 40,
    ],
)
def test_growing_texts_are_limited(text: str) -> None:
    assert expression(text).evaluate(LONG) is None


def test_each_evaluation_has_its_own_cost_limit() -> None:
    growing = expression("notes + notes")
    assert all(len(growing.evaluate(LONG)) == 600_000 for _ in range(3 * COST_LIMIT // 600_000))


def test_a_text_longer_than_the_storage_limit_is_null() -> None:
    long = Environment({"notes": "x" * (MAX_TEXT_LENGTH - 1)})
    assert len(expression("notes + 'y'").evaluate(long)) == MAX_TEXT_LENGTH
    assert expression("notes + 'yz'").evaluate(long) is None


HARMLESS = {
    r"name.matches('(x+x+)+y$')": False,
    r"notes.matches('(x|xy|y)*z')": False,
    r"notes.matches('(.*)*z')": False,
    r"name.matches('^(x?){50}x{50}$')": False,
    r"name.matches('^(x+)+$')": True,
    r"name.matches('(x*)*y')": False,
}
REFUSED = {
    "a{1001}": "invalid repetition size: {1001}",
    "((a{100}){100}){100}": "invalid repetition size: {100}",
    "(a?){900}a{900}.{900}": "it is too large; use fewer repetitions",
    r"\p{L}{50}": "pattern too large - compile failed",
    "(?=a)b": "invalid perl operator: (?=",
    "a**": "bad repetition operator: **",
}


@each_row("text", HARMLESS)
def test_no_pattern_backtracks(text: str) -> None:
    assert expression(text).evaluate(LONG) is HARMLESS[text]


@each_row("pattern", REFUSED)
def test_a_pattern_that_is_too_large_is_refused(pattern: str) -> None:
    ((at, message),) = mistakes(f"name.matches(r'{pattern}')")
    assert at == 13
    assert message.startswith(f"'{pattern}' is not a valid regular expression (RE2): {REFUSED[pattern]}")


def test_the_length_of_a_pattern_is_limited() -> None:
    text = f"name.matches('{'a' * (MAX_REGEX_LENGTH + 1)}')"
    ((_, message),) = mistakes(text)
    assert message.endswith("it has more than 1000 characters.")


def test_a_large_pattern_over_a_long_text_is_null() -> None:
    """RE2 is linear in both, and their product is bounded."""
    text = "notes.matches('(?:[xy]{0,100}x){3}[xy]{100}c')"
    assert expression(text).evaluate(LONG) is None
    assert expression(text.replace("notes", "name")).evaluate(LONG) is False


def test_only_short_client_expressions_are_cached() -> None:
    expressions = ModelExpressions(MODEL)
    short, long = "count > 1", "count > 1" + " || count > 1" * 100
    assert expressions.filter("Thing", short) is expressions.filter("Thing", short)
    assert expressions.filter("Thing", long) is not expressions.filter("Thing", long)


@each_row(
    ("text", "length", "costs"),
    [
        ("notes.contains('z')", 300_000, [300_000]),
        ("notes.contains('z') || notes.contains('y')", 500, [500, 500]),
        ("notes.contains('z')", 100, []),
        ("['z', 'y', 'w'].exists(x, notes.contains(x))", 2000, [2000] * 3),
        ("notes.lower() == 'z'", 2000, [16_000]),
        ("notes.startsWith('z')", 300_000, []),
    ],
)
def test_long_computations_are_announced(text: str, length: int, costs: list[int]) -> None:
    """So that other requests proceed meanwhile."""
    noted: list[int] = []
    evaluation = EvaluationContext(note_cost=noted.append)

    expression(text).evaluate(Environment({"notes": "x" * length}, evaluation))

    assert noted == costs


def test_a_search_by_a_pattern_is_announced() -> None:
    noted: list[int] = []
    evaluation = EvaluationContext(note_cost=noted.append)

    expression("notes.matches('z+')").evaluate(Environment({"notes": "x" * 1000}, evaluation))

    (cost,) = noted
    assert cost > 1000


def test_an_expression_knows_its_steps() -> None:
    assert expression("name == 'a'").steps == 3
    assert expression(f"{DIGITS}.all(x, {DIGITS}.all(y, x == y))").steps > 300
