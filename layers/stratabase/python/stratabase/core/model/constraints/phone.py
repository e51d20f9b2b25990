"""`@domain(phone)`: a text must be a phone number."""

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

_SHAPE = re.compile(r"\+?[(0-9][0-9 ()./-]*[0-9]")
_MIN_DIGITS, _MAX_DIGITS = 3, 15
"""The limits on the number of digits. The maximum is that of E.164."""


@frozen
class PhoneNumber(FlagConstraint):
    """A phone number of 3 to 15 digits, with an optional `+`, and with the usual separators."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {"phone": flag("A telephone number.")}
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_PHONE",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextType,)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is not a phone number."""
        if not is_phone(stored):
            message = _(
                "{value} is not a valid phone number. Use {minimum} to {maximum} digits, such as {example}.",
                value=describe_value(stored),
                minimum=_MIN_DIGITS,
                maximum=_MAX_DIGITS,
                example="+39 06 1234567",
            )
            yield Violation("ATTRIBUTE_PHONE", message)


def is_phone(text: str) -> bool:
    """Return whether a text is a phone number."""
    return _SHAPE.fullmatch(text) is not None and _MIN_DIGITS <= sum(map(str.isdigit, text)) <= _MAX_DIGITS
