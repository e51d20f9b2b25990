"""The public functions of this package: check a text, or compile it to an `Expression`."""

from collections.abc import Callable, Mapping
from dataclasses import field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from stratabase.values.cel.arithmetic import check_chain, check_negation
from stratabase.values.cel.comparisons import check_comparison, check_values
from stratabase.values.cel.conversions import CONVERSION_FUNCTIONS
from stratabase.values.cel.dates import DATE_FUNCTIONS
from stratabase.values.cel.environment import Environment, Path
from stratabase.values.cel.function import Function
from stratabase.values.cel.implied import implied_by
from stratabase.values.cel.kinds import INT, REAL, TEXT, ValueKind, is_assignable
from stratabase.values.cel.lists import LIST_FUNCTIONS, check_index, check_list
from stratabase.values.cel.literals import check_constant, check_number, check_text
from stratabase.values.cel.logic import NULL_FUNCTIONS, check_conditional, check_logical_operation, check_not
from stratabase.values.cel.names import check_member_access, check_name
from stratabase.values.cel.parser import parse
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import (
    CallNode,
    ChainNode,
    ComparisonNode,
    ConditionalNode,
    ConstantNode,
    ExpressionError,
    IndexNode,
    InvalidExpression,
    ListNode,
    LogicalNode,
    MemberAccessNode,
    NameNode,
    NegationNode,
    Node,
    NotNode,
    NumberNode,
    TextNode,
)
from stratabase.values.cel.texts import MATCHES, TEXT_FUNCTIONS
from stratabase.values.cel.typed_expression import Checker, Evaluator, Implied, NodeCheck, TypedExpression
from stratabase.values.formats.decimals import canonical_decimal
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen
from stratabase.values.wording import nearest_word, shorten

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for function in (
            *NULL_FUNCTIONS,
            *DATE_FUNCTIONS,
            *CONVERSION_FUNCTIONS,
            *TEXT_FUNCTIONS,
            MATCHES,
            *LIST_FUNCTIONS,
        )
    }
)
_FOREIGN_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("coalesce", "ifNull", "ifnull", "nvl", "default"), "firstNotNull"),
    **dict.fromkeys(("isEmpty", "isBlank", "is_null", "isnull"), "isNull"),
    **dict.fromkeys(("length", "len", "count"), "size"),
    **dict.fromkeys(("toLower", "toLowerCase", "lowerAscii"), "lower"),
    **dict.fromkeys(("toUpper", "toUpperCase", "upperAscii"), "upper"),
    **dict.fromkeys(("strip",), "trim"),
    **dict.fromkeys(("timestamp",), "datetime"),
    **dict.fromkeys(("duration", "daysBetween", "datediff"), "dateDiff"),
    **dict.fromkeys(("getFullYear",), "year"),
    **dict.fromkeys(("getMonth",), "month"),
    **dict.fromkeys(("getDate", "getDayOfMonth"), "day"),
    **dict.fromkeys(("real", "decimal", "number"), "double"),
    **dict.fromkeys(("toString", "str", "text"), "string"),
    **dict.fromkeys(("any", "some"), "exists"),
    **dict.fromkeys(("every",), "all"),
    **dict.fromkeys(("regex", "match", "like"), "matches"),
}
"""The functions for common function names of other languages, as suggestions."""


def check_call(checker: Checker, node: CallNode) -> TypedExpression:
    """Check a call of a function. For an unknown name, report an error with a suggestion."""
    name = node.word.text
    if function := FUNCTIONS.get(name):
        return function.check(checker, node)
    for argument in node.arguments:
        checker.check(argument)
    suggestion = _FOREIGN_NAMES.get(name) or nearest_word(name, tuple(FUNCTIONS))
    return checker.report(node.word.at, f"Unknown function {shorten(name)}.", suggestion=suggestion)


OPERATORS: Mapping[type[Node], NodeCheck] = MappingProxyType(
    {
        NumberNode: check_number,
        TextNode: check_text,
        ConstantNode: check_constant,
        NameNode: check_name,
        MemberAccessNode: check_member_access,
        ListNode: check_list,
        IndexNode: check_index,
        NegationNode: check_negation,
        ChainNode: check_chain,
        ComparisonNode: check_comparison,
        NotNode: check_not,
        LogicalNode: check_logical_operation,
        ConditionalNode: check_conditional,
    }
)
ToStored = Callable[[Any], Any]
"""Maps the value of an expression, which can be None, to its stored form."""


