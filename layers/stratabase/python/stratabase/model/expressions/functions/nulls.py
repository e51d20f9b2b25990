"""Functions that ask for nulls, or go round them."""

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.functions.function import Function, refusal
from stratabase.model.expressions.kinds import BOOLEAN, TEXT
from stratabase.model.expressions.meaning import Meaning, Run, all_texts, steps
from stratabase.model.expressions.operators.logic import alternatives
from stratabase.model.expressions.syntax import Call, Names

_FIRST = "firstNotNull(a, b, …)"


def _is_null(checker: Checker, call: Call) -> Meaning:
    return _asked(checker, call, "isNull(x)", wanted=True)


def _has(checker: Checker, call: Call) -> Meaning:
    if len(call.arguments) == 1 and not isinstance(call.arguments[0], Names):
        checker.meaning(call.arguments[0])
        return checker.refuse(call.arguments[0].at, "has asks for an attribute or a role: write its name.")
    return _asked(checker, call, "has(x)", wanted=False)


def _asked(checker: Checker, call: Call, usage: str, *, wanted: bool) -> Meaning:
    """Check a question whether something is null: a value, a file, or what a role leads to."""
    arguments = [checker.meaning(argument) for argument in call.arguments]
    if len(arguments) != 1:
        return checker.refuse(call.word.at, f"{usage} takes one value; here it is given {len(arguments)}.")
    (operand,) = arguments
    return Meaning(
        BOOLEAN,
        _null(operand.run, wanted=wanted),
        call.at,
        steps=steps(operand),
        constant=operand.constant,
    )


def _null(run: Run, *, wanted: bool) -> Run:
    return lambda environment: (run(environment) is None) is wanted


def _first_not_null(checker: Checker, call: Call) -> Meaning:
    if not call.arguments:
        return checker.refuse(call.word.at, refusal(_FIRST, [[TEXT, TEXT]], []))
    values = alternatives(checker, call.arguments, "The arguments of firstNotNull")
    return Meaning(
        values[0].kind,
        _first(tuple(value.run for value in values)),
        call.at,
        steps=steps(*values),
        most=max(value.most for value in values),
        texts=all_texts(values),
        constant=all(value.constant for value in values),
    )


def _first(runs: tuple[Run, ...]) -> Run:
    def first(environment: Environment) -> object:
        for run in runs:
            value = run(environment)
            if value is not None:
                return value
        return None

    return first


FUNCTIONS_OF_NULLS = (
    Function("isNull", "isNull(x)", _is_null),
    Function("firstNotNull", _FIRST, _first_not_null),
    Function("has", "has(x)", _has),
)
