"""Pages with derived attributes: stored values are looked up, derived values are computed."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Filter, Not, Or
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.attribute import Attribute, Derivation, Origin
from stratabase.core.model.model import Class, Index
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import EMPTY_CONTEXT, Environment
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.models import model
from tests.rows import each_row

LARGE = "n" * 34_000
BY_ID = Order.of([])
SECOND = Comparison("second", Operator.EQ, 1)
"""Of a derived attribute."""
KEPT = Comparison("name", Operator.EQ, "a")


def with_second(class_: Class, *, derived: bool = True) -> Class:
    """Return a class with one more attribute, a derived one."""
    derivation = Derivation("count % 2") if derived else None
    origin = Origin.DERIVED if derived else Origin.NATIVE
    second = Attribute("second", TYPES["Int"], origin=origin, derivation=derivation)
    return replace(class_, attributes=MappingProxyType({**class_.attributes, "second": second}))


class Derived(Store):
    """A store whose objects have a derived attribute; notes of how many at a time it was computed."""

    def __init__(self, size: int, engine: ReferenceEngine | None = None, **state: Any) -> None:
        indexes = [("name", "count")]
        super().__init__(engine or WatchedEngine(), with_second(fresh_class(indexes=indexes)))
        self.computed: list[int] = []
        self.fill(
            {"_id": f"{number:04}", "count": number, "name": "ab"[number // 2 % 2], **state}
            for number in range(size)
        )

    def derive(self, entities: Sequence[Entity]) -> Sequence[Entity]:
        self.computed.append(len(entities))
        counts: list[Any] = [entity.state["count"] for entity in entities]
        return [
            replace(entity, state={**entity.state, "second": count % 2})
            for entity, count in zip(entities, counts, strict=True)
        ]

    def shown(self, query: Query, budget: ReadBudget | None = None) -> Page:
        asked = replace(query, class_name=self.class_.name)
        return self.entities.page(asked, budget or unlimited_budget(), self.derive)


def ids(page: Page) -> list[int]:
    return [int(entity.reference.id) for entity in page.items]


def test_values_are_computed_in_hundreds_until_the_page_is_full() -> None:
    store = Derived(450)
    page = store.shown(Query("", BY_ID, SECOND, Window(60), PageFields(items=True, has_next=True)))
    assert ids(page) == list(range(1, 120, 2))
    assert page.has_next is True
    assert store.computed == [100, 100]
    assert page.items[0].state["second"] == 1


def test_counting_computes_values_once_for_all_objects() -> None:
    store = Derived(250)
    page = store.shown(Query("", BY_ID, SECOND, Window(3), PageFields(items=True, total_count=True)))
    assert (ids(page), page.total_count) == ([1, 3, 5], 125)
    assert store.computed == [100, 100, 50]


def test_values_are_computed_only_for_objects_that_pass_the_stored_part_of_a_filter() -> None:
    """An index looks that part up."""
    store = Derived(100)
    engine = store.entities._engine
    assert isinstance(engine, WatchedEngine)
    engine.items_read = 0
    page = store.shown(
        Query("", Order.of([OrderTerm("count", descending=True)]), And((KEPT, SECOND)), Window(100))
    )
    assert ids(page) == list(range(97, 0, -4))
    assert store.computed == [50]
    assert engine.items_read == 50


@each_row(
    "filter_",
    [
        Or((KEPT, SECOND)),
        Not(SECOND),
        And((KEPT, Or((SECOND, Not(KEPT))))),
        And((Not(And((KEPT, SECOND))), SECOND)),
    ],
)
def test_filters_may_mix_stored_and_derived_attributes(filter_: Filter) -> None:
    store = Derived(40)
    states = [each.state for each in store.derive(store.shown(Query("", BY_ID, None, Window(40))).items)]
    expected = [int(str(state["_id"])) for state in states if _holds(filter_, state)]
    assert ids(store.shown(Query("", BY_ID, filter_, Window(40)))) == expected


def _holds(filter_: Filter, state: Any) -> bool:
    match filter_:
        case And(parts):
            return all(_holds(part, state) for part in parts)
        case Or(parts):
            return any(_holds(part, state) for part in parts)
        case Not(part):
            return not _holds(part, state)
        case Comparison(attribute, _, operand):
            return bool(state[attribute] == operand)
    raise AssertionError(filter_)


def test_conditions_over_stored_attributes_need_no_derived_values() -> None:
    """They are evaluated when an object is read, without further reads."""
    store = Derived(20)
    expression = expressions_of(model(store.class_)).filter(store.class_.name, "count > 15 && name == 'b'")
    page = store.page(Query("", BY_ID, ExpressionFilter(expression, EMPTY_CONTEXT)))
    assert ids(page) == [18, 19]
    assert store.computed == []


def test_an_index_of_a_formerly_stored_attribute_is_not_used() -> None:
    """Neither to find objects by, nor to put them in order."""
    engine = ReferenceEngine()
    plain = replace(with_second(fresh_class(), derived=False), indexes=(Index(("second",)),))
    Store(engine, plain).fill({"_id": f"{n:04}", "count": n, "second": 10 - n} for n in range(10))
    store = Derived(0, engine)
    store.class_ = with_second(plain)
    store.entities = Store(engine, store.class_).entities
    assert ids(store.shown(Query("", BY_ID, SECOND))) == [1, 3, 5, 7, 9]
    by_second = Order.of([OrderTerm("second", descending=True)])
    assert ids(store.shown(Query("", by_second, None, Window(6)))) == [1, 3, 5, 7, 9, 0]


def small() -> ReadBudget:
    """Return an allowance whose time stands still."""
    return ReadBudget(2 * MEGABYTE, 1, clock=lambda: 0.0)


@each_row(
    ("query", "remedy"),
    [
        (Query("", BY_ID, Comparison("second", Operator.EQ, 7)), Hint(derived=("second",))),
        (Query("", Order.of([OrderTerm("second")])), Hint(derived=("second",))),
        (
            Query("", Order.of([OrderTerm("second")]), Comparison("vintage", Operator.NULL, True)),
            Hint(("vintage",), derived=("second",)),
        ),
        (
            Query("", BY_ID, SECOND, fields=PageFields(total_count=True)),
            Hint(costly=("totalCount",), derived=("second",)),
        ),
    ],
)
def test_a_refusal_says_that_no_index_has_derived_attributes(query: Query, remedy: Hint) -> None:
    store = Derived(70, notes=LARGE)
    with pytest.raises(ReadBudgetExceeded) as refusal:
        store.shown(query, small())
    assert refusal.value.hint == remedy
    assert "Derived attributes, such as second, aren't indexed" in str(refusal.value)


def test_reads_for_values_count_towards_the_same_budget() -> None:
    """The refusal is that of the page, whatever was read last."""

    class Reading(Derived):
        def derive(self, entities: Sequence[Entity]) -> Sequence[Entity]:
            raise ReadBudgetExceeded("Other")

    store = Reading(5)
    with pytest.raises(ReadBudgetExceeded) as refusal:
        store.shown(Query("", BY_ID, SECOND))
    assert (refusal.value.class_name, refusal.value.objects_read) == (store.class_.name, 5)
    assert refusal.value.hint.derived == ("second",)


def test_slow_conditions_stop_when_the_request_times_out() -> None:
    """All objects were read at once. Each evaluation takes a tenth of a second."""
    store = Derived(1000, ReferenceEngine())
    now = [0.0]

    def ponder(_: Environment) -> bool:
        now[0] += 0.1
        return False

    expression = expressions_of(model(store.class_)).filter(store.class_.name, "count > 15")
    slow = ExpressionFilter(replace(expression, evaluator=ponder), EMPTY_CONTEXT)
    for filter_ in (slow, Not(And((KEPT, Or((slow,))))), And((SECOND, slow))):
        budget, began = ReadBudget(MEGABYTE, 10, clock=lambda: now[0]), now[0]
        with pytest.raises(ReadBudgetExceeded):
            store.shown(Query("", BY_ID, filter_, Window(1000)), budget)
        assert now[0] - began < 16
