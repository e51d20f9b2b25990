"""The slices of an index that several comparisons with one attribute leave."""

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query.filter import And, Comparison
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.query.filter_analysis import ColumnRange, index_constraints, selectivity
from tests.core.store.stores import fresh_class
from tests.rows import each_row

CLASS = fresh_class()
NUMBERS = st.lists(st.integers(0, 12) | st.none(), max_size=8).map(tuple)
COMPARISONS = st.one_of(
    st.builds(Comparison, st.just("count"), st.just(Operator.IN), NUMBERS),
    st.builds(
        Comparison,
        st.just("count"),
        st.sampled_from([Operator.LT, Operator.LTE, Operator.GT, Operator.GTE]),
        st.integers(0, 12),
    ),
    st.builds(
        Comparison, st.just("count"), st.sampled_from([Operator.NULL, Operator.NOT_NULL]), st.booleans()
    ),
)


def ranges(*comparisons: Comparison) -> list[ColumnRange]:
    return list(index_constraints(And(comparisons), CLASS)["count"].ranges)


@given(COMPARISONS, COMPARISONS)
def test_the_ranges_of_two_comparisons_are_the_intersections_of_each_pair(
    one: Comparison, other: Comparison
) -> None:
    pairs = [(left, right) for left in ranges(one) for right in ranges(other)]
    met = [
        ColumnRange(
            max(left.low, right.low),
            min(left.high, right.high),
            left.is_single_value or right.is_single_value,
        )
        for left, right in pairs
    ]
    assert ranges(one, other) == sorted(each for each in met if each.low < each.high)


def test_long_lists_are_intersected_in_linear_time() -> None:
    """Comparing each value with each other would take a hundred million comparisons."""
    numbers = [Comparison("count", Operator.IN, tuple(range(first, first + 10_000))) for first in (0, 9_990)]

    assert len(ranges(*numbers)) == 10


@each_row("operator", [Operator.IN, Operator.NOT_IN])
def test_a_repeated_value_does_not_change_the_estimated_share(operator: Operator) -> None:
    once, repeated = (Comparison("count", operator, values) for values in ((1, 2), (1, 2, 1, 1)))

    assert selectivity([once], CLASS) == selectivity([repeated], CLASS)
