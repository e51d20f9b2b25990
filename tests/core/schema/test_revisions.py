"""`_revision` and `ifRevision`: no client overwrites what it has not read."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget

MODEL = read_model(
    """
    extend schema @application(name: "Orders")
      @profile(name: "Administrator", administrator: true)
      @profile(name: "Clerk")
    type Order
      @class(versioned: true, platform: [LAST_MODIFIED_BY])
      @grant(profile: "Clerk", allow: [READ, EDIT]) {
      name: String
      total: Real
      lines: [Line!] @composition(whole: "order_")
      tags: [Tag!] @association(opposite: "orders")
      _secret: String
    }
    type Line { text: String }
    type Tag { name: String  orders: [Order!] @association(opposite: "tags") }
    type Settings @class(kind: SINGLETON) { theme: String }
    type Search @class(kind: FORM) { text: String }
    """.replace("_secret: String", 'secret: String @grant(profile: "Clerk", allow: [])'),
    "orders.graphql",
)
NOON_AND_1_MS = '"2020-01-01T12:00:00.001Z"'
CLERK = Caller("c1", "clerk", "Clerk")


class Orders:
    """The GraphQL API of orders."""

    def __init__(self, engine: Engine, model: Model = MODEL) -> None:
        self.clock = FrozenClock()
        self.caller = ADMINISTRATOR
        entities = Repository(engine, model, now=self.clock.now)
        services = Services(model, entities, self.clock, CountedIds(), unlimited_budget)
        self.executors = [
            SchemaExecutor(services, _failed, compile_answers=compiled) for compiled in (True, False)
        ]

    def body(self, query: str, key: str | None = None, **variables: Any) -> Any:
        """Return the response to a request."""
        self.clock.instant += 1
        read_key = None if key is None else lambda: IdempotencyKey(key, "fingerprint")
        executor = self.executors[self.clock.instant % 2]
        answer = executor.execute(query, variables, None, self.caller, "trace", read_key=read_key)
        return json.loads(answer.body)

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of the only field of a response without errors."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def refused(self, query: str, key: str | None = None, **variables: Any) -> Any:
        """Return the extensions and the message of the only error of a refused request."""
        body = self.body(query, key, **variables)
        (error,) = body["errors"]
        assert error["extensions"]["issueType"] == "ENTITY_LOCK_PERSIST", error
        return {**error["extensions"], "message": error["message"]}

    def order(self) -> Any:
        """Create an order with a line, and return it."""
        data = {"name": "o", "lines": [{"text": "a"}]}
        return self.ask(CREATE, data=data)

    def read(self, id_: str) -> Any:
        return self.ask(f"query($id: ID!) {{ Order___get(_id: $id) {{ {ORDER} }} }}", id=id_)


def _failed(error: BaseException, _: str) -> None:
    raise error


ORDER = "_id name _revision lines { items { _id text _revision } }"
CREATE = f"mutation($data: OrderCreate!) {{ Order___create(data: $data) {{ {ORDER} }} }}"
UPDATE = (
    "mutation($data: OrderUpdate!, $revision: ID) "
    f"{{ Order___update(data: $data, ifRevision: $revision) {{ {ORDER} }} }}"
)
LINE = "{update: [{_id: $line, text: $text, _ifRevision: $revision}]}"
UPDATE_LINE = (
    "mutation($id: ID!, $line: ID!, $text: String, $revision: ID) "
    f"{{ Order___update(data: {{_id: $id, lines: {LINE}}}) {{ {ORDER} }} }}"
)


@pytest.fixture(params=["sqlite", "reference"])
def orders(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Orders]:
    engine = SqliteEngine(tmp_path / "store.db") if request.param == "sqlite" else ReferenceEngine()
    with closing(engine):
        yield Orders(engine)


def test_a_write_changes_the_revision_of_what_it_changes(orders: Orders) -> None:
    order = orders.order()
    (line,) = order["lines"]["items"]
    assert orders.read(order["_id"]) == order

    changed = orders.ask(UPDATE, data={"_id": order["_id"], "name": "new"}, revision=order["_revision"])
    assert changed["_revision"] != order["_revision"]
    assert changed["lines"] == order["lines"]

    text = {"text": "b", "revision": line["_revision"]}
    later = orders.ask(UPDATE_LINE, id=order["_id"], line=line["_id"], **text)
    assert later["_revision"] == changed["_revision"]
    assert later["lines"]["items"][0]["_revision"] != line["_revision"]
    assert orders.read(order["_id"]) == later


def test_nothing_but_a_change_of_values_changes_the_revision(orders: Orders) -> None:
    order = orders.order()
    tag = orders.ask('mutation { Tag___create(data: {name: "t"}) { _id _revision } }')
    lock = "mutation($id: ID!) { lock(locks: [{entityName: Order, _id: $id}]) { locked } }"
    orders.ask(lock, id=order["_id"])
    data = {"_id": order["_id"], "name": "o", "tags": {"add": [tag["_id"]]}}
    assert orders.ask(UPDATE, data=data, revision=order["_revision"])["_revision"] == order["_revision"]
    again = orders.ask("query($id: ID!) { Tag___get(_id: $id) { _id _revision } }", id=tag["_id"])
    assert again == tag


def test_pages_and_roles_show_the_revision(orders: Orders) -> None:
    order = orders.order()
    page = "{ Order___getPage(options: {filter_exp: \"name == 'o'\"}) { items { _id _revision } } }"
    expected = {"_id": order["_id"], "_revision": order["_revision"]}
    assert orders.ask(page)["items"] == [expected]
    tag = (
        'mutation($id: ID!) { Tag___create(data: {name: "t", orders: [$id]}) '
        "{ orders { items { _id _revision } } } }"
    )
    assert orders.ask(tag, id=order["_id"])["orders"]["items"] == [expected]
    tags = orders.ask("{ Tag___getPage { items { _revision } } }")["items"]
    assert [each["_revision"] is not None for each in tags] == [True]


def test_a_closed_version_has_no_revision(orders: Orders) -> None:
    order = orders.order()
    changed = orders.ask(UPDATE, data={"_id": order["_id"], "name": "new"})
    query = "query($id: ID!) { Order___getVersionPage(_id: $id) { items { name _revision } } }"
    assert orders.ask(query, id=order["_id"])["items"] == [
        {"name": "o", "_revision": None},
        {"name": "new", "_revision": changed["_revision"]},
    ]


def test_another_revision_is_refused_with_the_object_as_it_is_now(orders: Orders) -> None:
    order = orders.order()
    current = orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    data = {"_id": order["_id"], "name": "mine"}

    refused = orders.refused(UPDATE, data=data, revision=order["_revision"])
    assert refused["current"] == current
    assert refused["sourceRequestReference"] == "Order___update.ifRevision"
    assert refused["message"] == (
        f'Order "{order["_id"]}" has changed since the revision that you sent as ifRevision. ada '
        "last changed it on 01/01/2020 12:00. Read it again, and then send its new _revision."
    )
    assert orders.refused(UPDATE, "key", data=data, revision=order["_revision"])["current"] == current
    assert orders.refused(UPDATE, "key", data=data, revision=order["_revision"])["current"] == current
    assert orders.read(order["_id"]) == current
    assert orders.ask(UPDATE, data=data, revision=current["_revision"])["name"] == "mine"


def test_another_revision_of_a_part_is_refused_with_the_whole(orders: Orders) -> None:
    order = orders.order()
    (line,) = order["lines"]["items"]
    which = {"id": order["_id"], "line": line["_id"]}
    current = orders.ask(UPDATE_LINE, text="theirs", **which)

    refused = orders.refused(UPDATE_LINE, text="mine", revision=line["_revision"], **which)
    assert refused["current"] == current
    path = "Order___update.data.lines.update.0._ifRevision"
    assert (refused["sourceRequestReference"], refused["entityName"]) == (path, "Line")
    assert orders.read(order["_id"]) == current
    (now,) = current["lines"]["items"]
    assert orders.ask(UPDATE_LINE, text="mine", revision=now["_revision"], **which)["lines"]["items"] != []


@pytest.mark.parametrize(
    "field",
    [
        "r: Order___delete(_id: $id, ifRevision: $revision) { deleted }",
        'r: Order___save(data: {_id: $id, name: "x"}, ifRevision: $revision) { name }',
        f"r: Order___restoreVersion(_id: $id, atVersion: {NOON_AND_1_MS}, ifRevision: $revision) {{ name }}",
    ],
)
def test_every_write_of_one_object_takes_a_revision(orders: Orders, field: str) -> None:
    order = orders.order()
    now = orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    query = f"mutation($id: ID!, $revision: ID) {{ {field} }}"
    refused = orders.refused(query, id=order["_id"], revision=order["_revision"])
    expected = None if "delete" in field else {"name": "theirs"}
    assert refused.get("current") == expected
    assert orders.read(order["_id"]) == now
    done = orders.ask(query, id=order["_id"], revision=now["_revision"])
    assert done in ({"deleted": True}, {"name": "x"}, {"name": "o"})


@pytest.mark.parametrize("service", ["previewUpdate(data: {", "preview(data: {"])
def test_a_preview_tells_that_the_revision_is_another_one(orders: Orders, service: str) -> None:
    order = orders.order()
    orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    field = f'Order___{service} _id: $id, name: "mine"}}, ifRevision: $revision) {{ name }}'
    query = f"query($id: ID!, $revision: ID) {{ {field} }}"
    body = orders.body(query, id=order["_id"], revision=order["_revision"])
    (error,) = body["errors"]
    assert error["extensions"]["current"] == {"name": "theirs"}
    assert [*body["data"].values()] == [{"name": "mine"}]


def test_null_is_no_condition_and_any_other_text_is_another_revision(orders: Orders) -> None:
    order = orders.order()
    data = {"_id": order["_id"], "name": "x"}
    assert orders.ask(UPDATE, data=data, revision=None)["name"] == "x"
    for revision in ("", "0", "x" * 1000, "\ud7ff", order["_revision"].upper() + "0"):
        orders.refused(UPDATE, data=data, revision=revision)


def test_a_missing_object_is_missing_whatever_the_revision(orders: Orders) -> None:
    body = orders.body(UPDATE, data={"_id": "none", "name": "x"}, revision="1")
    assert [error["extensions"]["issueType"] for error in body["errors"]] == ["ENTITY_NOT_FOUND"]
    assert orders.ask('mutation { Order___delete(_id: "none", ifRevision: "1") { deleted } }') == {
        "deleted": False
    }


def test_a_deleted_object_is_not_restored_with_a_revision(orders: Orders) -> None:
    order = orders.ask(CREATE, data={"name": "o"})
    orders.ask("mutation($id: ID!) { Order___delete(_id: $id) { deleted } }", id=order["_id"])
    restore = (
        "mutation($id: ID!, $revision: ID) { Order___restoreVersion(_id: $id, "
        'atVersion: "2020-01-01T12:00:00.001Z", ifRevision: $revision) { name } }'
    )
    refused = orders.refused(restore, id=order["_id"], revision=order["_revision"])
    assert refused["message"] == f'Order "{order["_id"]}" is deleted. To restore it, remove ifRevision.'
    assert orders.ask(restore, id=order["_id"]) == {"name": "o"}


def test_a_new_object_or_part_takes_no_revision(orders: Orders) -> None:
    query = 'mutation { Order___save(data: {name: "x"}, ifRevision: "1") { _id } }'
    (error,) = orders.body(query)["errors"]
    assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
    order = orders.order()
    save = (
        'mutation($id: ID!) { Order___save(data: {_id: $id, lines: {save: [{text: "n", _ifRevision: "1"}]}}) '
        "{ _id } }"
    )
    (error,) = orders.body(save, id=order["_id"])["errors"]
    assert error["extensions"]["sourceRequestReference"] == "Order___save.data.lines.save.0._ifRevision"


def test_a_singleton_has_a_revision_before_its_first_write(orders: Orders) -> None:
    first = orders.ask("{ Settings___get { _revision } }")
    update = 'mutation($r: ID) { Settings___update(data: {theme: "x"}, ifRevision: $r) { theme _revision } }'
    written = orders.ask(update, r=first["_revision"])
    assert orders.refused(update, r=first["_revision"])["current"] == written


def test_a_message_does_not_say_who_changed_what_the_caller_may_not_know(orders: Orders) -> None:
    order = orders.order()
    orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    orders.caller = CLERK
    update = (
        'mutation($id: ID!, $r: ID) { Order___update(data: {_id: $id, name: "x"}, ifRevision: $r) { name } }'
    )
    refused = orders.refused(update, id=order["_id"], r=order["_revision"])
    assert refused["current"] == {"name": "theirs"}
    assert "ada last changed" in refused["message"]


def test_forms_and_members_have_no_revision(orders: Orders) -> None:
    types = orders.ask("{ __schema { types { name fields { name } } } }")["types"]
    fields = {each["name"]: {one["name"] for one in each["fields"] or ()} for each in types}
    found = {name for name, names in fields.items() if "_revision" in names}
    assert found == {"Order", "Line", "Tag", "Settings"}


LOCK = "mutation($id: ID!) { lock(locks: [{entityName: Order, _id: $id}]) { locked } }"


def test_a_repeated_write_with_a_revision_is_answered_as_the_first_time(orders: Orders) -> None:
    order = orders.order()
    data = {"_id": order["_id"], "name": "mine"}
    first = orders.body(UPDATE, "key", data=data, revision=order["_revision"])
    assert first["data"]["Order___update"]["name"] == "mine"
    # Its own write has changed the revision, and then somebody else has.
    assert orders.body(UPDATE, "key", data=data, revision=order["_revision"]) == first
    theirs = orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    assert orders.body(UPDATE, "key", data=data, revision=order["_revision"]) == first
    assert orders.read(order["_id"]) == theirs
    # Without the key, it would be refused.
    assert orders.refused(UPDATE, data=data, revision=order["_revision"])["current"] == theirs


def test_a_refused_write_with_a_key_can_be_sent_again_with_the_new_revision(orders: Orders) -> None:
    order = orders.order()
    theirs = orders.ask(UPDATE, data={"_id": order["_id"], "name": "theirs"})
    data = {"_id": order["_id"], "name": "mine"}
    orders.refused(UPDATE, "first", data=data, revision=order["_revision"])
    done = orders.body(UPDATE, "second", data=data, revision=theirs["_revision"])
    assert done["data"]["Order___update"]["name"] == "mine"
    orders.refused(UPDATE, "first", data=data, revision=order["_revision"])


def test_a_lock_and_a_revision_are_both_conditions(orders: Orders) -> None:
    order = orders.order()
    orders.ask(LOCK, id=order["_id"])
    # The holder of the lock still overwrites nothing that was read before another write of the same member.
    mine = orders.ask(UPDATE, data={"_id": order["_id"], "name": "mine"}, revision=order["_revision"])
    orders.refused(UPDATE, data={"_id": order["_id"], "name": "late"}, revision=order["_revision"])
    # The right revision opens no lock of another member.
    orders.caller = CLERK
    update = "mutation($d: OrderUpdate!, $r: ID) { Order___update(data: $d, ifRevision: $r) { name } }"
    for revision in (mine["_revision"], order["_revision"]):
        body = orders.body(update, d={"_id": order["_id"], "name": "theirs"}, r=revision)
        found = [error["message"] for error in body["errors"]]
        assert any(f'Order "{order["_id"]}" is locked by ada' in each for each in found), found
    orders.caller = ADMINISTRATOR
    assert orders.read(order["_id"]) == mine


BANK = read_model(
    """
    extend schema @application(name: "Bank") @profile(name: "Administrator", administrator: true)
    type Account
      @warning(name: "overdrawn", condition: "balance < 0", message: "Overdrawn.", blocking: true) {
      name: String
      balance: Int @derived(path: "bookings.amount", aggregate: SUM)
      bookings: [Booking!] @association(opposite: "account")
    }
    type Booking { amount: Int  account: Account @association(opposite: "bookings") }
    """,
    "bank.graphql",
)


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Orders]:
    with closing(SqliteEngine(tmp_path / "bank.db")) as engine:
        yield Orders(engine, BANK)


def test_writes_that_a_rule_tests_leave_the_revision_of_the_tested_object(bank: Orders) -> None:
    account = bank.ask('mutation { Account___create(data: {name: "a"}) { _id _revision } }')
    book = (
        "mutation($id: ID!, $amount: Int) "
        "{ Booking___create(data: {amount: $amount, account: $id}) { _id _revision } }"
    )
    first = bank.ask(book, id=account["_id"], amount=5)
    second = bank.ask(book, id=account["_id"], amount=-3)
    rename = (
        "mutation($id: ID!, $r: ID) "
        '{ Account___update(data: {_id: $id, name: "b"}, ifRevision: $r) { balance _revision } }'
    )
    renamed = bank.ask(rename, id=account["_id"], r=account["_revision"])
    assert renamed["balance"] == 2
    assert renamed["_revision"] != account["_revision"]

    # A write with a revision is tested by the rule, and refused writes change no revision.
    change = (
        "mutation($id: ID!, $amount: Int, $r: ID) "
        "{ Booking___update(data: {_id: $id, amount: $amount}, ifRevision: $r) { _revision } }"
    )
    overdrawn = bank.body(change, id=first["_id"], amount=1, r=first["_revision"])
    assert [each["message"] for each in overdrawn["errors"]] == ["Overdrawn."]
    changed = bank.ask(change, id=first["_id"], amount=4, r=first["_revision"])
    refused = bank.refused(change, id=first["_id"], amount=9, r=first["_revision"])
    assert refused["current"] == changed
    assert bank.ask(change, id=second["_id"], amount=-1, r=second["_revision"])
