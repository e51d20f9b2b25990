"""Aggregates of values: COUNT, SUM, MIN, MAX and AVG, computed from partial results in any order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Context, Decimal, DecimalException
from functools import partial, reduce
from typing import Any, NamedTuple

from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.operators import Aggregate
from stratabase.values.formats.decimals import decimal_context
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS

_EXACT = Context(prec=400)
"""A decimal context that rounds no sum of Reals: all their digits lie between 10^126 and 10^-168."""
_REAL = decimal_context()
_REAL_TYPE = TYPES["Real"]


class Aggregator(NamedTuple):
    """The three functions that compute one aggregate. Its partial results have a type of their own."""

    start: Callable[[Any], Any]
    """Make a partial result of one stored value, which may be null."""
    combine: Callable[[Iterable[Any]], Any]
    """Combine any number of partial results into one."""
    result: Callable[[Any], Stored]
    """Return the aggregate as it is stored; None if it cannot be computed."""


def aggregator_for(aggregate: Aggregate, values: AttributeType, result: AttributeType) -> Aggregator:
    """Return the aggregator for values of one type, with results of another type."""
    return _AGGREGATORS[aggregate](values, result)


def _count(_: AttributeType, result: AttributeType) -> Aggregator:
    return Aggregator(_count_one, sum, partial(_stored, result))


def _sum(_: AttributeType, result: AttributeType) -> Aggregator:
    return Aggregator(_decimal, exact_sum, lambda total: _stored(result, _real(_REAL.plus, total)))


def _average(_: AttributeType, result: AttributeType) -> Aggregator:
    return Aggregator(
        lambda value: (_decimal(value), _count_one(value)),
        lambda several: _add_pairs(list(several)),
        lambda both: _stored(result, _real(_REAL.divide, *both)),
    )


def _minimum(values: AttributeType, _: AttributeType) -> Aggregator:
    key = _order_key(values)
    return Aggregator(
        _identity, lambda several: min(_without_nulls(several), key=key, default=None), _identity
    )


def _maximum(values: AttributeType, _: AttributeType) -> Aggregator:
    key = _order_key(values)
    return Aggregator(
        _identity, lambda several: max(_without_nulls(several), key=key, default=None), _identity
    )


def _order_key(values: AttributeType) -> Callable[[Any], Any]:
    """Return the key by which values have a first and a last one. Texts that fold alike differ by it, too."""
    folding = values.folding
    return values.sort_key if folding is None else lambda text: (folding.fold(text), text)


_AGGREGATORS: Mapping[Aggregate, Callable[[AttributeType, AttributeType], Aggregator]] = {
    Aggregate.COUNT: _count,
    Aggregate.SUM: _sum,
    Aggregate.MIN: _minimum,
    Aggregate.MAX: _maximum,
    Aggregate.AVG: _average,
}


def _identity(value: Any) -> Any:
    return value


def exact_sum(values: Iterable[Decimal], start: Decimal = Decimal(0)) -> Decimal:
    """Return the sum of Reals with all its digits."""
    return reduce(_EXACT.add, values, start)


def multiples(values: Iterable[Decimal], numbers: Iterable[int]) -> Iterator[Decimal]:
    """Yield each Real times its number, with all digits."""
    return map(_EXACT.multiply, values, map(Decimal, numbers))


def real_sum(total: Decimal) -> Stored:
    """Return an exact sum as a Real of 38 digits, None if it is out of range."""
    return _stored(_REAL_TYPE, _real(_REAL.plus, total))


def real_average(total: Decimal, number: int) -> Stored:
    """Return an exact sum divided by a number as a Real of 38 digits, None if there is none."""
    return _stored(_REAL_TYPE, _real(_REAL.divide, total, number))


def _count_one(value: Any) -> int:
    return int(value is not None)


def _decimal(value: Any) -> Decimal:
    return Decimal(0 if value is None else value)


def _without_nulls(several: Iterable[Any]) -> list[Any]:
    return [value for value in several if value is not None]


def _add_pairs(several: list[tuple[Decimal, int]]) -> tuple[Decimal, int]:
    return exact_sum(total for total, _ in several), sum(number for _, number in several)


def _real(calculate: Callable[..., Decimal], *numbers: Decimal | int) -> Decimal | None:
    """Return a number as a Real; None for an overflow, an underflow or a division by zero."""
    try:
        return calculate(*map(Decimal, numbers))
    except DecimalException:
        return None


def _stored(type_: AttributeType, number: Decimal | int | None) -> Stored:
    """Return a number as a type stores it; None if the type cannot hold it."""
    if isinstance(number, Decimal) and type_.storage.python_type is int:
        number = int(number)
    try:
        return None if number is None else type_.read(number, DEFAULT_FORMATS)
    except InvalidValue:
        return None
