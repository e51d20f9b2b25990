"""`@domain(pattern, values)` of a text: the text must match a pattern or be one of the values."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Self

from stratabase.core.model.constraints.base import (
    VALUES,
    ArgumentError,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    loses_items,
    read_argument,
)
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.string import TextualType
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.formats.regex import check_portable, compile_regex, matching_cost
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, or_list
from stratabase.values.wording import shorten

MAX_COST = 100_000_000
"""The limit on RE2 instructions to match one value. At worst, they take a few tenths of a second."""


@frozen
class AllowedTexts(Constraint):
    """A list of regular expressions (RE2) and a list of texts.

    A text is valid if one expression matches all of it, or if it is one of the texts.
    """

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "pattern": ConstraintArgument(
            "patterns",
            "[String!]",
            "Regular expressions in the syntax of RE2, any one of which matches the whole value.",
            loses_items,
        ),
        "values": VALUES,
    }
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_STRING_LENGTH", "ATTRIBUTE_STRING_PATTERN")
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextualType,)

    patterns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error for each pattern that is not valid in RE2, and one for an empty list."""
        if arguments.get("pattern") == ():
            yield ArgumentError("pattern", "No value is possible: pattern is empty. Add a pattern.")
        for number, pattern in enumerate(arguments.get("pattern") or ()):
            try:
                compile_pattern(pattern)
            except InvalidValue as invalid:
                message = f'"{shorten(pattern)}" is not a valid regular expression (RE2): {invalid}.'
                yield ArgumentError("pattern", message, number)

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint, or None without patterns and values."""
        patterns, values = arguments.get("pattern") or (), arguments.get("values") or ()
        if not patterns and not values:
            return None
        return cls(tuple(patterns), tuple(read_argument(type_, value) for value in values))

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is not allowed, or if it is too long to match it against a pattern."""
        if stored in self.values:
            return
        highest_cost = 0
        for regex in map(compile_pattern, self.patterns):
            if (cost := matching_cost(regex, stored)) > MAX_COST:
                highest_cost = max(highest_cost, cost)
            elif regex.fullmatch(stored):
                return
        if highest_cost:
            message = _(
                "The text has {length} characters, which is too long to match against the pattern. "
                "The maximum is {maximum}.",
                length=len(stored),
                maximum=MAX_COST * len(stored) // highest_cost,
            )
            yield Violation("ATTRIBUTE_STRING_LENGTH", message)
        else:
            message = _(
                "{value} is not allowed. It must match {allowed}.",
                value=describe_value(stored),
                allowed=or_list(f'"{each}"' for each in (*self.patterns, *self.values)),
            )
            yield Violation("ATTRIBUTE_STRING_PATTERN", message)


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Any:
    """Return a pattern compiled by RE2. Raises InvalidValue with the reason if it is not valid."""
    regex = compile_regex(pattern)
    check_portable(pattern)
    return regex
