"""A number has no more decimals than it may."""

from collections.abc import Iterator
from decimal import Decimal

from stratabase.model.attribute import Domain
from stratabase.model.plurals import counted
from stratabase.model.types.base import Breach, DomainMistake


def decimals_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a number with too many digits behind the point."""
    exponent = Decimal(stored).as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) else 0
    if domain.digits is not None and decimals > domain.digits:
        text = f"{stored} has {counted(decimals, 'decimal')}: give at most {domain.digits}"
        yield DomainMistake(Breach.DIGITS, text)
