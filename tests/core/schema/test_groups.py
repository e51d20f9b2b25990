"""Pages have totals: counts up to a limit, aggregates and groups of all that matches."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any
from unittest.mock import patch

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.query import groups
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.query.planner import record_plans
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.values.formats.preferences import Formats
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget
from tests.rows import each_row

HEAD = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
enum Status { OPEN SHIPPED }
"""
CUSTOMER = """
type Customer @grant(profile: "Clerk", allow: [READ], where: "name != 'Secret'") {
  name: String!
  orders: [Order!] @association(opposite: "customer")
  passport: Passport @association(opposite: "customer")
}
type Passport @grant(profile: "Clerk", allow: [READ]) {
  number: Int
  customer: Customer @association(opposite: "passport", holds: true)
}
"""
ORDER = """
type Order @class(versioned: true) @grant(profile: "Clerk", allow: [READ, EDIT]) {
  placed_on: Date
  shipped_at: Datetime
  total: Real
  pieces: Int
  status: Status
  null: Boolean
  margin: Real @grant(profile: "Clerk", allow: [])
  bonus: Int @grant(profile: "Clerk", allow: [READ], where: "pieces > 1")
  doubled: Int @derived(expression: "pieces * 2")
  customer: Customer @association(opposite: "orders")
  lines: [Line!] @composition
}
type Line { amount: Int }
"""
MODEL = HEAD + CUSTOMER + ORDER
CLERK = Caller("m2", "eve", "Clerk", formats=Formats("yyyy.MM.dd", "HH.mm", "Europe/Rome", "en"))
HIDDEN_PLACES = ("totalCountUpTo(limit: 9) { count more }", "aggregates { _count pieces { sum } }")


