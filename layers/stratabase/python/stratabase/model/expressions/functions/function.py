"""A function: how it is written, what it takes, and what it gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import ValueKind, fits
from stratabase.model.expressions.meaning import Meaning, Run, as_kind, nowhere, steps
from stratabase.model.expressions.syntax import Call
from stratabase.model.words import listed, shown

Form = Callable[[Checker, Call], Meaning]
Apply = Callable[..., Any]
"""Called with the environment and the arguments, none of which is null."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function; its `form` gives a call its meaning."""

    name: str
    usage: str
    """How it is written."""
    form: Form


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function."""

    takes: tuple[ValueKind, ...]
    gives: ValueKind
    apply: Apply
    pure: Callable[[Sequence[Meaning]], bool] = lambda _: True
    """Whether these arguments give the same, whoever asks, wherever and whenever."""
    example: str = ""
    """What a text looks like that it takes; one that is written and gives null is a mistake."""


def function(usage: str, *signatures: Signature) -> Function:
    """Return a function that takes what one of its signatures does."""
    name = usage.partition("(")[0].rpartition(".")[2]
    return Function(name, usage, lambda checker, call: _called(checker, call, usage, signatures))


def _called(checker: Checker, call: Call, usage: str, signatures: Sequence[Signature]) -> Meaning:
    arguments = [checker.value(argument) for argument in call.arguments]
    for signature in signatures:
        if len(arguments) == len(signature.takes) and all(
            fits(argument.kind, kind) for argument, kind in zip(arguments, signature.takes, strict=True)
        ):
            return _checked(checker, call, signature, arguments)
    return checker.refuse(call.word.at, refusal(usage, [one.takes for one in signatures], arguments))


def refusal(usage: str, takes: Sequence[Sequence[ValueKind]], arguments: Sequence[Meaning]) -> str:
    """Return why a function does not take its arguments."""
    admitted = listed((_kinds(kinds) for kinds in takes), "or")
    return f"{usage} takes {admitted}; here it is given {_kinds([one.kind for one in arguments])}."


def _kinds(kinds: Sequence[ValueKind]) -> str:
    return f"({', '.join(kind.name for kind in kinds)})" if kinds else "nothing"


def _checked(checker: Checker, call: Call, signature: Signature, arguments: Sequence[Meaning]) -> Meaning:
    meaning = applied(call, signature, arguments)
    if signature.example and arguments[0].texts and all(one.constant for one in arguments):
        (text, at), *_ = arguments[0].texts
        if meaning.run(nowhere()) is None:
            message = f"'{shown(text)}' is no {signature.gives.name}: write it as {signature.example}."
            return checker.refuse(at, message)
    return meaning


def applied(call: Call, signature: Signature, arguments: Sequence[Meaning]) -> Meaning:
    """Return the meaning of a call."""
    fitting = [as_kind(one, kind) for one, kind in zip(arguments, signature.takes, strict=True)]
    return Meaning(
        signature.gives,
        _run(signature.apply, [one.run for one in fitting]),
        call.at,
        steps=steps(*fitting),
        constant=all(one.constant for one in fitting) and signature.pure(fitting),
    )


def _run(apply: Apply, runs: Sequence[Run]) -> Run:
    """Return what calls a function, and is null where any argument is."""
    if not runs:
        return apply
    if len(runs) == 1:
        (only,) = runs
        return lambda environment: None if (value := only(environment)) is None else apply(environment, value)

    def called(environment: Environment) -> Any:
        values = [run(environment) for run in runs]
        return None if None in values else apply(environment, *values)

    return called
