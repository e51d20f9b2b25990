"""The checker of an expression: it turns each node into a typed expression, and gathers all errors."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from stratabase.expressions.environment import Path
from stratabase.expressions.errors import ExpressionError
from stratabase.expressions.kinds import FILE, NULL, OBJECT, TEXT, UNKNOWN, ValueKind
from stratabase.expressions.scope import Scope
from stratabase.expressions.syntax import Node
from stratabase.expressions.typed_expression import (
    Evaluator,
    PossibleTexts,
    TypedExpression,
    empty_environment,
    unknown_at,
)
from stratabase.wording import nearest_word

MAX_ERRORS = 20
"""Reported for one expression: to look for what each of a thousand was meant to be would take seconds."""
NodeCheck = Callable[["Checker", Any], TypedExpression]
_NOT_A_VALUE: Mapping[ValueKind, str] = {
    NULL: "null can't be used as a value. To test whether a value is missing, use isNull(x).",
    FILE: "A file can't be used as a value. To test whether it is missing, use isNull(x).",
    OBJECT: "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x).",
}
"""Why something is no value."""


class Checker:
    """Checks one expression. `checks`: for each class of node, the function that checks such a node."""

    def __init__(
        self, scope: Scope, checks: Mapping[type[Node], NodeCheck], function_names: Collection[str] = ()
    ) -> None:
        self.scope = scope
        self.function_names = function_names
        """The names of the functions."""
        self.errors: list[ExpressionError] = []
        self.paths: set[Path] = set()
        self.caller_fields: set[str] = set()
        self.variables: dict[str, TypedExpression] = {}
        self._checks = checks
        self._nested = 0

    def check(self, node: Node) -> TypedExpression:
        """Return the typed expression of a part, be it a value, a file, an object or null."""
        typed: TypedExpression = self._checks[type(node)](self, node)
        return _fold_constant(typed) if typed.is_constant else typed

    def check_value(self, node: Node, *, null: bool = False) -> TypedExpression:
        """Return the typed expression of a part that must be a value (or, with `null`, the literal null)."""
        typed = self.check(node)
        reason = None if null and typed.kind is NULL else _NOT_A_VALUE.get(typed.kind)
        return self.report(typed.at, reason) if reason else typed

    def check_kind(self, node: Node, kind: ValueKind, what: str) -> TypedExpression:
        """Return the typed expression of a part that must be of one kind; `what` says which part that is."""
        typed = self.check_value(node)
        if typed.kind in (kind, UNKNOWN):
            return typed
        return self.report(typed.at, f"{what} must be {kind.name}, but this is {typed.kind.name}.")

    def report(
        self,
        at: int,
        message: str,
        *,
        word: str = "",
        among: Iterable[str] = (),
        suggestion: str | None = None,
    ) -> TypedExpression:
        """Add an error; without a suggestion, it suggests what is nearest to `word` in `among`."""
        if len(self.errors) < MAX_ERRORS:
            hint = suggestion or nearest_word(word, tuple(among))
            self.errors.append(ExpressionError(at, message, hint))
        return unknown_at(at)

    @contextmanager
    def declare_variable(self, name: str, kind: ValueKind, texts: PossibleTexts | None) -> Iterator[int]:
        """Let a name stand for an item of a list in a `with`; yield its key in `Environment.variables`."""
        before, number = self.variables, self._nested
        self.variables = {**before, name: TypedExpression(kind, _variable(number), 0, possible_texts=texts)}
        self._nested += 1
        yield number
        self.variables, self._nested = before, number


def _variable(number: int) -> Evaluator:
    return lambda environment: environment.variables[number]


def _fold_constant(typed: TypedExpression) -> TypedExpression:
    """Return a constant with its value computed now, and not at each evaluation."""
    value = typed.evaluate(empty_environment())
    texts = ((value, typed.at),) if typed.kind is TEXT and value is not None else typed.possible_texts
    return replace(typed, evaluate=lambda _: value, possible_texts=texts)
