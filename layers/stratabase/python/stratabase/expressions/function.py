"""What a function is: its usage, and the check of a call, mostly by the signatures that it has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stratabase.expressions.checker import Checker
from stratabase.expressions.environment import Environment
from stratabase.expressions.kinds import ValueKind, is_assignable
from stratabase.expressions.syntax import Call
from stratabase.expressions.typed_expression import (
    Evaluator,
    TypedExpression,
    convert_to,
    count_steps,
    empty_environment,
)
from stratabase.messages import or_list
from stratabase.wording import shorten

FunctionCheck = Callable[[Checker, Call], TypedExpression]
SignatureFunction = Callable[..., Any]
"""Called with the environment and the arguments, none of which is null."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function; its `form` gives a call its meaning."""

    name: str
    usage: str
    """How it is written."""
    check: FunctionCheck


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function."""

    parameters: tuple[ValueKind, ...]
    result: ValueKind
    function: SignatureFunction
    is_pure: Callable[[Sequence[TypedExpression]], bool] = lambda _: True
    """Whether these arguments give the same, whoever asks, wherever and whenever."""
    example: str = ""
    """What a text looks like that it takes; one that is written and gives null is a mistake."""


def simple_function(usage: str, *signatures: Signature) -> Function:
    """Return a function that takes what one of its signatures does."""
    name = usage.partition("(")[0].rpartition(".")[2]
    return Function(name, usage, lambda checker, call: _check_call(checker, call, usage, signatures))


def _check_call(checker: Checker, call: Call, usage: str, signatures: Sequence[Signature]) -> TypedExpression:
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
    """Return why a function does not take its arguments."""
    allowed = or_list(_kinds(kinds) for kinds in parameters)
    return f"{usage} takes {allowed}, but it got {_kinds([one.kind for one in arguments])}."


def _kinds(kinds: Sequence[ValueKind]) -> str:
    return f"({', '.join(kind.name for kind in kinds)})" if kinds else "nothing"


def _check_arguments(
    checker: Checker, call: Call, signature: Signature, arguments: Sequence[TypedExpression]
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
    call: Call, signature: Signature, arguments: Sequence[TypedExpression]
) -> TypedExpression:
    """Return the typed expression of a call."""
    converted = [convert_to(one, kind) for one, kind in zip(arguments, signature.parameters, strict=True)]
    return TypedExpression(
        signature.result,
        _call_evaluator(signature.function, [one.evaluate for one in converted]),
        call.at,
        steps=count_steps(*converted),
        is_constant=all(one.is_constant for one in converted) and signature.is_pure(converted),
    )


def _call_evaluator(apply: SignatureFunction, evaluators: Sequence[Evaluator]) -> Evaluator:
    """Return what calls a function, and is null where any argument is."""
    if not evaluators:
        return apply
    if len(evaluators) == 1:
        (only,) = evaluators
        return lambda environment: None if (value := only(environment)) is None else apply(environment, value)

    def called(environment: Environment) -> Any:
        values = [evaluate(environment) for evaluate in evaluators]
        return None if None in values else apply(environment, *values)

    return called
