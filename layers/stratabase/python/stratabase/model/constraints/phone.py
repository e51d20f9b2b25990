"""`@domain(phone)`: a text is a telephone number."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stratabase.formats.invalid_value import describe_value
from stratabase.formats.preferences import Formats
from stratabase.messages import _
from stratabase.model.constraints.base import FlagConstraint, Violation
from stratabase.model.types.base import AttributeType
from stratabase.model.types.string import TextType

_SHAPE = re.compile(r"\+?[(0-9][0-9 ()./-]*[0-9]")
_MIN_DIGITS, _MAX_DIGITS = 3, 15
"""Digits; E.164 has no longer numbers."""


@dataclass(frozen=True, slots=True)
class PhoneNumber(FlagConstraint):
    """A number of 3 to 15 digits, grouped as people write it."""

    arguments: ClassVar[Mapping[str, str]] = {"phone": ""}
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextType,)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield that a text is no telephone number."""
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
    """Return whether a text can be dialled."""
    return _SHAPE.fullmatch(text) is not None and _MIN_DIGITS <= sum(map(str.isdigit, text)) <= _MAX_DIGITS
