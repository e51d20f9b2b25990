"""Derived attributes in queries."""

from stratabase.core.domain.query.derived import Computed, computed_parts, simplify, split_filter
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Filter, FlagFilter, Not, Or
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import EMPTY_CONTEXT
from tests.rows import each_row

MODEL = read_model(
    """extend schema @application(name: "A")
    type Thing { size: Int  name: String
      twice: Int @derived(expression: "size + size")  loud: String @derived(expression: "name + '!'") }
    """,
    "model",
)
THING = MODEL.classes["Thing"]
KEPT, TWICE = Comparison("size", Operator.EQ, 1), Comparison("twice", Operator.EQ, 1)
ID = Comparison("_id", Operator.EQ, "a")
MARK = FlagFilter(".mark")


def holds(text: str) -> ExpressionFilter:
    return ExpressionFilter(expressions_of(MODEL).filter("Thing", text), EMPTY_CONTEXT)


PLAIN, LOUD = holds("size > 1 && _id != 'a'"), holds("size > 1 || loud == 'a'")


@each_row(
    ("filter_", "names", "kept", "derived"),
    [
        (None, (), None, None),
        (KEPT, (), KEPT, None),
        (TWICE, ("twice",), None, TWICE),
        (PLAIN, (), PLAIN, None),
        (LOUD, ("loud",), None, LOUD),
        (And((KEPT, TWICE, ID)), ("twice",), And((KEPT, ID)), TWICE),
        (And((KEPT, And((LOUD, PLAIN)))), ("loud",), And((KEPT, PLAIN)), LOUD),
        (Or((KEPT, TWICE)), ("twice",), None, Or((KEPT, TWICE))),
        (And((Not(TWICE), Not(KEPT), LOUD)), ("twice", "loud"), Not(KEPT), And((Not(TWICE), LOUD))),
        (And(()), (), None, None),
    ],
)
def test_derived_attributes_in_filters_are_found(
    filter_: Filter | None, names: tuple[str, ...], kept: Filter | None, derived: Filter | None
) -> None:
    assert split_filter(filter_, THING) == (kept, derived)
    assert computed_parts(Query("Thing", Order(), filter_), THING) == Computed(names)


@each_row("filter_", [MARK, Not(MARK), Or((KEPT, MARK)), Not(And((KEPT, Not(MARK))))])
def test_marks_are_tested_after_they_were_computed(filter_: Filter) -> None:
    assert split_filter(filter_, THING) == (None, filter_)
    assert split_filter(And((KEPT, filter_)), THING) == (KEPT, filter_)


def test_derived_attributes_in_orders_are_found() -> None:
    order = Order.of([OrderTerm("size"), OrderTerm("loud"), OrderTerm("twice", descending=True)])
    assert computed_parts(Query("Thing", order, LOUD), THING) == Computed(("loud", "twice"))


def test_a_query_for_only_a_count_needs_no_order() -> None:
    window = Window(3, start=Position(("a",)))
    query = Query(
        "Thing", Order.of([OrderTerm("loud")]), TWICE, window, PageFields(items=False, total_count=True)
    )
    assert computed_parts(simplify(query), THING) == Computed(("twice",))
    for wanted in (
        PageFields(),
        PageFields(items=False, has_next=True),
        PageFields(items=False, has_prev=True),
    ):
        other = Query("Thing", query.order, TWICE, window, wanted)
        assert simplify(other) is other
