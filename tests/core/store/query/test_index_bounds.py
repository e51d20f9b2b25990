"""The ranges of an index that contain all matches have no end that the engine would compare in vain."""

from stratabase.core.domain.query.filter import And, Comparison
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.layout.access_path import AccessPath, Column
from stratabase.core.store.query.filter_analysis import index_constraints
from stratabase.core.store.query.index_bounds import index_bounds
from tests.core.store.stores import fresh_class
from tests.rows import each_row

CLASS = fresh_class()
BY_NAME = AccessPath("index2", "Thing#1", (Column("name", "String"), Column("code", "String")))
NAME_A = Comparison("name", Operator.EQ, "A")


@each_row(
    ("comparisons", "has_low", "has_high"),
    [
        ([Comparison("name", Operator.GTE, "B")], True, False),
        ([Comparison("name", Operator.GT, "B")], True, False),
        ([Comparison("name", Operator.NOT_NULL, True)], True, False),
        ([Comparison("name", Operator.LT, "B")], True, True),
        ([Comparison("name", Operator.GTE, "B"), Comparison("name", Operator.LTE, "C")], True, True),
        ([NAME_A], True, True),
        ([NAME_A, Comparison("code", Operator.GTE, "B")], True, True),
    ],
)
def test_a_range_up_to_the_last_value_of_the_first_column_has_no_end(
    comparisons: list[Comparison], has_low: bool, has_high: bool
) -> None:
    (range_,) = index_bounds(BY_NAME, index_constraints(And(tuple(comparisons)), CLASS)).ranges
    assert (range_.low is not None, range_.high is not None) == (has_low, has_high)
