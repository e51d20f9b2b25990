"""Real: decimal numbers, exact, with at most 38 digits."""

import re
from collections.abc import Callable
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
)
from functools import lru_cache
from typing import Any, ClassVar

from stratabase.model.attribute import Domain, Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.patterns.number import compile_number_pattern
from stratabase.model.types.base import DomainMistake
from stratabase.model.types.ordered import Ordered
from stratabase.model.types.rules.decimals import decimals_mistakes
from stratabase.model.types.storage import Storage, number_text

_LONGEST = 400
_SYNTAX = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,9})?")
_TRAPS = [InvalidOperation, Overflow, Subnormal, Inexact]
_SMALLEST_EXPONENT, _LARGEST_EXPONENT = -130, 125
_PLAIN = range(-38, 38)
"""Numbers whose first digit has one of these exponents are written without one."""


_SHORT = re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,17}[1-9])?")
"""Spellings that are surely canonical: nearly all that there are."""


def _fits(value: Any) -> bool:
    """Return whether a value is the canonical spelling of a number."""
    if not isinstance(value, str):
        return False
    return _SHORT.fullmatch(value) is not None or _is_canonical(value)


def _is_canonical(text: str) -> bool:
    try:
        return canonical(_decimal(text)) == text
    except DecimalException:
        return False


DECIMAL = Storage("decimal", _fits, lambda value: number_text(Decimal(value)))


class RealType(Ordered):
    """Stored as text that is the same for equal numbers: `1.5`, `-0.001`, `0`, `2.5E+40`."""

    name = "Real"
    restrictions: ClassVar[frozenset[str]] = Ordered.restrictions | {"digits"}
    storage: ClassVar[Storage] = DECIMAL
    formatted = True

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a number given as text, int, Decimal or float (the shortest decimal that means it)."""
        del formats
        try:
            return canonical(_decimal(given))
        except DecimalException:
            raise Malformed(_refusal(given)) from None

    def rank(self, stored: Any) -> Any:
        """Return the number itself."""
        return Decimal(stored)

    def writer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return what writes a number as text: as it is stored, or by a Java decimal pattern."""
        return str if pattern == "default" else _writer(pattern, formats.language)

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a number as it is stored, which is how answers show it."""
        del formats
        return str(stored)

    def domain_mistakes(
        self, stored: Any, domain: Domain, formats: Formats | None = None
    ) -> list[DomainMistake]:
        """Return whether the value is out of bounds, or has too many decimals."""
        return [*super().domain_mistakes(stored, domain, formats), *decimals_mistakes(stored, domain)]


def canonical(number: Decimal) -> str:
    """Return the one spelling of a number."""
    if not number:
        return "0"
    normal = number.normalize(_context())
    return f"{normal:f}" if normal.adjusted() in _PLAIN else f"{normal:E}"


def _decimal(given: Any) -> Decimal:
    """Return the number that a JSON value is. Raises DecimalException for one that a Real cannot be."""
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal | str):
        raise InvalidOperation
    if isinstance(given, int | Decimal):
        return _context().create_decimal(given)
    text = given if isinstance(given, str) else repr(given)
    if len(text) > _LONGEST or not _SYNTAX.fullmatch(text):
        raise InvalidOperation
    return _context().create_decimal(text)


def _context() -> Context:
    """Return arithmetic in which every number that is no Real is an exception."""
    return Context(prec=38, Emin=_SMALLEST_EXPONENT, Emax=_LARGEST_EXPONENT, traps=_TRAPS)


def arithmetic() -> Context:
    """Return arithmetic that rounds to 38 digits; a result that is no Real even so is a DecimalException."""
    context = _context()
    context.traps[Inexact], context.traps[DivisionByZero] = False, True
    return context


def _refusal(given: Any) -> str:
    return (
        f"{shown(given)} is not a Real: give a decimal number such as -12.50, with at most 38 digits and "
        f"between 1E{_SMALLEST_EXPONENT} and 1E+{_LARGEST_EXPONENT + 1} in size"
    )


@lru_cache(maxsize=512)
def _writer(pattern: str, language: str) -> Callable[[str], str]:
    write = compile_number_pattern(pattern).writer(language)
    return lambda stored: write(Decimal(stored))
