"""Calls of functions."""

from collections.abc import Mapping

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.functions import FUNCTIONS
from stratabase.model.expressions.meaning import Meaning
from stratabase.model.expressions.syntax import Call
from stratabase.model.words import nearest, shown

_OTHERWISE: Mapping[str, str] = {
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
"""What other languages call the functions."""


def call(checker: Checker, node: Call) -> Meaning:
    """Check a call."""
    name = node.word.text
    if function := FUNCTIONS.get(name):
        return function.form(checker, node)
    for argument in node.arguments:
        checker.meaning(argument)
    suggestion = _OTHERWISE.get(name) or nearest(name, tuple(FUNCTIONS))
    return checker.refuse(node.word.at, f"There is no function {shown(name)}.", suggestion=suggestion)
