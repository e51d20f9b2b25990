"""Arithmetic: whole numbers of 64 bits, decimal numbers of 38 digits; what is neither is null."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, DecimalException

from stratabase.model.expressions.literals import LARGEST, SMALLEST
from stratabase.model.types.real import arithmetic

# Nothing of one calculation is left in it for the next but flags, which nobody reads.
_CONTEXT = arithmetic()
_ROUNDING = arithmetic()
_ROUNDING.rounding = ROUND_HALF_UP


def whole(number: int) -> int | None:
    """Return a number if it has no more than 64 bits."""
    return number if SMALLEST <= number <= LARGEST else None


def quotient(left: int, right: int) -> int | None:
    """Return a quotient without its fraction."""
    if right == 0:
        return None
    result = abs(left) // abs(right)
    return whole(result if (left < 0) is (right < 0) else -result)


def remainder(left: int, right: int) -> int | None:
    """Return what a quotient leaves over; it has the sign of what is divided."""
    if right == 0:
        return None
    result = abs(left) % abs(right)
    return -result if left < 0 else result


def decimal(calculate: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Decimal, Decimal], Decimal | None]:
    """Return a calculation that gives null where it has no result."""

    def result(left: Decimal, right: Decimal) -> Decimal | None:
        try:
            return calculate(left, right)
        except DecimalException:
            return None

    return result


sum_of = decimal(_CONTEXT.add)
difference_of = decimal(_CONTEXT.subtract)
product_of = decimal(_CONTEXT.multiply)
quotient_of = decimal(_CONTEXT.divide)


def rounded(number: Decimal, digits: int) -> Decimal | None:
    """Return a number with so many decimals at most (below 0: so many zeros before the point); half goes up.

    Up is away from zero.
    """
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent >= -digits:
        return number
    if number.adjusted() + 1 < -digits:
        return Decimal(0)
    try:
        return _ROUNDING.quantize(number, Decimal((0, (1,), -digits)))
    except DecimalException:
        return None


def truncated(number: Decimal) -> int | None:
    """Return a number without its fraction."""
    return whole(int(number)) if number.adjusted() < 20 else None
