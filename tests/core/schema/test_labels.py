"""`_label`: a short text for each object, made of what the caller may read."""

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.model.model import Class, Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.read import labels
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.graph_api import OrderedIds
from tests.core.schema.users_api import ALL, ANNA, UsersApi
from tests.core.schema.users_api import MODEL as DESK
from tests.fakes import ADMINISTRATOR, DictEntities, FrozenClock, unlimited_budget

TEXT = """
extend schema @application(name: "Shop")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
  @profile(name: "Guest")

type Customer
  @class(versioned: true, label: "last_name + firstNotNull(' (' + nick + ')', '')")
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE], where: "isNull(secret)")
  @grant(profile: "Guest", allow: [READ, CREATE]) {
  last_name: String @grant(profile: "Guest", allow: [CREATE])
  nick: String @grant(profile: "Clerk", allow: [READ, CREATE, EDIT], where: "last_name != 'Lovelace'")
  secret: String @grant(profile: "Clerk", allow: [CREATE, EDIT])
  orders: [Order!] @association(opposite: "customer")
}

type Order
  @class(
    versioned: true
    label: "concat(firstNotNull(customer.last_name, 'Nobody'), ' ', placed_on, ' ', total)"
  )
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT])
  @grant(profile: "Guest", allow: [READ]) {
  placed_on: Date
  total: Real
  customer: Customer @association(opposite: "orders")
  lines: [Line!] @composition(whole: "order_")
}

type Line @class(label: "order_.customer.last_name + ': ' + text")
  @grant(profile: "Clerk", allow: [READ]) @grant(profile: "Guest", allow: [READ]) { text: String }

type Day @class(exposed: true, label: "day") @grant(profile: "Clerk", allow: [READ]) { day: Datetime }
type Local @class(label: "string(date(day))") @grant(profile: "Clerk", allow: [READ]) { day: Datetime }
type Coin @unique(attributes: ["code"]) @unique(attributes: ["name", "code"])
  @grant(profile: "Guest", allow: [READ]) {
  name: String!
  code: Int! @grant(profile: "Guest", allow: [])
}
type Plain { size: Int  note: String  name: String!  other: String! }
type Bare { size: Int }
type Search @class(kind: FORM, label: "concat('for ', text)") { text: String }
type Settings @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [READ]) { theme: String! }
"""
MODEL = read_model(TEXT, "shop.graphql")
CLERK = Caller("c1", "clerk", "Clerk", formats=Formats("dd.MM.yyyy", "HH:mm", "Pacific/Auckland", "it"))
GUEST = Caller("g1", "guest", "Guest")


