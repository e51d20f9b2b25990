"""Aggregates are exact in any order, and null without a result."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query.aggregate import aggregator_for
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.operators import Aggregate
from stratabase.values.formats.decimals import canonical_decimal
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.rows import each_row

INT, REAL, STRING = TYPES["Int"], TYPES["Real"], TYPES["String"]


def of(aggregate: Aggregate, values: list[Any], type_: Any, result: Any) -> Any:
    """Return an aggregate over stored values, merged from two halves."""
    tally = aggregator_for(aggregate, type_, result)
    middle = len(values) // 2
    halves = [tally.combine(map(tally.start, half)) for half in (values[:middle], values[middle:])]
    return tally.result(tally.combine(halves))


@each_row(
    ("aggregate", "values", "type_", "result", "expected"),
    [
        (Aggregate.COUNT, [], STRING, INT, 0),
        (Aggregate.COUNT, ["a", None, "a"], STRING, INT, 2),
        (Aggregate.SUM, [], INT, INT, 0),
        (Aggregate.SUM, [None], REAL, REAL, "0"),
        (Aggregate.SUM, [1, None, 2], INT, INT, 3),
        (Aggregate.SUM, [1, 2], INT, REAL, "3"),
        (Aggregate.SUM, [2**31 - 1, 1], INT, INT, None),
        (Aggregate.SUM, [2**31 - 1, 1], INT, REAL, "2147483648"),
        (Aggregate.SUM, ["0.1"] * 10, REAL, REAL, "1"),
        (Aggregate.SUM, ["9E+125"] * 2, REAL, REAL, None),
        (Aggregate.SUM, ["1E+125", "1E-130", "-1E+125"], REAL, REAL, "1E-130"),
        (Aggregate.AVG, [], INT, REAL, None),
        (Aggregate.AVG, [None], REAL, REAL, None),
        (Aggregate.AVG, [1, 2, None], INT, REAL, "1.5"),
        (Aggregate.AVG, [1, 1, 0], INT, REAL, "0." + "6" * 37 + "7"),
        (Aggregate.AVG, ["1E-130"] * 2 + ["0"], REAL, REAL, None),
        (Aggregate.MIN, [], INT, INT, None),
        (Aggregate.MIN, [None, 10, 9], INT, INT, 9),
        (Aggregate.MIN, ["10", "9", "-10"], REAL, REAL, "-10"),
        (Aggregate.MAX, ["10", "9", None], REAL, REAL, "10"),
        (Aggregate.MAX, ["a", "é", "Z"], STRING, STRING, "é"),
    ],
)
def test_each_aggregate_has_its_value(
    aggregate: Aggregate, values: list[Any], type_: Any, result: Any, expected: Any
) -> None:
    assert of(aggregate, values, type_, result) == expected


REALS = st.decimals(
    min_value=Decimal("-1E30"), max_value=Decimal("1E30"), allow_nan=False, allow_infinity=False, places=5
)


@given(st.lists(st.none() | REALS, max_size=20), st.randoms(use_true_random=False))
def test_sums_and_averages_are_exact(numbers: list[Decimal | None], chance: Any) -> None:
    values = [None if number is None else canonical_decimal(number) for number in numbers]
    chance.shuffle(values)
    there = [Fraction(number) for number in numbers if number is not None]
    total = of(Aggregate.SUM, values, REAL, REAL)
    assert total == REAL.read(f"{_decimal(sum(there, Fraction(0)))}", DEFAULT_FORMATS)
    average = of(Aggregate.AVG, values, REAL, REAL)
    assert average == (canonical_decimal(_decimal(sum(there, Fraction(0)) / len(there))) if there else None)


def _decimal(number: Fraction) -> Decimal:
    """Return a number rounded to 38 digits, half to even."""
    if not number:
        return Decimal(0)
    digits = 0
    while abs(number) >= Fraction(10) ** (digits + 1):
        digits += 1
    while abs(number) < Fraction(10) ** digits:
        digits -= 1
    last = Fraction(10) ** (digits - 37)
    return Decimal(f"{round(number / last)}E{digits - 37}")
