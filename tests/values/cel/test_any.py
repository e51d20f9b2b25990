"""Any text is an expression with a value, or has errors, whatever the stored values."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stratabase.values.cel.environment import Environment, EvaluationContext
from stratabase.values.cel.expression import FUNCTIONS, check_expression
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import ExpressionError, InvalidExpression
from stratabase.values.formats.locales import load_time_zone
from tests.soak import EXAMPLES
from tests.values.cel import test_dates, test_errors, test_functions, test_nulls, test_values
from tests.values.cel.evaluation import MODEL, NAMES, expression

pytestmark = pytest.mark.soak
TEXTS = [
    *test_values.VALUES,
    *test_functions.VALUES,
    *test_functions.MATCHES,
    *test_dates.ANYWHERE,
    *test_dates.BY_ZONE,
    *test_nulls.NULL,
    *test_nulls.CHOICES,
    *(text.replace(test_errors.MARK, "") for text in test_errors.WRONG),
]
PIECES = [re.findall(r"\w+|\s+|[^\w\s]+", text) for text in TEXTS if text]
WORDS = sorted({piece for pieces in PIECES for piece in pieces} | set(FUNCTIONS))
READABLE = TEXTS[: -len(test_errors.WRONG)]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)
STORED = st.one_of(
    JSON,
    st.sampled_from(
        ["2020-02-29", "2020-02-29T00:00:00.000Z", "18:30:00.000", "1.5", "1E+125", "RED", "x" * 2000]
    ),
)
ZONES = st.sampled_from(["UTC", "Europe/Rome", "America/New_York", "Pacific/Kiritimati"]).map(load_time_zone)


def environments() -> st.SearchStrategy[Environment]:
    """Return environments in which attributes have arbitrary stored values."""
    names = [name for class_ in MODEL.classes.values() for name in class_.attributes]
    states = st.dictionaries(st.sampled_from(names), STORED)
    callers = st.dictionaries(st.sampled_from(["username", "email", "timeZone"]), STORED)
    evaluation = st.builds(EvaluationContext, callers, st.integers(-(10**13), 10**14), ZONES)
    reached = st.dictionaries(st.sampled_from([("shelf",), ("shelf", "above")]), st.none() | states)
    return st.builds(Environment, states, evaluation, reached)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Return an expression in which some words are dropped, doubled or replaced."""
    pieces = list(draw(st.sampled_from(PIECES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces) - 1))
        pieces[at] = draw(
            st.sampled_from(["", pieces[at] * 2, draw(st.sampled_from(WORDS)), draw(st.text(max_size=3))])
        )
    return "".join(pieces)


def _examined(text: str, environment: Environment) -> None:
    """Parse and evaluate a text. Any exception except ExpressionMistakes fails the test."""
    for one in _mistakes(text, environment):
        assert 0 <= one.at <= len(text)
        assert "\n" not in str(one)


def _mistakes(text: str, environment: Environment) -> tuple[ExpressionError, ...]:
    try:
        found = check_expression(text, Scope(NAMES, "Thing"))
    except InvalidExpression as refusal:
        return refusal.errors
    found.expression.evaluate(environment)
    return found.errors


@given(mutations(), environments())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_mutated_expression_is_evaluated_or_refused_with_errors(
    text: str, environment: Environment
) -> None:
    _examined(text, environment)


@given(st.lists(st.sampled_from(WORDS)).map(" ".join), environments())
@settings(max_examples=EXAMPLES, deadline=None)
def test_random_tokens_are_evaluated_or_refused_with_errors(text: str, environment: Environment) -> None:
    _examined(text, environment)


@given(st.text(), environments())
@example("\x00", Environment({}))
@example("'\ud800'", Environment({}))
@example("\ufeff1", Environment({}))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_random_text_is_refused_with_errors(text: str, environment: Environment) -> None:
    _examined(text, environment)


@given(st.sampled_from(READABLE), environments())
@settings(max_examples=EXAMPLES, deadline=None)
def test_values_of_a_former_type_do_not_crash_evaluation(text: str, environment: Environment) -> None:
    expression(text).evaluate(environment)
