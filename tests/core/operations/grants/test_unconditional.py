"""Grants without conditions: a reader needs no hidden objects, and shows what it would show with them."""

from typing import Any

from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.objects.change import Deletion, EffectIndex, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import ALL_IDS, Query
from stratabase.core.model.model_expressions import evaluation_context
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from tests.fakes import DictEntities, request_of
from tests.rows import each_row

MODEL = read_model(
    """
    extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
      @profile(name: "Clerk", access: READ)
    type Order {
      number: Int
      price: Int @grant(profile: "Clerk", allow: [])
      label: String @derived(expression: "'number ' + string(number)")
      total: String @derived(expression: "string(price)") @grant(profile: "Clerk", allow: [])
      lines: [Line!] @composition
      notes: [Note!] @composition @grant(profile: "Clerk", allow: [])
      customers: [Customer!] @association
      rivals: [Customer!] @association @grant(profile: "Clerk", allow: [])
    }
    type Line { text: String  cost: Int @grant(profile: "Clerk", allow: []) }
    type Note { text: String }
    type Customer { name: String }
    type Secret @grant(profile: "Clerk", allow: []) { text: String }
    """,
    "shop.graphql",
)
CLERK = evaluation_context({"profile": "Clerk"})
FIRST, SECOND, THIRD = (Reference("Order", id_) for id_ in ("o1", "o2", "o3"))
ALL = [
    FIRST,
    SECOND,
    THIRD,
    *(Reference("Line", id_) for id_ in ("l1", "l2", "none")),
    Reference("Note", "n1"),
    Reference("Customer", "c1"),
    Reference("Secret", "s1"),
]


def filled() -> DictEntities:
    entities = DictEntities(MODEL)
    orders: dict[str, State] = {
        "o1": {"number": 1, "price": 9, "lines": ["l1", "l2"], "notes": ["n1"]},
        "o2": {"number": 2, "price": 8},
        "o3": {"number": 3, "price": 7},
    }
    entities.fill(
        {
            "Order": orders,
            "Line": {id_: {"text": id_, "cost": 5, "Order_lines": "o1"} for id_ in ("l1", "l2")},
            "Note": {"n1": {"text": "n", "Order_notes": "o1"}},
            "Customer": {id_: {"name": id_} for id_ in ("c1", "c2")},
            "Secret": {"s1": {"text": "s"}},
        },
        [("Order", "customers", "o1", "c1"), ("Order", "rivals", "o1", "c2")],
    )
    return entities


def pending_write(entities: DictEntities) -> PendingWrite:
    """Return a write that changes the first order, and deletes the second one."""
    before, gone = entities.objects[FIRST], entities.objects[SECOND]
    after = Entity(FIRST, {**before.state, "number": 5, "price": 6}, ("after",))
    return PendingWrite(EffectIndex((Modification(before, after), Deletion(gone)), MODEL))


def shown(reader: Reader) -> dict[str, Any]:
    """Return all that a reader shows."""
    states = {each.reference: each.state for each in reader.read(ALL) if each is not None}
    pages = [
        reader.page(Query(name, Order(), filter_)).items
        for name in ("Order", "Line", "Customer", "Secret")
        for filter_ in (None, Comparison("_id", Operator.NE, "o3"))
    ]
    label = Comparison("label", Operator.EQ, "number 3")
    pages.append(reader.page(Query("Order", Order(), label)).items)
    roles = [RoleName("Order", name) for name in ("customers", "rivals")]
    return {
        "states": states,
        "pages": [[(each.reference, each.state) for each in page] for page in pages],
        "links": [[*run(reader.load_links(role, ["o1", "o3"], ALL_IDS))] for role in roles],
        "role": [run(reader.shows(FIRST, name)) for name in ("lines", "notes", "price", "number")],
        "listed": [
            each.reference.id for each in run(reader.attached([*filter(None, reader.read(ALL[3:5]))]))
        ],
    }


@each_row("is_pending", [False, True])
def test_readers_with_and_without_hidden_objects_show_the_same(is_pending: bool) -> None:
    access = access_of(MODEL, "Clerk")
    assert access is not None
    assert access.is_unconditional
    found = []
    for is_unconditional in (True, False):
        access.__dict__["is_unconditional"] = is_unconditional
        entities = filled()
        pending = pending_write(entities) if is_pending else None
        found.append(shown(Reader(request_of(MODEL, entities, CLERK), pending=pending)))
    access.__dict__["is_unconditional"] = True
    assert found[0] == found[1]
    states = found[0]["states"]
    assert (states.get(SECOND) is None) is is_pending
    assert {"price", "notes", "cost"}.isdisjoint({name for state in states.values() for name in state})
    assert found[0]["role"] == [True, False, False, True]
    assert states[FIRST]["number"] == (5 if is_pending else 1)
    assert {each.class_name for each in states} == {"Order", "Line", "Customer"}
    assert found[0]["listed"] == ["l1", "l2"]
