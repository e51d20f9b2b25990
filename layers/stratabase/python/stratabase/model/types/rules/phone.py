"""A text is a telephone number."""

import re
from collections.abc import Iterator

from stratabase.model.attribute import Domain
from stratabase.model.malformed import shown
from stratabase.model.types.base import Breach, DomainMistake

_SHAPE = re.compile(r"\+?[(0-9][0-9 ()./-]*[0-9]")
_FEWEST, _MOST = 3, 15
"""Digits; E.164 has no longer numbers."""


def phone_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that is no number: 3 to 15 digits, grouped as people do."""
    if domain.phone and not is_phone(stored):
        yield DomainMistake(
            Breach.PHONE,
            f"{shown(stored)} is no phone number: give {_FEWEST} to {_MOST} digits such as +39 06 1234567",
        )


def is_phone(text: str) -> bool:
    """Return whether a text can be dialled."""
    return _SHAPE.fullmatch(text) is not None and _FEWEST <= sum(map(str.isdigit, text)) <= _MOST
