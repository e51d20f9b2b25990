"""Administrators see plans in the names of the model, with the index that would help."""

from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.query.taken_plan import AdvisedIndex, TakenPlan
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.query.named_plans import record_named_plans
from stratabase.core.store.query.planner import record_plans
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import unlimited_budget

MODEL = read_model(
    """extend schema @application(name: "Zoo") @profile(name: "Boss", administrator: true)
    type Animal @renamed(from: "Pet") @index(attributes: ["born"]) {
      called: String @renamed(from: "name")
      born: Int
    }""",
    "zoo.graphql",
)


def taken(query: Query) -> tuple[TakenPlan, TakenPlan]:
    """Return the plan of a page in the names of the model, and in those of the store."""
    animals = open_repository(ReferenceEngine(), MODEL)
    stored: list[TakenPlan] = []
    named: list[TakenPlan] = []
    with record_plans(stored.append), record_named_plans(MODEL, named.append):
        animals.page(query, unlimited_budget())
    assert len(stored) == len(named) == 1
    return named[0], stored[0]


def test_the_index_that_would_help_has_the_names_of_the_model() -> None:
    named, stored = taken(Query("Animal", Order((OrderTerm("called"), OrderTerm("_id")))))
    assert named == TakenPlan("Animal", stored.description, AdvisedIndex("Animal", ("called",)))
    assert (stored.class_name, stored.advised_index) == ("Pet", AdvisedIndex("Pet", ("name",)))
    assert stored.description == "read all objects of the class, and sort the matches"


def test_an_index_of_the_model_needs_no_advice() -> None:
    for query in (
        Query("Animal", Order((OrderTerm("born"), OrderTerm("_id")))),
        Query("Animal", Order(), Comparison("born", Operator.EQ, 7)),
        Query("Animal", Order()),
    ):
        named, _ = taken(query)
        assert named.advised_index is None, query
