"""matches: whether a pattern is found in a text."""

from stratabase.model.expressions import patterns
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.functions.function import Function, Signature, applied, refusal
from stratabase.model.expressions.kinds import BOOLEAN, TEXT, UNKNOWN, fits
from stratabase.model.expressions.meaning import Meaning, unknown
from stratabase.model.expressions.syntax import Call
from stratabase.model.malformed import Malformed
from stratabase.model.words import shown

_USAGE = "text.matches('pattern')"


def _matches(checker: Checker, call: Call) -> Meaning:
    arguments = [checker.value(argument) for argument in call.arguments]
    if len(arguments) != 2 or not all(fits(argument.kind, TEXT) for argument in arguments):
        return checker.refuse(call.word.at, refusal(_USAGE, [[TEXT, TEXT]], arguments))
    text, pattern = arguments
    if UNKNOWN in (text.kind, pattern.kind):
        return unknown(call.at)
    if not pattern.constant or not pattern.texts:
        return checker.refuse(
            pattern.at, "The pattern of matches is a text in quotes, so that it can be checked."
        )
    ((written, at),) = pattern.texts
    try:
        search = patterns.search(written)
    except Malformed as malformed:
        return checker.refuse(at, f"'{shown(written)}' is no regular expression (RE2): {malformed}.")
    return applied(call, Signature((TEXT,), BOOLEAN, search), [text])


MATCHES = Function("matches", _USAGE, _matches)
