"""`@domain(minLength, maxLength)`: the length of a text, in characters (code points)."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from stratabase.core.model.constraints.base import (
    ArgumentError,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    falls,
    rises,
)
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.string import TextualType
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import ngettext

_ISSUE = "ATTRIBUTE_STRING_LENGTH"


@frozen
class TextLength(Constraint):
    """The minimum and maximum number of characters."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "minLength": ConstraintArgument("minimum", "Int", "The minimum number of characters.", rises),
        "maxLength": ConstraintArgument("maximum", "Int", "The maximum number of characters.", falls),
    }
    issues: ClassVar[tuple[str, ...]] = (_ISSUE,)
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextualType,)

    minimum: int | None = None
    maximum: int | None = None
    type_maximum: int | None = None
    """The limit of the type itself, which applies if the model sets no maximum."""

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error for each length that is out of range, and one if no value is possible."""
        low, high = arguments.get("minLength"), arguments.get("maxLength")
        if low is not None and low < 0:
            yield ArgumentError("minLength", "minLength must be 0 or more.")
        if high is not None and high < 1:
            yield ArgumentError("maxLength", "maxLength must be 1 or more.")
        elif low is not None and high is not None and low > high:
            message = f"No value is possible: minLength {low} is greater than maxLength {high}."
            yield ArgumentError("minLength", message)

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint, or None if neither the model nor the type sets a limit."""
        assert isinstance(type_, TextualType)
        low, high = arguments.get("minLength"), arguments.get("maxLength")
        if low is None and high is None and type_.max_length is None:
            return None
        return cls(low, high, type_.max_length)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is too short or too long."""
        del type_, formats
        length = len(stored)
        maximum = self.type_maximum if self.maximum is None else self.maximum
        if self.minimum is not None and length < self.minimum:
            message = ngettext(
                "The text has {count} character. The minimum is {minimum}.",
                "The text has {count} characters. The minimum is {minimum}.",
                length,
                minimum=self.minimum,
            )
            yield Violation(_ISSUE, message)
        if maximum is not None and length > maximum:
            message = ngettext(
                "The text has {count} character. The maximum is {maximum}.",
                "The text has {count} characters. The maximum is {maximum}.",
                length,
                maximum=maximum,
            )
            yield Violation(_ISSUE, message)
