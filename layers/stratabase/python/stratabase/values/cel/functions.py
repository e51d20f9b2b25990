"""All functions by name, and the check of calls."""

from collections.abc import Mapping
from types import MappingProxyType

from stratabase.values.cel.checker import Checker
from stratabase.values.cel.conversions import NUMBER_FUNCTIONS
from stratabase.values.cel.dates import DATE_FUNCTIONS
from stratabase.values.cel.function import Function
from stratabase.values.cel.lists import LIST_FUNCTIONS
from stratabase.values.cel.logic import NULL_FUNCTIONS
from stratabase.values.cel.syntax import Call
from stratabase.values.cel.texts import MATCHES, TEXT_FUNCTIONS
from stratabase.values.cel.typed_expression import TypedExpression
from stratabase.values.wording import nearest_word, shorten

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for function in (
            *NULL_FUNCTIONS,
            *DATE_FUNCTIONS,
            *NUMBER_FUNCTIONS,
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


def check_call(checker: Checker, node: Call) -> TypedExpression:
    """Check a call of a function. For an unknown name, report an error with a suggestion."""
    name = node.word.text
    if function := FUNCTIONS.get(name):
        return function.check(checker, node)
    for argument in node.arguments:
        checker.check(argument)
    suggestion = _FOREIGN_NAMES.get(name) or nearest_word(name, tuple(FUNCTIONS))
    return checker.report(node.word.at, f"Unknown function {shorten(name)}.", suggestion=suggestion)
