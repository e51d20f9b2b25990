"""`@domain(codiceFiscale)`: a text must be an Italian tax code, of a person or an organization."""

import re
from collections.abc import Iterator, Mapping
from string import ascii_uppercase, digits
from typing import Any, ClassVar

from stratabase.core.model.constraints.base import ConstraintArgument, FlagConstraint, Violation, flag
from stratabase.core.model.constraints.partita_iva import is_partita_iva
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.string import TextType
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

_SHAPE = re.compile(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]")
_LETTERS_FOR_DIGITS = str.maketrans("LMNPQRSTUV", digits)
"""If two people would get the same code, letters replace digits in one of them (omocodia)."""
_DAYS = frozenset({*range(1, 32), *range(41, 72)})
"""The days of birth in a code. For women, 40 is added."""
_EVEN = {**dict(zip(digits, range(10), strict=True)), **dict(zip(ascii_uppercase, range(26), strict=True))}
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = {character: _ODD_VALUES[value] for character, value in _EVEN.items()}


@frozen
class CodiceFiscale(FlagConstraint):
    """A tax code: 16 characters for a person, 11 digits for an organization.

    The last character is a check character.
    """

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {"codiceFiscale": flag("An Italian tax code.")}
    issues: ClassVar[tuple[str, ...]] = (
        "ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA",
        "ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA",
    )
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextType,)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is not a tax code.

        The issue type is that of an organization if the text begins with a digit, or else that of a person.
        """
        is_of_body = stored[:1].isdigit()
        if is_of_body and not is_partita_iva(stored):
            yield Violation("ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA", _refusal(stored))
        elif not is_of_body and not is_personal(stored):
            yield Violation("ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA", _refusal(stored))


def is_personal(text: str) -> bool:
    """Return whether a text is the code of a person, with a valid check character."""
    if not _SHAPE.fullmatch(text):
        return False
    day = int(text[9:11].translate(_LETTERS_FOR_DIGITS))
    return day in _DAYS and check_character(text[:15]) == text[15]


def check_character(code: str) -> str:
    """Return the check character for the first 15 characters of a code.

    The algorithm counts positions from 1, so the first character is at an odd position.
    """
    total = sum(_ODD[character] for character in code[::2]) + sum(
        _EVEN[character] for character in code[1::2]
    )
    return ascii_uppercase[total % 26]


def _refusal(stored: str) -> Message:
    return _(
        "{value} is not a valid codice fiscale. "
        "Use 16 uppercase letters and digits for a person, or 11 digits for an organization. "
        "The last character is a check character.",
        value=describe_value(stored),
    )