class Shop:
    """The GraphQL API of a shop, with compiled answers and those of graphql-core in turns."""

    def __init__(self, engine: Engine, model: Model = MODEL) -> None:
        self.clock = FrozenClock()
        self.caller = ADMINISTRATOR
        entities = open_repository(engine, model)
        services = Services(model, entities, self.clock, OrderedIds(), unlimited_budget)
        self.executors = [
            SchemaExecutor(services, _failed, compile_answers=compiled) for compiled in (True, False)
        ]

    def body(self, query: str, **variables: Any) -> Any:
        """Return the response to a request. Both executors give the same one to a query."""
        self.clock.instant += 1000
        asked = (query, variables, None, self.caller, "trace")
        is_query = not query.startswith("mutation")
        answers = {each.execute(*asked).body for each in self.executors[: 1 + is_query]}
        (answer,) = answers
        return json.loads(answer)

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of the only field of a response without errors."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def issues(self, query: str, **variables: Any) -> list[Any]:
        """Return the extensions of the errors of a refused request."""
        return [each["extensions"] for each in self.body(query, **variables)["errors"]]

    def create(self, class_name: str, **data: Any) -> Any:
        """Create an object, and return its id and its label."""
        query = (
            f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id _label }} }}"
        )
        return self.ask(query, data=data)

    def label(self, class_name: str, id_: str) -> Any:
        """Return the label of an object, read alone."""
        found = self.ask(f"query($id: ID!) {{ {class_name}___get(_id: $id) {{ _label }} }}", id=id_)
        return found and found["_label"]

    def labels(self, class_name: str) -> list[Any]:
        """Return the labels of a page, in the order of the ids."""
        options = "(options: {orderBy: [_id___ASC]})"
        page = self.ask(f"{{ {class_name}___getPage{options} {{ items {{ _label }} }} }}")
        return [each["_label"] for each in page["items"]]


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.fixture(params=["sqlite", "reference"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    opened = SqliteEngine(tmp_path / "store.db") if request.param == "sqlite" else ReferenceEngine()
    with closing(opened):
        yield opened


@pytest.fixture
def shop(engine: Engine) -> Shop:
    return Shop(engine)


def test_a_label_is_computed_wherever_an_object_is_shown(shop: Shop) -> None:
    ada = shop.create("Customer", last_name="Lovelace", nick="Ada")
    assert ada["_label"] == "Lovelace (Ada)"
    order = shop.create(
        "Order", placed_on="31/01/2026", total="12.50", customer=ada["_id"], lines=[{"text": "a"}, {}]
    )
    other = shop.create("Order", placed_on="01/02/2026", total="1e2")

    assert shop.labels("Order") == ["Lovelace 2026-01-31 12.5", "Nobody 2026-02-01 100"]
    assert shop.label("Order", other["_id"]) == "Nobody 2026-02-01 100"
    selection = "_label customer { _label orders { items { _label } } } lines { items { _label } }"
    found = shop.ask(f"query($id: ID!) {{ Order___get(_id: $id) {{ {selection} }} }}", id=order["_id"])
    assert found == {
        "_label": "Lovelace 2026-01-31 12.5",
        "customer": {
            "_label": "Lovelace (Ada)",
            "orders": {"items": [{"_label": "Lovelace 2026-01-31 12.5"}]},
        },
        "lines": {"items": [{"_label": "Lovelace: a"}, {"_label": None}]},
    }


def test_a_label_is_that_of_the_version(shop: Shop) -> None:
    ada = shop.create("Customer", last_name="Byron")
    order = shop.create("Order", placed_on="31/01/2026", total=1, customer=ada["_id"])
    shop.ask(
        'mutation($id: ID!) { Customer___update(data: {_id: $id, last_name: "King"}) { _label } }',
        id=ada["_id"],
    )
    shop.ask("mutation($id: ID!) { Order___update(data: {_id: $id, total: 2}) { _label } }", id=order["_id"])

    page = "query($id: ID!) { Order___getVersionPage(_id: $id) { items { _label customer { _label } } } }"
    assert [
        (each["_label"], each["customer"]["_label"]) for each in shop.ask(page, id=order["_id"])["items"]
    ] == [
        ("Byron 2026-01-31 1", "Byron"),
        ("King 2026-01-31 2", "King"),
    ]
    page = "query($id: ID!) { Customer___getVersionPage(_id: $id) { items { _label } } }"
    assert [each["_label"] for each in shop.ask(page, id=ada["_id"])["items"]] == ["Byron", "King"]


def test_previews_and_forms_show_what_a_label_would_be(shop: Shop) -> None:
    ada = shop.create("Customer", last_name="Lovelace")
    selection = "_label lines { items { _label } }"
    preview = f"query($data: OrderDraftCreate!) {{ Order___previewCreate(data: $data) {{ {selection} }} }}"
    data = {"placed_on": "31/01/2026", "total": 1, "customer": ada["_id"], "lines": [{"text": "a"}]}
    expected = {"_label": "Lovelace 2026-01-31 1", "lines": {"items": [{"_label": "Lovelace: a"}]}}
    assert shop.ask(preview, data=data) == expected
    preview = "query($data: CustomerDraftUpdate!) { Customer___previewUpdate(data: $data) { _label } }"
    data = {"_id": ada["_id"], "nick": "Ada"}
    assert shop.ask(preview, data=data) == {"_label": "Lovelace (Ada)"}
    form = '{ Search___previewCreate(data: {text: "tea"}) { _label } }'
    assert shop.ask(form) == {"_label": "for tea"}


def test_what_the_caller_may_not_read_is_in_no_label(shop: Shop) -> None:
    ada = shop.create("Customer", last_name="Lovelace", nick="Ada")
    alan = shop.create("Customer", last_name="Turing", nick="Al")
    spy = shop.create("Customer", last_name="Fleming", secret="007")
    orders = [
        shop.create("Order", placed_on="31/01/2026", total=1, customer=each["_id"], lines=[{"text": "a"}])
        for each in (ada, alan, spy)
    ]

    shop.caller = CLERK
    # A hidden value and a hidden object count as null, as in derived attributes.
    assert shop.labels("Customer") == ["Lovelace", "Turing (Al)"]
    assert shop.label("Customer", spy["_id"]) is None
    expected = ["Lovelace 2026-01-31 1", "Turing 2026-01-31 1", "Nobody 2026-01-31 1"]
    assert shop.labels("Order") == expected
    versions = "query($id: ID!) { Order___getVersionPage(_id: $id) { items { _label } } }"
    found = [shop.ask(versions, id=each["_id"])["items"][0]["_label"] for each in orders]
    assert found == expected
    lines = "{ Order___getPage { items { lines { items { _label } } } } }"
    assert [each["lines"]["items"][0]["_label"] for each in shop.ask(lines)["items"]] == [
        "Lovelace: a",
        "Turing: a",
        None,
    ]

    # Guests may read the last name of no customer, so there are no labels, and no issues.
    shop.caller = GUEST
    assert shop.labels("Customer") == [None, None, None]
    assert shop.labels("Order") == [None, None, None]
    assert shop.label("Order", orders[0]["_id"]) is None
    assert shop.create("Customer", last_name="New")["_label"] is None


def test_a_closed_class_has_no_labels(shop: Shop) -> None:
    plain = shop.create("Plain", name="n", other="o")
    shop.caller = GUEST
    (error,) = shop.body("query($id: ID!) { Plain___get(_id: $id) { _label } }", id=plain["_id"])["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_GRANT_READ"


def test_the_default_label_is_a_unique_attribute_or_the_first_required_text(shop: Shop) -> None:
    assert shop.create("Coin", name="Euro", code=978)["_label"] == "978"
    assert shop.create("Plain", note="a", name="b", other="c")["_label"] == "b"
    assert shop.create("Bare", size=1)["_label"] is None
    assert shop.ask('mutation { Settings___update(data: {theme: "dark"}) { _label } }') == {"_label": "dark"}
    by = "{ Coin___getByCode(code: 978) { _label code } }"
    assert shop.ask(by) == {"_label": "978", "code": 978}

    # Nothing replaces a default label that is hidden.
    shop.caller = GUEST
    assert shop.labels("Coin") == [None]


def test_a_label_is_the_same_in_all_formats_and_time_zones(shop: Shop) -> None:
    day = shop.create("Day", day="2026-01-31T18:30:00Z")
    local = shop.create("Local", day="2026-01-31T18:30:00Z")
    for caller in (ADMINISTRATOR, CLERK):
        shop.caller = caller
        assert shop.label("Day", day["_id"]) == "2026-01-31T18:30:00.000Z"
        assert shop.label("Local", local["_id"]) == "2026-01-31"


def test_a_label_has_at_most_200_characters(shop: Shop) -> None:
    name = "ä" * 199 + "𝄞"
    assert shop.create("Plain", name=name, other="")["_label"] == name
    assert shop.create("Plain", name=name + "b", other="")["_label"] == name
    assert shop.create("Customer", last_name="x" * 255)["_label"] == "x" * 200


def test_a_label_is_no_attribute_of_a_filter_an_order_or_an_input(shop: Shop) -> None:
    schema = shop.executors[0].schema
    for name in ("Filter", "Sort", "Create", "Update", "Draft", "DraftCreate", "DraftUpdate"):
        type_ = schema.type_map[f"Customer{name}"]
        names = getattr(type_, "fields", None) or getattr(type_, "values", None) or ()
        assert not any("_label" in each for each in names), type_
    assert "errors" in shop.body(
        "{ Customer___getPage(options: {filter_exp: \"_label == 'a'\"}) { totalCount } }"
    )


def test_a_label_uses_the_present_names_of_what_was_renamed(engine: Engine) -> None:
    shop = Shop(engine)
    ada = shop.create("Customer", last_name="Lovelace", nick="Ada")
    order = shop.create("Order", placed_on="31/01/2026", total=1, customer=ada["_id"])
    text = (
        TEXT.replace("last_name: String", 'surname: String @renamed(from: "last_name")')
        .replace("nick: String", 'pet: String @renamed(from: "nick")')
        .replace("type Customer", 'type Client @renamed(from: "Customer")')
        .replace("customer: Customer", "customer: Client")
    )
    text = text.replace("last_name", "surname").replace('from: "surname"', 'from: "last_name"')
    text = text.replace("' (' + nick", "' (' + pet")
    renamed = Shop(engine, read_model(text, "shop.graphql"))
    assert renamed.label("Client", ada["_id"]) == "Lovelace (Ada)"
    assert renamed.label("Order", order["_id"]) == "Lovelace 2026-01-31 1"


def test_the_label_of_a_member_is_the_username(api: UsersApi) -> None:
    page = "{ _User___getPage { items { username _label } } }"
    found = api.ask(page)["items"]
    assert {each["_label"] for each in found} == {each.username for each in ALL}
    assert all(each["_label"] == each["username"] for each in found)
    assert api.ask(f'{{ _User___get(_id: "{ANNA.id}") {{ _label }} }}') == {"_label": "anna"}


@pytest.fixture
def api() -> UsersApi:
    return UsersApi(partial(DictEntities, DESK))


def test_a_label_that_is_one_attribute_reads_what_the_attribute_reads() -> None:
    customer, plain = MODEL.classes["Customer"], MODEL.classes["Plain"]
    assert customer.label_attribute is not None
    assert plain.label_attribute is not None
    assert customer.label_attribute.derivation is not None
    assert (plain.label_attribute.name, plain.label_attribute.derivation) == ("name", None)
    assert replace(plain, label=" note ").label_attribute == replace(plain.label_attribute, name="note")
    assert not customer.derived
    assert not plain.derived


DELETE = "mutation($id: ID!) { Customer___delete(_id: $id) { deleted } }"
LOCK = "mutation($id: ID!) { lock(locks: [{entityName: Customer, _id: $id}]) { locked } }"


def test_issues_have_the_label_of_their_object(shop: Shop) -> None:
    ada = shop.create("Customer", last_name="Lovelace", nick="Ada")
    spy = shop.create("Customer", last_name="Fleming", secret="007")
    coin = shop.create("Coin", name="Euro", code=978)
    shop.create("Coin", name="Dollar", code=840)
    update = "mutation($id: ID!) { Coin___update(data: {_id: $id, code: 840}) { code } }"
    (issue,) = shop.issues(update, id=coin["_id"])
    assert (issue["issueType"], issue["entityID"], issue["_label"]) == ("ENTITY_UNIQUE", coin["_id"], "978")

    for each in (ada, spy):
        shop.ask(LOCK, id=each["_id"])
    shop.caller = CLERK
    assert [_told(each) for each in shop.issues(DELETE, id=ada["_id"])] == [(ada["_id"], "Lovelace")]
    # An object that the caller doesn't see has no label, nor one that does not exist.
    for id_ in (spy["_id"], "none"):
        assert shop.body(DELETE, id=id_)["data"] == {"Customer___delete": {"deleted": False}}
    update = 'mutation($id: ID!) { Customer___update(data: {_id: $id, nick: "x"}) { _id } }'
    for id_ in (spy["_id"], "none"):
        (issue,) = shop.issues(update, id=id_)
        assert (issue["issueType"], issue["_label"]) == ("ENTITY_NOT_FOUND", None)


def test_issues_of_a_validation_have_the_label_of_their_object(shop: Shop) -> None:
    plain = shop.create("Plain", name="n", other="o")
    query = (
        "query($id: ID!) { Plain___validateUpdate(data: {_id: $id, name: null}) "
        "{ issues { entityID _label issueType } } }"
    )
    (issue,) = shop.ask(query, id=plain["_id"])["issues"]
    assert issue == {"entityID": plain["_id"], "_label": "n", "issueType": "ATTRIBUTE_REQUIRED"}
    query = 'query { Plain___validateCreate(data: {name: "n"}) { issues { entityID _label } } }'
    assert shop.ask(query)["issues"] == [{"entityID": None, "_label": None}]


def _told(issue: Any) -> tuple[Any, Any]:
    return issue["entityID"], issue["_label"]


def test_an_issue_is_reported_if_no_label_can_be_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    coin = shop.create("Coin", name="Euro", code=978)
    shop.create("Coin", name="Dollar", code=840)

    def too_much(*_: object) -> None:
        raise ReadBudgetExceeded("Coin")

    monkeypatch.setattr(labels, "labels_of", too_much)
    update = "mutation($id: ID!) { Coin___update(data: {_id: $id, code: 840}) { code } }"
    (issue,) = shop.issues(update, id=coin["_id"])
    assert (issue["issueType"], issue["entityID"], issue["_label"]) == ("ENTITY_UNIQUE", coin["_id"], None)


def test_one_response_reads_a_limited_number_of_labels(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str]] = []
    labels_of = labels.labels_of

    def noted(reader: Reader, class_: Class, ids: Iterable[str]) -> labels.ObjectLabels:
        read.append([*ids])
        return labels_of(reader, class_, read[-1])

    monkeypatch.setattr(labels, "labels_of", noted)
    monkeypatch.setattr(labels, "MAX_LABELS", 2)
    plain = [shop.create("Plain", name=name, other="o")["_id"] for name in "abc"]
    fields = [
        f'{key}: Plain___update(data: {{_id: "{id_}", name: null}}) {{ _id }}'
        for key, id_ in zip("xyzw", [plain[0], *plain], strict=True)
    ]
    found = [issue["_label"] for issue in shop.issues(f"mutation {{ {' '.join(fields)} }}")]
    assert found == ["a", "a", "b", None]
    assert read == [plain[:1], plain[1:2]]