class Shop:
    """A service over a store. Internal failures make the test fail."""

    def __init__(self, file: Path, text: str = MODEL, budget: Callable[[], ReadBudget] | None = None) -> None:
        model = read_model(text, "shop.graphql")
        self.engine = SqliteEngine(file)
        services = Services(
            model,
            open_repository(self.engine, model),
            FrozenClock(),
            CountedIds(),
            unlimited_budget,
            new_totals_budget=budget,
        )
        self.executor = SchemaExecutor(services, _failed)

    def body(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> dict[str, Any]:
        """Return the whole response."""
        return dict(json.loads(self.executor.execute(query, variables, None, caller, "t").body))

    def ask(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.body(query, caller, **variables)
        assert "errors" not in body, body["errors"]
        return next(iter(body["data"].values()))

    def create(self, class_name: str, data: str) -> str:
        return str(self.ask(f"mutation {{ {class_name}___create(data: {{{data}}}) {{ _id }} }}")["_id"])

    def orders(self, selection: str, caller: Caller = ADMINISTRATOR, options: str = "") -> Any:
        """Return what a page of orders shows."""
        given = f"(options: {{{options}}})" if options else ""
        return self.ask(f"{{ Order___getPage{given} {{ {selection} }} }}", caller)

    def groups(self, arguments: str, selection: str, caller: Caller = ADMINISTRATOR) -> Any:
        """Return the items of groups of orders."""
        found = self.orders(f"groups({arguments}) {{ items {{ {selection} }} }}", caller)
        return found["groups"]["items"]


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """Return a shop with some orders."""
    found = Shop(tmp_path / "shop.db")
    fill(found)
    yield found
    found.engine.close()


def fill(shop: Shop, secret: str = "Secret") -> None:
    ada, secret = shop.create("Customer", 'name: "Ada"'), shop.create("Customer", f'name: "{secret}"')
    shop.create("Passport", f'number: 1, customer: "{ada}"')
    shop.create("Passport", f'number: 2, customer: "{secret}"')
    for data in (
        f'placed_on: "2026-01-31", total: "1.10", pieces: 1, status: OPEN, customer: "{ada}"',
        f'placed_on: "2026-03-31", total: "2.20", pieces: 2, status: SHIPPED, customer: "{ada}", margin: 1',
        f'placed_on: "2026-03-01", total: "0.05", status: OPEN, customer: "{secret}", null: true, bonus: 5',
        'shipped_at: "2026-03-31T22:30:00Z", pieces: 4, lines: [{amount: 1}, {amount: 2}]',
    ):
        shop.create("Order", data)


def test_aggregates_are_those_of_all_matches_whatever_the_paging(shop: Shop) -> None:
    selection = """aggregates { _count total { sum avg min max countDistinct } pieces { sum avg min max }
      placed_on { min(format: "yyyy") max(format: "iso") countDistinct } status { countDistinct }
      shipped_at { max(format: "iso") } customer { countDistinct } doubled { sum } }"""
    expected = {
        "_count": 4,
        "total": {
            "sum": "3.35",
            "avg": "1.1166666666666666666666666666666666667",
            "min": "0.05",
            "max": "2.2",
            "countDistinct": 3,
        },
        "pieces": {"sum": "7", "avg": "2.3333333333333333333333333333333333333", "min": 1, "max": 4},
        "placed_on": {"min": "2026", "max": "2026-03-31", "countDistinct": 3},
        "status": {"countDistinct": 2},
        "shipped_at": {"max": "2026-03-31T22:30:00.000Z"},
        "customer": {"countDistinct": 2},
        "doubled": {"sum": "14"},
    }
    for options in ("", "next: 1, offset: 2", "prev: 1, orderBy: [total___DESC]"):
        assert shop.orders(selection, options=options)["aggregates"] == expected
    narrowed = shop.orders("aggregates { _count pieces { sum } }", options="filter: {pieces___gte: 2}")
    assert narrowed["aggregates"] == {"_count": 2, "pieces": {"sum": "6"}}


def test_aggregates_of_nothing_are_null(shop: Shop) -> None:
    found = shop.orders(
        "aggregates { _count pieces { sum avg min max countDistinct } }", options="filter: {pieces___gt: 9}"
    )
    nothing = {"sum": None, "avg": None, "min": None, "max": None, "countDistinct": 0}
    assert found["aggregates"] == {"_count": 0, "pieces": nothing}


@each_row("limit, number, more", [(0, 0, True), (3, 3, True), (4, 4, False), (10_000, 4, False)])
def test_objects_are_counted_up_to_a_limit(shop: Shop, limit: int, number: int, *, more: bool) -> None:
    found = shop.orders(f"totalCountUpTo(limit: {limit}) {{ count more }}")
    assert found["totalCountUpTo"] == {"count": number, "more": more}


def test_groups_have_keys_and_totals(shop: Shop) -> None:
    assert shop.groups(
        "by: [placed_on___MONTH, status]", "_keys { placed_on___MONTH status } _count total { sum }"
    ) == [
        {"_keys": {"placed_on___MONTH": None, "status": None}, "_count": 1, "total": {"sum": None}},
        {"_keys": {"placed_on___MONTH": "2026-01", "status": "OPEN"}, "_count": 1, "total": {"sum": "1.1"}},
        {"_keys": {"placed_on___MONTH": "2026-03", "status": "OPEN"}, "_count": 1, "total": {"sum": "0.05"}},
        {
            "_keys": {"placed_on___MONTH": "2026-03", "status": "SHIPPED"},
            "_count": 1,
            "total": {"sum": "2.2"},
        },
    ]


def test_groups_are_ordered_filtered_and_paged(shop: Shop) -> None:
    query = """query($at: Cursor) { Order___getPage { groups(by: [_null, status], having: {_count___gte: 1,
      total___SUM___ne: null, total___MIN___gt: null}, orderBy: [total___SUM___DESC], next: 2, cursor: $at)
      { totalCount hasNext nextCursor items { _keys { _null status } total { sum } } } } }"""
    first = shop.ask(query)["groups"]
    assert [each["total"]["sum"] for each in first["items"]] == ["2.2", "1.1"]
    assert (first["totalCount"], first["hasNext"]) == (3, True)
    second = shop.ask(query, at=first["nextCursor"])["groups"]
    assert second["items"] == [{"_keys": {"_null": True, "status": "OPEN"}, "total": {"sum": "0.05"}}]
    assert (second["totalCount"], second["hasNext"]) == (3, False)


def test_buckets_are_in_the_zone_of_the_caller(shop: Shop) -> None:
    keys = "_keys { shipped_at___DAY shipped_at___HOUR }"
    arguments = "by: [shipped_at___DAY, shipped_at___HOUR], orderBy: [_keys___DESC], next: 1"
    (here,) = shop.groups(arguments, keys, CLERK)
    assert here["_keys"] == {"shipped_at___DAY": "2026-04-01", "shipped_at___HOUR": "2026-04-01T00"}


def test_a_role_that_leads_to_nothing_visible_is_null(shop: Shop) -> None:
    selection = "_keys { customer { _id } } _count"
    assert [each["_count"] for each in shop.groups("by: [customer]", selection)] == [1, 2, 1]
    null, ada = shop.groups("by: [customer]", selection, CLERK)
    assert (null["_keys"]["customer"], null["_count"], ada["_count"]) == (None, 2, 2)
    assert shop.orders("aggregates { customer { countDistinct } }", CLERK)["aggregates"] == {
        "customer": {"countDistinct": 1}
    }
    shop.ask(f'mutation {{ Customer___delete(_id: "{ada["_keys"]["customer"]["_id"]}") {{ deleted }} }}')
    assert shop.groups("by: [customer]", selection, CLERK) == [{"_keys": {"customer": None}, "_count": 4}]


def test_a_role_key_has_the_label_of_its_object(shop: Shop) -> None:
    def labels(caller: Caller) -> list[Any]:
        found = shop.groups("by: [customer]", "_keys { customer { _label } }", caller)
        return [each["_keys"]["customer"] for each in found]

    assert labels(ADMINISTRATOR) == [None, {"_label": "Ada"}, {"_label": "Secret"}]
    assert labels(CLERK) == [None, {"_label": "Ada"}]


def test_the_side_without_the_key_is_a_key_too(shop: Shop) -> None:
    found = shop.ask(
        "{ Customer___getPage { groups(by: [passport]) { items { _keys { passport { _id } } _count } } } }"
    )
    assert [each["_count"] for each in found["groups"]["items"]] == [1, 1]


def test_stores_that_differ_in_what_is_hidden_answer_the_same(tmp_path: Path) -> None:
    query = """{ Order___getPage { aggregates { _count total { sum } customer { countDistinct } }
      groups(by: [customer, status]) {
        totalCount nextCursor items { _keys { customer { _id } } _count } } } }"""
    found = []
    for name in ("one", "other"):
        shop = Shop(tmp_path / f"{name}.db")
        fill(shop)
        if name == "other":
            hidden = shop.create("Customer", 'name: "Secret"')
            ids = shop.ask('{ Order___getPage(options: {filter: {total___eq: "0.05"}}) { items { _id } } }')
            (order,) = ids["items"]
            data = f'_id: "{order["_id"]}", customer: {{set: "{hidden}"}}, margin: 77, bonus: 8'
            shop.ask(f"mutation {{ Order___update(data: {{{data}}}) {{ _id }} }}")
        found.append(shop.body(query, CLERK))
        shop.engine.close()
    assert found[0] == found[1]


@each_row("name, issues", [("margin", 1), ("bonus", 1)])
def test_what_the_caller_may_not_read_is_null_with_one_issue(shop: Shop, name: str, issues: int) -> None:
    body = shop.body(f"{{ Order___getPage {{ aggregates {{ _count {name} {{ sum max }} }} }} }}", CLERK)
    assert body["data"]["Order___getPage"]["aggregates"] == {"_count": 4, name: None}
    assert [each["path"] for each in body["errors"]] == [["Order___getPage", "aggregates", name]] * issues
    assert body["errors"][0]["extensions"]["issueType"] == "ATTRIBUTE_GRANT_READ"
    groups_body = shop.body(
        f"{{ Order___getPage {{ groups(by: [status]) {{ items {{ {name} {{ sum }} }} }} }} }}", CLERK
    )
    assert all(each[name] is None for each in groups_body["data"]["Order___getPage"]["groups"]["items"])
    assert len(groups_body["errors"]) == 1


@each_row(
    "arguments, places",
    [
        ("by: [bonus]", ["by"]),
        ("by: [status], having: {bonus___SUM___gt: 1}", ["having"]),
        ("by: [status], orderBy: [margin___SUM___ASC]", ["orderBy"]),
        (
            "by: [bonus], having: {margin___SUM___gt: 1}, orderBy: [bonus___MIN___ASC]",
            ["having", "by", "orderBy"],
        ),
    ],
)
def test_what_the_caller_may_not_read_finds_no_groups(shop: Shop, arguments: str, places: list[str]) -> None:
    plans: list[str] = []
    with record_plans(lambda plan: plans.append(str(plan))):
        body = shop.body(f"{{ Order___getPage {{ groups({arguments}) {{ totalCount }} }} }}", CLERK)
    assert body["data"]["Order___getPage"] is None
    found = [each["extensions"] for each in body["errors"]]
    assert [each["sourceRequestReference"] for each in found] == [
        f"Order___getPage.groups.{place}" for place in places
    ]
    assert {each["issueType"] for each in found} == {"ATTRIBUTE_GRANT_READ"}
    assert plans == []  # nothing was read


@each_row(
    "selection, place, text",
    [
        (
            "totalCountUpTo(limit: -1) { count }",
            "totalCountUpTo.limit",
            "limit is -1. Use a number from 0 to 10000",
        ),
        ("totalCountUpTo(limit: 10001) { count }", "totalCountUpTo.limit", "limit is 10001"),
        ("groups(by: []) { totalCount }", "groups.by", "by has no key. Name at least one."),
        ("groups(by: [status], next: 10001) { totalCount }", "groups.next", "next is 10001"),
        ('groups(by: [status], cursor: "x") { totalCount }', "groups.cursor", "The cursor is not valid"),
        (
            'groups(by: [status], having: {total___SUM___gt: "much"}) { totalCount }',
            "groups.having.total___SUM___gt",
            "Order: total___SUM___gt: ",
        ),
        (
            'aggregates { total { sum(format: "0.0.0") } }',
            "aggregates.total.sum.format",
            "_RealAggregates.sum(format)",
        ),
    ],
)
def test_wrong_arguments_are_refused(shop: Shop, selection: str, place: str, text: str) -> None:
    body = shop.body(f"{{ Order___getPage {{ {selection} }} }}")
    (error,) = body["errors"]
    assert error["extensions"]["sourceRequestReference"] == f"Order___getPage.{place}"
    assert text in error["message"]


def test_more_groups_than_the_maximum_are_refused(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MAX_GROUPS", 2)
    body = shop.body("{ Order___getPage { groups(by: [placed_on]) { totalCount } } }")
    (error,) = body["errors"]
    assert error["extensions"]["sourceRequestReference"] == "Order___getPage.groups.by"
    assert "Narrow the filter, or use fewer or coarser keys in by." in error["message"]


def test_totals_have_a_budget_of_their_own(shop: Shop, tmp_path: Path) -> None:
    shop.engine.close()
    limited = Shop(tmp_path / "shop.db", budget=lambda: ReadBudget(10**9, 60, monotonic, max_objects=3))
    assert len(limited.orders("items { _id }")["items"]) == 4
    (error,) = limited.body("{ Order___getPage { aggregates { pieces { sum } } } }")["errors"]
    assert error["message"].startswith("Order: The request reached its read limit after 4 objects")
    limited.engine.close()


def test_pages_of_roles_have_totals(shop: Shop) -> None:
    found = shop.ask(
        """{ Customer___getPage { items { name
             orders(options: {next: 1}) {
               totalCountUpTo(limit: 1) { count more } aggregates { _count total { sum } }
               groups(by: [customer, status]) { items { _keys { customer { _id } status } _count } } }
             empty: orders(options: {filter: {pieces___gt: 100}}) {
               aggregates { _count total { sum } } } } } }"""
    )
    ada, secret = found["items"]
    assert ada["orders"]["totalCountUpTo"] == {"count": 1, "more": True}
    assert ada["orders"]["aggregates"] == {"_count": 2, "total": {"sum": "3.3"}}
    assert [each["_count"] for each in ada["orders"]["groups"]["items"]] == [1, 1]
    assert secret["orders"]["aggregates"] == {"_count": 1, "total": {"sum": "0.05"}}
    assert ada["empty"]["aggregates"] == {"_count": 0, "total": {"sum": None}}


def test_pages_of_parts_and_of_associables_have_totals(shop: Shop) -> None:
    found = shop.orders(
        """items { lines { aggregates { amount { sum } } groups(by: [order_]) { items { _count } } }
          customer___associables(options: {next: 0}) { aggregates { _count name { min } } } }""",
        options="filter: {pieces___eq: 4}",
    )
    (order,) = found["items"]
    assert order["lines"] == {"aggregates": {"amount": {"sum": "3"}}, "groups": {"items": [{"_count": 2}]}}
    assert order["customer___associables"]["aggregates"] == {"_count": 2, "name": {"min": "Ada"}}
    free = shop.ask(
        "{ Customer___getPage { items { passport___associables { aggregates { number { sum } } } } } }"
    )
    assert [each["passport___associables"]["aggregates"]["number"]["sum"] for each in free["items"]] == [
        "1",
        "2",
    ]


def test_pages_of_versions_have_totals(shop: Shop) -> None:
    (order,) = shop.orders("items { _id }", options="filter: {pieces___eq: 1}")["items"]
    update = (
        f'mutation {{ Order___update(data: {{_id: "{order["_id"]}", pieces: 9, '
        "customer: {remove: true}}) { _id } }"
    )
    shop.ask(update)
    found = shop.ask(
        f"""{{ Order___getVersionPage(_id: "{order["_id"]}", options: {{next: 1}}) {{
          totalCountUpTo(limit: 1) {{ count more }} aggregates {{ _count pieces {{ sum }} doubled {{ max }} }}
          groups(by: [customer]) {{ items {{ _keys {{ customer {{ _id }} }} _count }} }} }} }}"""
    )
    assert found["totalCountUpTo"] == {"count": 1, "more": True}
    assert found["aggregates"] == {"_count": 2, "pieces": {"sum": "10"}, "doubled": {"max": 18}}
    assert [each["_keys"]["customer"] is None for each in found["groups"]["items"]] == [True, False]


def test_the_answer_of_a_write_has_totals(shop: Shop) -> None:
    found = shop.ask(
        """mutation { Order___create(data: {pieces: 5, lines: [{amount: 7}, {amount: 8}]}) {
          lines { aggregates { amount { sum } } }
          customer___associables { aggregates { _count name { max } } } } }"""
    )
    assert found["lines"]["aggregates"] == {"amount": {"sum": "15"}}
    assert found["customer___associables"]["aggregates"] == {"_count": 2, "name": {"max": "Secret"}}


def test_renamed_names_have_the_same_totals(shop: Shop, tmp_path: Path) -> None:
    by = "groups(by: [{0}, {1}], next: 2) {{ nextCursor items {{ _keys {{ {1} }} _count {2} {{ sum }} }} }}"
    before = shop.orders(by.format("placed_on___MONTH", "status", "total"))["groups"]
    shop.engine.close()
    text = MODEL.replace("type Order @class", 'type Sale @renamed(from: "Order") @class')
    text = text.replace("Order", "Sale").replace('from: "Sale"', 'from: "Order"')
    for old, new in (("total: Real", "amount: Real"), ("status: Status", "state: Status")):
        name, _, type_ = new.partition(":")
        text = text.replace(old, f'{name}:{type_} @renamed(from: "{old.partition(":")[0]}")')
    text = text.replace("enum Status { OPEN", 'enum Status { NEW @renamed(from: "OPEN")')
    renamed = Shop(tmp_path / "shop.db", text)
    query = by.format("placed_on___MONTH", "state", "amount")
    after = renamed.ask(f"{{ Sale___getPage {{ {query} }} }}")["groups"]
    expected = json.loads(
        json.dumps(before)
        .replace('"status"', '"state"')
        .replace('"OPEN"', '"NEW"')
        .replace('"total"', '"amount"')
    )
    assert after == expected
    further = query.replace("next: 2", f'next: 2, cursor: "{before["nextCursor"]}"')
    items = renamed.ask(f"{{ Sale___getPage {{ {further} }} }}")["groups"]["items"]
    assert [each["_keys"]["state"] for each in items] == ["NEW", "SHIPPED"]
    renamed.engine.close()


def test_values_that_do_not_fit_a_changed_type_are_null(tmp_path: Path) -> None:
    text = HEAD + "type Note { text: String }"
    before = Shop(tmp_path / "notes.db", text)
    for value in ("1", "2", "two"):
        before.create("Note", f'text: "{value}"')
    before.engine.close()
    after = Shop(tmp_path / "notes.db", text.replace("text: String", "text: Int"))
    found = after.ask(
        "{ Note___getPage { aggregates { _count text { sum countDistinct } } "
        "groups(by: [text]) { items { _keys { text } _count } } } }"
    )
    assert found["aggregates"] == {"_count": 3, "text": {"sum": "3", "countDistinct": 2}}
    assert [each["_keys"]["text"] for each in found["groups"]["items"]] == [None, 1, 2]
    after.engine.close()


PEOPLE = (
    HEAD
    + """
type Person @class(versioned: true) {
  name: String @text(compare: FOLDED_NO_ACCENTS)
  town: String @text(compare: FOLDED)
  street: String
  team: Team @association(opposite: "members")
}
type Team { label: Int members: [Person!] @association(opposite: "team") }
"""
)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[Shop]:
    """Return a store with people whose names differ in case and accents."""
    found = Shop(tmp_path / "people.db", PEOPLE)
    team = found.create("Team", "label: 1")
    for name, town in (
        ("MULLER", "Straße"),
        ("müller", "STRASSE"),
        ("Abel", None),
        (None, "Bonn"),
        ("ABEL", "bonn"),
    ):
        texts = {"name": name, "town": town, "street": town}
        data = ", ".join(f'{key}: "{text}"' for key, text in texts.items() if text is not None)
        found.create("Person", f'{data}, team: "{team}"')
    yield found
    found.engine.close()


def test_folded_texts_that_are_equal_are_one_key(people: Shop) -> None:
    query = """query($by: [Person___GroupKey!]!, $order: [Person___GroupSort!], $at: Cursor) {
      Person___getPage { groups(by: $by, orderBy: $order, cursor: $at, next: 2) {
        totalCount nextCursor items {
          _count _keys { name town street } town { min max countDistinct } } } } }"""

    def groups(*by: str, order: Sequence[str] = ()) -> list[Any]:
        found, at = [], None
        while True:
            page = people.ask(query, by=by, order=order, at=at)["groups"]
            found += page["items"]
            at = page["nextCursor"]
            if at is None:
                assert page["totalCount"] == len(found)
                return found

    # The object with the least id spells the key.
    items = people.ask("{ Person___getPage { items { _id name town } } }")["items"]
    (_, abel, _), (_, muller, street) = (
        min((each["_id"], each["name"], each["town"]) for each in items if each["name"] in names)
        for names in ({"Abel", "ABEL"}, {"MULLER", "müller"})
    )
    assert [(each["_keys"]["name"], each["_count"]) for each in groups("name")] == [
        (None, 1),
        (abel, 2),
        (muller, 2),
    ]
    (_, _, last) = groups("name")
    # Of texts that are equal, the code points decide which is the least.
    assert last["town"] == {"min": "STRASSE", "max": "Straße", "countDistinct": 1}
    assert [each["_keys"]["town"] for each in groups("town", order=["_keys___DESC"])] == [
        street,
        min((each["_id"], each["town"]) for each in items if each["town"] in {"Bonn", "bonn"})[1],
        None,
    ]
    assert len(groups("street")) == 5
    assert [(each["_keys"]["name"], each["_keys"]["town"]) for each in groups("town", "name")] == [
        ("Abel", None),
        (None, "Bonn"),
        ("ABEL", "bonn"),
        (muller, street),
    ]
    # Extremes that fold alike are equal in an order, so the keys decide.
    assert [each["_keys"]["name"] for each in groups("name", order=["town___MAX___DESC"])] == [
        muller,
        None,
        abel,
    ]


def test_conditions_on_groups_compare_folded_texts(people: Shop) -> None:
    query = """query($having: Person___GroupFilter) { Person___getPage {
      groups(by: [name], having: $having) { items { _keys { name } } } } }"""
    for having, names in (
        ({"town___MIN___eq": "straSSe"}, ["MULLER"]),
        ({"town___MIN___ne": "straSSe"}, [None, "ABEL"]),
        ({"town___MAX___lte": "BONN"}, [None, "ABEL"]),
        ({"town___COUNT_DISTINCT___eq": 1}, [None, "ABEL", "MULLER"]),
    ):
        found = people.ask(query, having=having)["groups"]["items"]
        assert [(name := each["_keys"]["name"]) and name.upper().replace("Ü", "U") for each in found] == names


def test_pages_of_roles_and_versions_group_folded_texts(people: Shop) -> None:
    selection = "groups(by: [town]) { items { _keys { town } _count } }"
    (team,) = people.ask(f"{{ Team___getPage {{ items {{ members {{ {selection} }} }} }} }}")["items"]
    assert [each["_count"] for each in team["members"]["groups"]["items"]] == [1, 2, 2]
    options = '(options: {filter: {town___eq: "STRASSE", street___eq: "STRASSE"}})'
    (person,) = people.ask(f"{{ Person___getPage{options} {{ items {{ _id }} }} }}")["items"]
    for town in ("Strasse", "Bonn"):
        people.ask(
            f'mutation {{ Person___update(data: {{_id: "{person["_id"]}", town: "{town}"}}) {{ _id }} }}'
        )
    # All versions have one id, so the first of them spells the key.
    options = "options: {orderBy: [_versionStart___DESC]}"
    found = people.ask(f'{{ Person___getVersionPage(_id: "{person["_id"]}", {options}) {{ {selection} }} }}')[
        "groups"
    ]["items"]
    assert found == [
        {"_keys": {"town": "Bonn"}, "_count": 1},
        {"_keys": {"town": "STRASSE"}, "_count": 2},
    ]


INDEXED = (
    HEAD
    + """
type Customer @grant(profile: "Clerk", allow: [READ]) { name: String! }
type Order @class(versioned: true)
  @index(attributes: ["customer", "placed_on", "total"]) @index(attributes: ["shipped_at", "label"])
  @index(attributes: ["pieces", "code"])
  @grant(profile: "Clerk", allow: [READ], where: "pieces < 5") {
  placed_on: Date
  shipped_at: Datetime
  total: Real
  pieces: Int
  label: String
  code: String @text(compare: FOLDED)
  customer: Customer @association
}
"""
)


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[Shop]:
    """Return a shop with indexes and 150 orders."""
    found = Shop(tmp_path / "indexed.db", INDEXED)
    customers = [found.create("Customer", f'name: "{name}"') for name in "abc"]
    for number in range(150):
        values = {
            "placed_on": f'"{2020 + number % 3}-{number % 7 + 1:02}-{number % 28 + 1:02}"',
            "shipped_at": f'"2026-03-{number % 9 + 1:02}T23:{number % 60:02}:00Z"',
            "total": f'"{number % 4}.5"',
            "pieces": str(number % 6),
            "label": '"\\u0001"' if number % 2 else f'"{"é" * 200}{number % 5}"',
            "code": '"ß"' if number % 2 else '"SS"',
            "customer": f'"{customers[number % 3]}"',
        }
        given = [
            f"{name}: {each}" for place, (name, each) in enumerate(values.items()) if number % 11 != place
        ]
        found.create("Order", ", ".join(given))
    found.ask(f'mutation {{ Customer___delete(_id: "{customers[2]}") {{ deleted }} }}')
    yield found
    found.engine.close()


IN_NEPAL = Caller(
    "m3", "ida", "Administrator", formats=Formats("yyyy.MM.dd", "HH.mm", "Asia/Kathmandu", "en")
)
BY_INDEX = "count the entries of "
MONTHS = "by: [customer, placed_on___MONTH]"


@each_row(
    "selection, options, caller, alone",
    [
        (
            f"groups({MONTHS}) {{ items {{ _keys {{ placed_on___MONTH customer {{ _label }} }} _count }} }}",
            "",
            0,
            1,
        ),
        (f"groups({MONTHS}) {{ items {{ _count total {{ sum avg min max countDistinct }} }} }}", "", 0, 1),
        ("groups(by: [placed_on___QUARTER]) { items { _keys { placed_on___QUARTER } _count } }", "", 0, 1),
        (
            "groups(by: [placed_on___WEEK, customer]) { items { _keys { placed_on___WEEK } _count } }",
            "",
            0,
            1,
        ),
        ("groups(by: [shipped_at___DAY]) { items { _keys { shipped_at___DAY } _count } }", "", 0, 1),
        ("groups(by: [shipped_at___HOUR], having: {_count___gt: 3}) { totalCount }", "", 0, 1),
        ("aggregates { _count pieces { sum avg max } }", "", 0, 1),
        ("aggregates { pieces { sum } total { sum } }", "", 0, 0),  # no index has both
        ("aggregates { pieces { sum } code { countDistinct } }", "", 0, 0),  # the index has folded texts
        ("groups(by: [label]) { items { _keys { label } _count } }", "", 0, 0),  # some texts are cut
        ("aggregates { _count total { sum } }", 'placed_on___gte: "2021-02-01"', 0, 1),
        ("aggregates { _count total { sum } }", 'NOT: {total___in: ["0.5", "1.5"]}', 0, 1),
        ("aggregates { _count total { sum } }", "customer___null: true", 0, 0),  # of deleted objects, too
        ("aggregates { _count total { sum } }", "pieces___gt: 2", 0, 0),
        ("aggregates { _count pieces { sum } }", "OR: [{pieces___gt: 3}, {pieces___null: true}]", 0, 1),
        ("aggregates { _count pieces { sum } }", "", 1, 0),  # the caller sees some orders only
    ],
)
def test_an_index_answers_alone_if_it_has_all_values(
    indexed: Shop, selection: str, options: str, caller: int, alone: int
) -> None:
    plans = list[str]()
    asked = (selection, (ADMINISTRATOR, CLERK)[caller], f"filter: {{{options}}}" if options else "")
    with record_plans(lambda plan: plans.append(plan.description)):
        found = indexed.orders(*asked)
    assert sum(each.startswith(BY_INDEX) for each in plans) == alone, plans
    with patch.object(SqliteEngine, "count_beginnings", lambda *_: None):
        assert indexed.orders(*asked) == found


@each_row("bucket", ["YEAR", "MONTH", "WEEK", "DAY", "HOUR"])
def test_an_index_answers_by_the_buckets_of_the_zone(indexed: Shop, bucket: str) -> None:
    """All orders are shipped between 23:00 and 24:00 in UTC."""
    arguments, selection = f"by: [shipped_at___{bucket}]", f"_keys {{ shipped_at___{bucket} }} _count"
    plans = list[str]()
    with record_plans(lambda plan: plans.append(plan.description)):
        found = indexed.groups(arguments, selection, IN_NEPAL)
    assert any(each.startswith(BY_INDEX) for each in plans)
    with patch.object(SqliteEngine, "count_beginnings", lambda *_: None):
        assert indexed.groups(arguments, selection, IN_NEPAL) == found
    if bucket in {"DAY", "HOUR"}:
        assert found != indexed.groups(arguments, selection)


def test_an_index_answers_with_renamed_names(indexed: Shop, tmp_path: Path) -> None:
    """The index has the values that were stored before."""
    text = INDEXED.replace("type Order @class", 'type Sale @renamed(from: "Order") @class')
    text = text.replace('"total"', '"amount"').replace(
        "  total: Real", '  amount: Real @renamed(from: "total")'
    )
    text = text.replace('"customer", ', '"buyer", ')
    text = text.replace("  customer: Customer", '  buyer: Customer @renamed(from: "customer")')
    by = (
        "groups(by: [{0}, placed_on___YEAR]) {{ items {{ _keys {{ {0} {{ _id }} }} _count {1} {{ sum }} }} }}"
    )
    before = indexed.orders(by.format("customer", "total"))
    renamed = Shop(tmp_path / "indexed.db", text)
    plans = list[str]()
    with record_plans(lambda plan: plans.append(plan.description)):
        after = renamed.ask(f"{{ Sale___getPage {{ {by.format('buyer', 'amount')} }} }}")
    renamed.engine.close()
    assert any(each.startswith(BY_INDEX) for each in plans)
    shown = json.dumps(before).replace('"customer"', '"buyer"').replace('"total"', '"amount"')
    assert after == json.loads(shown)
