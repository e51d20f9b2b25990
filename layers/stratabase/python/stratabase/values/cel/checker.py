"""The checker, which turns each node of a syntax tree into a typed expression, and collects all errors."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from stratabase.values.cel.environment import Path
from stratabase.values.cel.kinds import FILE, NULL, OBJECT, TEXT, UNKNOWN, ValueKind
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import ExpressionError, Node
from stratabase.values.cel.typed_expression import (
    Evaluator,
    PossibleTexts,
    TypedExpression,
    empty_environment,
    unknown_at,
)
from stratabase.values.wording import nearest_word

MAX_ERRORS = 20
"""The limit on reported errors. Suggesting a name for each of thousands of errors would take seconds."""
NodeCheck = Callable[["Checker", Any], TypedExpression]
_NOT_A_VALUE: Mapping[ValueKind, str] = {
    NULL: "null can't be used as a value. To test whether a value is missing, use isNull(x).",
    FILE: "A file can't be used as a value. To test whether it is missing, use isNull(x).",
    OBJECT: "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x).",
}
"""Error messages for the kinds that can't be used as values."""


class Checker:
    """Checks one expression. `checks` has the function that checks each class of node."""

    def __init__(
        self, scope: Scope, checks: Mapping[type[Node], NodeCheck], function_names: Collection[str] = ()
    ) -> None:
        self.scope = scope
        self.function_names = function_names
        """The names of all functions, for suggestions."""
        self.errors: list[ExpressionError] = []
        self.paths: set[Path] = set()
        self.caller_fields: set[str] = set()
        self.variables: dict[str, TypedExpression] = {}
        self._checks = checks
        self._nested = 0

    def check(self, node: Node) -> TypedExpression:
        """Return the typed expression of a node, which can be a value, a file, an object or null."""
        typed: TypedExpression = self._checks[type(node)](self, node)
        return _fold_constant(typed) if typed.is_constant else typed

    def check_value(self, node: Node, *, null: bool = False) -> TypedExpression:
        """Return the typed expression of a node that must be a value, or with `null`, possibly null."""
        typed = self.check(node)
        reason = None if null and typed.kind is NULL else _NOT_A_VALUE.get(typed.kind)
        return self.report(typed.at, reason) if reason else typed

    def check_kind(self, node: Node, kind: ValueKind, what: str) -> TypedExpression:
        """Return the typed expression of a node that must have a kind. Messages call the node `what`."""
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
        """Add an error, and return an expression of unknown kind in its place.

        Without a `suggestion`, the error suggests the word in `among` that is nearest to `word`.
        """
        if len(self.errors) < MAX_ERRORS:
            hint = suggestion or nearest_word(word, tuple(among))
            self.errors.append(ExpressionError(at, message, hint))
        return unknown_at(at)

    @contextmanager
    def declare_variable(self, name: str, kind: ValueKind, texts: PossibleTexts | None) -> Iterator[int]:
        """Declare a name for the items of a list, for the duration of a `with` block.

        Yields the key of the item in `Environment.variables`. `texts` are the texts that an item can be.
        """
        before, number = self.variables, self._nested
        self.variables = {**before, name: TypedExpression(kind, _variable(number), 0, possible_texts=texts)}
        self._nested += 1
        yield number
        self.variables, self._nested = before, number


def _variable(number: int) -> Evaluator:
    return lambda environment: environment.variables[number]


def _fold_constant(typed: TypedExpression) -> TypedExpression:
    """Return a constant expression that is evaluated now, once, and not on each evaluation."""
    value = typed.evaluate(empty_environment())
    texts = ((value, typed.at),) if typed.kind is TEXT and value is not None else typed.possible_texts
    return replace(typed, evaluate=lambda _: value, possible_texts=texts)
