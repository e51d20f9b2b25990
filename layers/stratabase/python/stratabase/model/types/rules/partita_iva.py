"""A text is an Italian VAT number (partita IVA): eleven digits, of which the last checks the others."""

import re
from collections.abc import Iterator

from stratabase.model.attribute import Domain
from stratabase.model.malformed import shown
from stratabase.model.types.base import Breach, DomainMistake

_SHAPE = re.compile(r"[0-9]{11}")


def partita_iva_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that is no VAT number."""
    if domain.partita_iva and not is_partita_iva(stored):
        yield DomainMistake(
            Breach.PARTITA_IVA,
            f"{shown(stored)} is no partita IVA: give its 11 digits, the last of which checks the others",
        )


def is_partita_iva(text: str) -> bool:
    """Return whether a text has eleven digits that check, not all of them zero."""
    return _SHAPE.fullmatch(text) is not None and int(text) > 0 and _sum(text) % 10 == 0


def _sum(digits: str) -> int:
    """Return the sum of the digits, every second one doubled, and less 9 where that is more than 9 (Luhn)."""
    doubled = (2 * int(digit) for digit in digits[1::2])
    return sum(map(int, digits[::2])) + sum(digit - 9 if digit > 9 else digit for digit in doubled)
