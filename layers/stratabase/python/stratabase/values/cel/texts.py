"""Functions of texts, including `matches`. Long texts use up the cost limit of an evaluation."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import (
    Function,
    Signature,
    apply_signature,
    argument_error,
    simple_function,
)
from stratabase.values.cel.kinds import BOOLEAN, TEXT, UNKNOWN, is_assignable
from stratabase.values.cel.syntax import CallNode
from stratabase.values.cel.typed_expression import Checker, TypedExpression, unknown_at
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.regex import compile_regex, matching_cost
from stratabase.values.messages import verbatim
from stratabase.values.wording import shorten

MAX_TEXT_LENGTH = 1_000_000
"""The maximum length of a text that a function makes. A longer text becomes null."""
FREE_LENGTH = 1000
"""The length in characters up to which texts cost nothing. The limit on steps bounds their number."""
_UNNOTED_LENGTH = 100
"""The length of a text that takes less time to search than to note the search."""
_CASE_WEIGHT = 8
"""The cost of changing the case of a character, relative to copying it."""


def _can_afford(environment: Environment, length: int, weight: int = 1) -> bool:
    return length <= FREE_LENGTH or (length <= MAX_TEXT_LENGTH and environment.spend(length * weight))


def join_two(environment: Environment, left: str, right: str) -> str | None:
    """Return two texts joined, or None if that costs too much."""
    return left + right if _can_afford(environment, len(left) + len(right)) else None


def join_all(environment: Environment, *pieces: str) -> str | None:
    """Return texts joined, or None if that costs too much."""
    return "".join(pieces) if _can_afford(environment, sum(map(len, pieces))) else None


def lower(environment: Environment, text: str) -> str | None:
    """Return a text in lowercase, or None if that costs too much."""
    return text.lower() if _can_afford(environment, len(text), _CASE_WEIGHT) else None


def upper(environment: Environment, text: str) -> str | None:
    """Return a text in uppercase, or None if that costs too much."""
    return text.upper() if _can_afford(environment, len(text), _CASE_WEIGHT) else None


def trim(environment: Environment, text: str) -> str | None:
    """Return a text without whitespace at its ends, or None if that costs too much."""
    return text.strip() if _can_afford(environment, len(text)) else None


def contains(environment: Environment, text: str, part: str) -> bool | None:
    """Return whether a text contains another, or None if that costs too much."""
    if _UNNOTED_LENGTH < len(text) <= FREE_LENGTH:
        environment.context.note_cost(len(text))
    return part in text if _can_afford(environment, len(text)) else None


def starts_with(_: Environment, text: str, part: str) -> bool:
    """Return whether a text begins with another."""
    return text.startswith(part)


def ends_with(_: Environment, text: str, part: str) -> bool:
    """Return whether a text ends with another."""
    return text.endswith(part)


def size(_: Environment, value: Any) -> int:
    """Return the number of characters of a text, or of items of a list."""
    return len(value)


MAX_PROGRAM_SIZE = 2500
"""The maximum size of a compiled pattern, in RE2 instructions."""


@lru_cache(maxsize=256)
def compile_search(pattern: str) -> Callable[[Environment, str], bool | None]:
    """Return a function that searches a text for a pattern.

    That function returns None if the search costs too much. Raises InvalidValue, with the reason, for an
    invalid pattern.
    """
    compiled = compile_regex(pattern)
    if compiled.programsize > MAX_PROGRAM_SIZE:
        raise InvalidValue(verbatim("it is too large; use fewer repetitions"))

    def search(environment: Environment, text: str) -> bool | None:
        return compiled.search(text) is not None if environment.spend(matching_cost(compiled, text)) else None

    return search


_USAGE = "text.matches('pattern')"


def _check_matches(checker: Checker, call: CallNode) -> TypedExpression:
    arguments = [checker.check_value(argument) for argument in call.arguments]
    if len(arguments) != 2 or not all(is_assignable(argument.kind, TEXT) for argument in arguments):
        return checker.report(call.word.at, argument_error(_USAGE, [[TEXT, TEXT]], arguments))
    text, pattern = arguments
    if UNKNOWN in (text.kind, pattern.kind):
        return unknown_at(call.at)
    if not pattern.is_constant or not pattern.possible_texts:
        return checker.report(pattern.at, "The pattern of matches must be a text in quotes.")
    ((written, at),) = pattern.possible_texts
    try:
        search = compile_search(written)
    except InvalidValue as malformed:
        return checker.report(
            at, f"'{shorten(written)}' is not a valid regular expression (RE2): {malformed}."
        )
    return apply_signature(call, Signature((TEXT,), BOOLEAN, search), [text])


MATCHES = Function("matches", _USAGE, _check_matches)


TEXT_FUNCTIONS = (
    simple_function("lower(text)", Signature((TEXT,), TEXT, lower)),
    simple_function("upper(text)", Signature((TEXT,), TEXT, upper)),
    simple_function("trim(text)", Signature((TEXT,), TEXT, trim)),
    simple_function("text.contains(part)", Signature((TEXT, TEXT), BOOLEAN, contains, compares=True)),
    simple_function("text.startsWith(part)", Signature((TEXT, TEXT), BOOLEAN, starts_with, compares=True)),
    simple_function("text.endsWith(part)", Signature((TEXT, TEXT), BOOLEAN, ends_with, compares=True)),
)
