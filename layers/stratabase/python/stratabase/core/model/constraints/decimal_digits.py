"""`@domain(digits)`: the maximum number of decimal places of a Real."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from stratabase.core.model.constraints.base import (
    ArgumentError,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    falls,
)
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.real import RealType
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import ngettext

MAX_DIGITS = 38


@frozen
class DecimalDigits(Constraint):
    """The maximum number of decimal places."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "digits": ConstraintArgument("digits", "Int", "The maximum number of decimal places.", falls)
    }
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_REAL_DECIMAL_DIGITS",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (RealType,)

    digits: int

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error if the number of digits is out of range."""
        digits = arguments.get("digits")
        if digits is not None and not 0 <= digits <= MAX_DIGITS:
            yield ArgumentError("digits", f"digits must be a number from 0 to {MAX_DIGITS}.")

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a number has too many decimal places."""
        del type_, formats
        decimals = _decimal_places(stored)
        if decimals > self.digits:
            message = ngettext(
                "{value} has {count} decimal place. The maximum is {maximum}.",
                "{value} has {count} decimal places. The maximum is {maximum}.",
                decimals,
                value=stored,
                maximum=self.digits,
            )
            yield Violation("ATTRIBUTE_REAL_DECIMAL_DIGITS", message)


def _decimal_places(stored: str) -> int:
    """Return the number of decimal places of a number. Its canonical spelling has no zeros at the end."""
    if "E" not in stored:
        return len(stored.partition(".")[2])
    exponent = Decimal(stored).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
