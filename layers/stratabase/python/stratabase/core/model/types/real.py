"""Real: decimal numbers, exact, with at most 38 digits."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    NumberRange,
    OrderedType,
    StorageClass,
    Stored,
    number_of_text,
    number_text,
)
from stratabase.core.model.types.operators import NUMBER_AGGREGATES, NUMBER_TOTALS, Aggregate, Total
from stratabase.values.cel import kinds
from stratabase.values.formats.decimals import canonical_decimal, is_canonical_decimal, read_decimal
from stratabase.values.formats.number_pattern import compile_number_pattern
from stratabase.values.formats.preferences import ISO_FORMAT, Formats

DECIMAL_STORAGE = StorageClass(
    "decimal",
    str,
    is_canonical_decimal,
    lambda value: number_text(Decimal(value)),
    lambda text: canonical_decimal(number_of_text(text)),
)


class RealType(OrderedType):
    """Stored as text. Equal numbers have the same text: `1.5`, `-0.001`, `0`, `2.5E+40`."""

    name = "Real"
    foreign_names = ("Float", "Double", "Decimal", "Number", "Money")
    model_description = "A decimal number with up to 38 digits."
    api_description = (
        "A decimal number with up to 38 digits. A string in responses, a string or a number in inputs."
    )
    kind = kinds.REAL
    aggregates: ClassVar[frozenset[Aggregate]] = NUMBER_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = NUMBER_TOTALS
    sum_types = ("Real",)
    takes_format = True
    grouped = True
    storage: ClassVar[StorageClass] = DECIMAL_STORAGE
    numbers = NumberRange(whole=False)
    reading = "Real"
    readable_texts = 'numbers in their shortest form such as "1.5", but not "1.50"'

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the stored form of a text, int, Decimal, or float. A float means its shortest decimal."""
        del formats
        return read_decimal(value)

    def is_own_value(self, raw: Any) -> bool:
        """Return whether a text is the canonical spelling of a number."""
        return is_canonical_decimal(raw)

    def value_of(self, text: str) -> Stored:
        """Return a number in its canonical spelling."""
        return text if is_canonical_decimal(text) else None

    sort_key = staticmethod(lru_cache(maxsize=4096)(Decimal))
    """Returns the number. A filter needs it of each object, and many objects have the same."""

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return a function that writes a number: as stored, in plain digits, or by a Java pattern."""
        if pattern == ISO_FORMAT:
            return _plain_digits
        return str if pattern == "default" else _writer(pattern, formats.language)

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a number as it is stored, which is how responses show it."""
        del formats
        return str(stored)


def _plain_digits(stored: str) -> str:
    """Return a number without an exponent."""
    return f"{Decimal(stored):f}"


@lru_cache(maxsize=512)
def _writer(pattern: str, language: str) -> Callable[[str], str]:
    write = compile_number_pattern(pattern).formatter(language)
    return lambda stored: write(Decimal(stored))
