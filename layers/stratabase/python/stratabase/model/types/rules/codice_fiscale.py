"""A text is an Italian tax code (codice fiscale): of a person 16 characters, of a body 11 digits."""

import re
from collections.abc import Iterator
from string import ascii_uppercase, digits

from stratabase.model.attribute import Domain
from stratabase.model.malformed import shown
from stratabase.model.types.base import Breach, DomainMistake
from stratabase.model.types.rules.partita_iva import is_partita_iva

_SHAPE = re.compile(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]")
_LETTERS_FOR_DIGITS = str.maketrans("LMNPQRSTUV", digits)
"""Two persons may have the same code: then letters take the place of digits (omocodia)."""
_DAYS = frozenset({*range(1, 32), *range(41, 72)})
"""Those of women are 40 higher."""

_EVEN = {**dict(zip(digits, range(10), strict=True)), **dict(zip(ascii_uppercase, range(26), strict=True))}
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = {character: _ODD_VALUES[value] for character, value in _EVEN.items()}


def codice_fiscale_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that is no tax code; what begins with a digit was meant to be a body's."""
    if not domain.codice_fiscale:
        return
    if stored[:1].isdigit():
        if not is_partita_iva(stored):
            yield DomainMistake(Breach.CODICE_FISCALE_GIURIDICA, _refusal(stored))
    elif not is_personal(stored):
        yield DomainMistake(Breach.CODICE_FISCALE, _refusal(stored))


def is_personal(text: str) -> bool:
    """Return whether a text is the code of a person, with the right check character."""
    if not _SHAPE.fullmatch(text):
        return False
    day = int(text[9:11].translate(_LETTERS_FOR_DIGITS))
    return day in _DAYS and check_character(text[:15]) == text[15]


def check_character(code: str) -> str:
    """Return the sixteenth character for the other fifteen (the first of which is odd)."""
    total = sum(_ODD[character] for character in code[::2]) + sum(
        _EVEN[character] for character in code[1::2]
    )
    return ascii_uppercase[total % 26]


def _refusal(stored: str) -> str:
    return (
        f"{shown(stored)} is no codice fiscale: give the 16 capital letters and digits of a person "
        "or the 11 digits of a body, the last of which checks the others"
    )
