"""Random expressions agree with a naive evaluation and with another implementation of CEL."""

import sys
from fractions import Fraction
from typing import Any

import celpy
import pytest
from celpy import celtypes
from celpy.evaluation import CELEvalError, Context
from hypothesis import assume, given, reject, settings

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.parser import MAX_EXPRESSION_LENGTH
from tests.soak import EXAMPLES
from tests.values.cel import cases
from tests.values.cel.cases import Case
from tests.values.cel.evaluation import expression

pytestmark = pytest.mark.soak


def _oracle() -> celpy.Environment:
    """Return the oracle. Its constructor raises Python's recursion limit, which is restored here."""
    limit = sys.getrecursionlimit()
    try:
        return celpy.Environment()
    finally:
        sys.setrecursionlimit(limit)


ENVIRONMENT = _oracle()
ACTIVATION: Context = {
    "count": celtypes.IntType(3),
    "other": celtypes.IntType(-7),
    "price": celtypes.DoubleType(1.5),
    "cost": celtypes.DoubleType(-0.25),
    "name": celtypes.StringType("Ada"),
    "nick": celtypes.StringType("é😀"),
    "good": celtypes.BoolType(True),
    "bad": celtypes.BoolType(False),
}


def ours(text: str) -> Any:
    """Return the value of an expression in the service."""
    read = expression(text)
    value = read.evaluate(Environment(cases.VALUES))
    return Fraction(value) if read.kind.name == "Real" and value is not None else value


def oracles(text: str) -> Any:
    """Return the value of an expression in the oracle. Raises CELEvalError if there is none."""
    return ENVIRONMENT.program(ENVIRONMENT.compile(text)).evaluate(ACTIVATION)


@given(cases.cases())
@settings(max_examples=EXAMPLES * 2, deadline=None)
def test_random_expressions_agree_with_a_naive_evaluation(case: Case) -> None:
    assume(len(case.text) <= MAX_EXPRESSION_LENGTH)
    found = ours(case.text)
    assert found == case.value
    assert isinstance(found, bool) is isinstance(case.value, bool)


@given(cases.cases().filter(lambda case: case.cel))
@settings(max_examples=EXAMPLES, deadline=None)
def test_random_expressions_agree_with_another_implementation(case: Case) -> None:
    """If both have a value, it is the same. An error of the other implementation is null here."""
    assume(len(case.text) <= MAX_EXPRESSION_LENGTH)
    try:
        wanted = oracles(case.text)
    except CELEvalError:
        reject()  # Hypothesis fails when it meets too many of these
    assert ours(case.text) == wanted


@given(cases.flat())
@settings(max_examples=EXAMPLES, deadline=None)
def test_operator_precedence_agrees_with_another_implementation(text: str) -> None:
    """Without brackets, both read the same: the oracle has no value where there is none here."""
    try:
        wanted = oracles(text)
    except CELEvalError:
        wanted = None
    assert ours(text) == wanted
