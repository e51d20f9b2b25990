"""The definition of a function: its usage, and the check of its calls, usually by signatures."""

from collections.abc import Callable, Sequence
from typing import Any

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.implied import STARTS_WITH, implied_by_comparison
from stratabase.values.cel.kinds import ValueKind, is_assignable
from stratabase.values.cel.syntax import CallNode
from stratabase.values.cel.typed_expression import (
    Checker,
    Evaluator,
    Implied,
    TypedExpression,
    convert_to,
    count_steps,
    empty_environment,
    folded_alike,
)
from stratabase.values.frozen import frozen
from stratabase.values.messages import or_list
from stratabase.values.wording import shorten

FunctionCheck = Callable[[Checker, CallNode], TypedExpression]
SignatureFunction = Callable[..., Any]
"""The implementation of a signature. It gets the environment and the arguments, none of which is None."""


@frozen
class Function:
    """A function. `check` checks a call of it."""

    name: str
    usage: str
    """The usage as messages show it, such as `round(x, digits)`."""
    check: FunctionCheck


@frozen
class Signature:
    """A signature: the kinds of the parameters, the kind of the result, and the implementation."""

    parameters: tuple[ValueKind, ...]
    result: ValueKind
    function: SignatureFunction
    is_pure: Callable[[Sequence[TypedExpression]], bool] = lambda _: True
    """Returns whether the result depends on nothing but these arguments, such as the caller or the time."""
    example: str = ""
    """A valid text for the argument. If a literal text gives null, the message shows this example."""
    compares: bool = False
    """Whether it compares texts with each other, which are folded if they are those of such an attribute."""


def simple_function(usage: str, *signatures: Signature) -> Function:
    """Return a function whose calls must match one of its signatures."""
    name = usage.partition("(")[0].rpartition(".")[2]
    return Function(name, usage, lambda checker, call: _check_call(checker, call, usage, signatures))


def _check_call(
    checker: Checker, call: CallNode, usage: str, signatures: Sequence[Signature]
) -> TypedExpression:
    arguments = [checker.check_value(argument) for argument in call.arguments]
    for signature in signatures:
        if len(arguments) == len(signature.parameters) and all(
            is_assignable(argument.kind, kind)
            for argument, kind in zip(arguments, signature.parameters, strict=True)
        ):
            return _check_arguments(checker, call, signature, arguments)
    return checker.report(
        call.word.at, argument_error(usage, [one.parameters for one in signatures], arguments)
    )


def argument_error(
    usage: str, parameters: Sequence[Sequence[ValueKind]], arguments: Sequence[TypedExpression]
) -> str:
    """Return the error message for a call with arguments of the wrong kinds.

    `parameters` has the kinds of the parameters of each signature.
    """
    allowed = or_list(_kinds(kinds) for kinds in parameters)
    return f"{usage} takes {allowed}, but it got {_kinds([one.kind for one in arguments])}."


def _kinds(kinds: Sequence[ValueKind]) -> str:
    return f"({', '.join(kind.name for kind in kinds)})" if kinds else "nothing"


def _check_arguments(
    checker: Checker, call: CallNode, signature: Signature, arguments: Sequence[TypedExpression]
) -> TypedExpression:
    typed = apply_signature(call, signature, arguments)
    if signature.example and arguments[0].possible_texts and all(one.is_constant for one in arguments):
        (text, at), *_ = arguments[0].possible_texts
        if typed.evaluate(empty_environment()) is None:
            message = (
                f"'{shorten(text)}' is not a valid {signature.result.name}. Write it as {signature.example}."
            )
            return checker.report(at, message)
    return typed


def apply_signature(
    call: CallNode, signature: Signature, arguments: Sequence[TypedExpression]
) -> TypedExpression:
    """Return the typed expression of a call that matches a signature."""
    compared = folded_alike(*arguments) if signature.compares else arguments
    converted = [convert_to(one, kind) for one, kind in zip(compared, signature.parameters, strict=True)]
    return TypedExpression(
        signature.result,
        _call_evaluator(signature.function, [one.evaluate for one in converted]),
        call.at,
        steps=count_steps(*converted),
        is_constant=all(one.is_constant for one in converted) and signature.is_pure(converted),
        implied=_implied_by_call(call, arguments),
    )


def _implied_by_call(call: CallNode, arguments: Sequence[TypedExpression]) -> Implied | None:
    if call.word.text != STARTS_WITH:
        return None
    text, part = zip(call.arguments, arguments, strict=True)
    return implied_by_comparison(STARTS_WITH, text, part)


def _call_evaluator(apply: SignatureFunction, evaluators: Sequence[Evaluator]) -> Evaluator:
    """Return an evaluator that calls a function, and returns None if an argument is null."""
    if not evaluators:
        return apply
    if len(evaluators) == 1:
        (only,) = evaluators
        return lambda environment: None if (value := only(environment)) is None else apply(environment, value)

    def called(environment: Environment) -> Any:
        values = [evaluate(environment) for evaluate in evaluators]
        return None if None in values else apply(environment, *values)

    return called
