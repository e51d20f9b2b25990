"""Typed expressions: the parts of an expression after the check, with their kind and their evaluator.

The checker turns each node of a syntax tree into a typed expression, and collects all errors.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from decimal import Decimal
from typing import Any

from stratabase.values.cel.environment import Environment, Path
from stratabase.values.cel.kinds import FILE, INT, NULL, OBJECT, REAL, TEXT, UNKNOWN, ValueKind, common_kind
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import ExpressionError, Node
from stratabase.values.folding import Folding, coarser, folding_cost
from stratabase.values.frozen import frozen
from stratabase.values.wording import nearest_word

Evaluator = Callable[[Environment], Any]
"""Returns the value for an environment, in which None is null.

It never raises: a value that can't be computed is null.
"""
PossibleTexts = tuple[tuple[str, int], ...]
"""Texts, each with its position in the expression."""


@frozen
class PathComparison:
    """A path of to-one roles to an attribute compares with an operand. It does not if one of them is null."""

    path: Path
    kind: ValueKind
    """The kind of the attribute."""
    operator: str
    """One of `==`, `<`, `<=`, `>`, `>=`, `in` and `startsWith`, with the attribute at its left."""
    operand: Evaluator = field(repr=False, compare=False)
    """The operand, which depends on no object."""
    operand_kind: ValueKind
    """The kind of the operand. A Datetime is compared with a Date by its day in the caller's time zone."""


@frozen
class Together:
    """All parts are implied."""

    parts: tuple["Implied", ...]


@frozen
class Either:
    """At least one of the parts holds."""

    parts: tuple["Implied", ...]


Implied = PathComparison | Together | Either
"""What a condition implies (implied.py)."""


@frozen
class TypedExpression:
    """A checked part of an expression. `at` is its first character, counted from 0."""

    kind: ValueKind
    evaluate: Evaluator
    at: int
    steps: int = 1
    """The maximum number of evaluated nodes. A node in a macro counts once for each item."""
    max_items: int = 0
    """The maximum number of items, if the value is a list."""
    possible_texts: PossibleTexts | None = None
    """All texts that the value, or an item of it, can be; None if it can be any text."""
    is_constant: bool = False
    """The value is the same for every environment."""
    path: Path | None = None
    """The path, if the expression is nothing but an attribute of the object, or one that roles lead to."""
    implied: Implied | None = None
    """What the expression implies if it is true; None if nothing is known. A path has none of its own."""
    folding: Folding | None = None
    """How the texts of the attribute, or of the attributes that it chooses from or lists, are compared."""


def literal(kind: ValueKind, value: Any, at: int) -> TypedExpression:
    """Return the typed expression of a literal."""
    texts: PossibleTexts | None = () if kind is NULL else None
    if kind is TEXT:
        texts = ((value, at),)
    return TypedExpression(kind, lambda _: value, at, possible_texts=texts, is_constant=True)


def unknown_at(at: int) -> TypedExpression:
    """Return the typed expression of a part with a reported error. Its kind fits everywhere."""
    return TypedExpression(UNKNOWN, lambda _: None, at)


def empty_environment() -> Environment:
    """Return an environment for the evaluation of constants."""
    return Environment({})


def count_steps(*parts: TypedExpression) -> int:
    """Return the number of steps of an expression that evaluates each of these parts once."""
    return 1 + sum(typed.steps for typed in parts)


def common_kind_of(parts: Sequence[TypedExpression]) -> ValueKind | None:
    """Return the kind that all parts fit, or None if there is none.

    A literal text fits an enum that has this value.
    """
    kinds = {typed.kind for typed in parts}
    enums = [kind for kind in kinds if kind.values]
    if len(enums) == 1 and all(_is_of_enum(typed, enums[0]) for typed in parts if typed.kind is TEXT):
        kinds.discard(TEXT)
    return common_kind(kinds)


def _is_of_enum(typed: TypedExpression, enum: ValueKind) -> bool:
    return typed.possible_texts is not None and all(text in enum.values for text, _ in typed.possible_texts)


def all_possible_texts(parts: Sequence[TypedExpression]) -> PossibleTexts | None:
    """Return all texts that any of the parts can be, or None if a part can be any text."""
    texts: PossibleTexts = ()
    for typed in parts:
        if typed.possible_texts is None:
            return None
        texts += typed.possible_texts
    return texts


def folded_alike(*parts: TypedExpression) -> tuple[TypedExpression, ...]:
    """Return parts that are compared with each other: if an attribute folds its texts, all are folded.

    Folding long texts uses up the cost limit of an evaluation. A part that costs too much is null.
    """
    folding = coarser(*(part.folding for part in parts))
    return parts if folding is None else tuple(_folded(part, folding) for part in parts)


def _folded(typed: TypedExpression, folding: Folding) -> TypedExpression:
    evaluate, fold = typed.evaluate, folding.fold

    def fold_one(environment: Environment, text: str) -> str | None:
        cost = folding_cost(text)
        return fold(text) if cost <= _FREE or environment.spend(cost) else None

    def text(environment: Environment) -> str | None:
        value = evaluate(environment)
        return None if value is None else fold_one(environment, value)

    def texts(environment: Environment) -> tuple[str | None, ...] | None:
        items = evaluate(environment)
        if items is None:
            return None
        return tuple([None if each is None else fold_one(environment, each) for each in items])

    return replace(typed, evaluate=text if typed.kind.element is None else texts)


_FREE = 10_000
"""The cost of folding a text up to which it is free. The limit on steps bounds the number of texts."""


def convert_to(typed: TypedExpression, kind: ValueKind) -> TypedExpression:
    """Return a part converted to a kind that it is assignable to, such as an Int to a Real."""
    evaluate = typed.evaluate
    if typed.kind is INT and kind is REAL:
        evaluate = _real_evaluator(typed)
    elif typed.kind.element is INT and kind.element is REAL:
        evaluate = _real_list_evaluator(evaluate)
    return replace(typed, kind=kind, evaluate=evaluate)


def _real_evaluator(typed: TypedExpression) -> Evaluator:
    evaluate = typed.evaluate
    if typed.is_constant:
        fixed = Decimal(value) if (value := evaluate(empty_environment())) is not None else None
        return lambda _: fixed
    return lambda environment: None if (value := evaluate(environment)) is None else Decimal(value)


def _real_list_evaluator(evaluate: Evaluator) -> Evaluator:
    def reals(environment: Environment) -> tuple[Decimal | None, ...] | None:
        items = evaluate(environment)
        return None if items is None else tuple(None if item is None else Decimal(item) for item in items)

    return reals


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
    def declare_variable(self, name: str, items: TypedExpression) -> Iterator[int]:
        """Declare a name for the items of a list, for the duration of a `with` block.

        Yields the key of the item in `Environment.variables`.
        """
        before, number = self.variables, self._nested
        variable = TypedExpression(
            items.kind.element or UNKNOWN,
            _variable(number),
            0,
            possible_texts=items.possible_texts,
            folding=items.folding,
        )
        self.variables = {**before, name: variable}
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