class ResultType(Protocol):
    """The type of result that an expression must have, such as the type of an attribute."""

    name: str
    kind: ValueKind
    unrestricted: ClassVar[bool]
    """Whether each value of the Python type is one of this type."""

    def read(self, value: Any, formats: Formats) -> Any:
        """Return the stored form of a value. Raises InvalidValue if it is not of the type."""


def check_result(checker: Checker, result: TypedExpression, result_type: ResultType) -> None:
    """Report an error if the type of the result does not fit."""
    if result_type.kind.values and result.kind is TEXT and result.possible_texts is not None:
        check_values(checker, result_type.kind, result)
    elif not is_assignable(result.kind, result_type.kind):
        checker.report(result.at, f"This is {result.kind.name}, but it must be {result_type.name}.")


def stored_form_of(result: TypedExpression, result_type: ResultType | None) -> ToStored:
    """Return a function from the values of an expression to their stored form for the result type."""
    if result.kind is REAL or (result_type and result_type.kind is REAL):
        return _store_real
    # Integers of expressions have 64 bits. Attribute types such as Int and Year have a smaller range.
    if result_type and result_type.kind in _PARTLY_TAKEN and not result_type.unrestricted:
        return _store_as(result_type)
    return _store_text if result.kind is TEXT else lambda value: value


_PARTLY_TAKEN = frozenset({INT, TEXT})
"""The kinds with values that are none of some types of the kind. These count as null."""


def _store_real(value: Any) -> str | None:
    return None if value is None else canonical_decimal(Decimal(value))


def _store_text(value: Any) -> str | None:
    return None if value is None else str(value)


def _plain(value: Any) -> Any:
    # A MemberName becomes a plain str. Later comparisons use the text, because the ID is not stored.
    return str(value) if isinstance(value, str) else value


def _store_as(type_: ResultType) -> ToStored:
    def to_stored(value: Any) -> Any:
        try:
            return None if value is None else type_.read(_plain(value), DEFAULT_FORMATS)
        except InvalidValue:
            return None

    return to_stored


MAX_STEPS = 10_000
"""The limit on nodes evaluated for one object. Only nested lists reach it."""
_CHECKS: Mapping[type[Node], NodeCheck] = {**OPERATORS, CallNode: check_call}


@frozen
class Expression:
    """A compiled expression. Threads can evaluate it at the same time, each with its own environments."""

    text: str
    kind: ValueKind
    paths: frozenset[Path]
    """The paths that the expression reads, which the environment must have."""
    caller_fields: frozenset[str]
    """The fields of `caller` that the expression reads."""
    evaluator: Evaluator = field(repr=False, compare=False)
    to_stored: ToStored = field(repr=False, compare=False)
    implied: Implied | None = field(default=None, repr=False, compare=False)
    """What the expression implies if it is a condition that is true; None if nothing is known."""
    steps: int = field(default=1, repr=False, compare=False)
    """The maximum number of evaluated nodes."""

    def evaluate(self, environment: Environment) -> Any:
        """Return the value for an object in its stored form, or None for null. Never raises."""
        return self.to_stored(self.evaluator(environment.reset()))

    def holds(self, environment: Environment) -> bool:
        """Return whether a condition is true for an object. Null is not true."""
        return self.evaluator(environment.reset()) is True


@frozen
class CheckedExpression:
    """The result of a check. If there are errors, `expression` has only what could be understood."""

    expression: Expression
    errors: tuple[ExpressionError, ...]


def check_expression(text: str, scope: Scope, result_type: ResultType | None = None) -> CheckedExpression:
    """Return the checked expression of a text, with all errors.

    Its value must fit `result_type`; if that is None, any value is valid. Raises InvalidExpression for a
    syntax error.
    """
    checker = Checker(scope, _CHECKS, FUNCTIONS.keys())
    result = checker.check_value(parse(text))
    if result_type is not None:
        check_result(checker, result, result_type)
    if result.steps > MAX_STEPS:
        message = f"Nested lists make this more than {MAX_STEPS} steps. Put them side by side."
        checker.report(result.at, message)
    paths, caller_fields = frozenset(checker.paths), frozenset(checker.caller_fields)
    expression = Expression(
        text,
        result.kind,
        paths,
        caller_fields,
        result.evaluate,
        stored_form_of(result, result_type),
        implied_by(result),
        result.steps,
    )
    return CheckedExpression(expression, tuple(checker.errors))


def compile_expression(text: str, scope: Scope, result_type: ResultType | None = None) -> Expression:
    """Return the compiled expression of a text. Its value must fit `result_type`.

    Raises InvalidExpression with all errors.
    """
    checked = check_expression(text, scope, result_type)
    if checked.errors:
        raise InvalidExpression(checked.errors)
    return checked.expression
