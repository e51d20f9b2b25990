"""`@domain(partitaIva)`: a text must be an Italian VAT number."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from stratabase.core.model.constraints.base import ConstraintArgument, FlagConstraint, Violation, flag
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.string import TextType
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

_SHAPE = re.compile(r"[0-9]{11}")


@frozen
class PartitaIva(FlagConstraint):
    """A VAT number: eleven digits, the last of which is a check digit."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {"partitaIva": flag("An Italian VAT number.")}
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_PARTITA_IVA",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextType,)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is not a VAT number."""
        if not is_partita_iva(stored):
            message = _(
                "{value} is not a valid partita IVA. Use 11 digits. The last digit is a check digit.",
                value=describe_value(stored),
            )
            yield Violation("ATTRIBUTE_PARTITA_IVA", message)


def is_partita_iva(text: str) -> bool:
    """Return whether a text has eleven digits with a valid check digit, not all of them zero."""
    return _SHAPE.fullmatch(text) is not None and int(text) > 0 and _sum(text) % 10 == 0


def _sum(digits: str) -> int:
    """Return the Luhn sum of the digits.

    Every second digit is doubled. If the result is more than 9, 9 is subtracted.
    """
    doubled = (2 * int(digit) for digit in digits[1::2])
    return sum(map(int, digits[::2])) + sum(digit - 9 if digit > 9 else digit for digit in doubled)
