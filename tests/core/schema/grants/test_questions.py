"""Questions over many objects, revisions and labels tell nothing of what the caller may not see."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import ArchiveApi, at
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row

MODEL = read_model(
    """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
type Order @class(versioned: true, label: "concat(town, ' ', customer.name)") @unique(attributes: ["code"])
  @index(attributes: ["town"])
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE], where: "pieces < 100") {
  code: String @text(compare: FOLDED)
  town: String @text(compare: FOLDED_NO_ACCENTS)
  pieces: Int
  margin: Real @grant(profile: "Clerk", allow: [])
  discount: Int @grant(profile: "Clerk", allow: [READ, EDIT], where: "pieces > 1")
  customer: Customer @association(opposite: "orders")
  lines: [Line!] @composition
}
type Line { text: String }
type Customer @grant(profile: "Clerk", allow: [READ], where: "name != 'Secret'") {
  name: String!
  orders: [Order!] @association(opposite: "customer")
}
type Memo @class(label: "concat(text, firstNotNull(secret, '-'))") @unique(attributes: ["text"])
  @grant(profile: "Clerk", allow: [READ, EDIT]) {
  text: String
  secret: String @grant(profile: "Clerk", allow: [])
}
type Safe @class(versioned: true) @unique(attributes: ["name"]) {
  name: String! @text(compare: FOLDED)
  size: Int
}
""",
    "shop.graphql",
)
CLERK = Caller("c1", "clerk", "Clerk")
ENGINES: dict[str, Callable[[Path], Engine]] = {
    "sqlite": SqliteEngine,
    "reference": lambda _: ReferenceEngine(),
}


@pytest.fixture(params=ENGINES)
def open_shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], ArchiveApi]]:
    """Return a function that opens an empty shop."""
    engines: list[Engine] = []

    def opened() -> ArchiveApi:
        engines.append(ENGINES[request.param](tmp_path / f"{len(engines)}.db"))
        return ArchiveApi(engines[-1], MODEL)

    yield opened
    for each in engines:
        with closing(each):
            pass


def fill(shop: ArchiveApi, *, hidden: str) -> dict[str, str]:
    """Write orders, and return ids. `hidden`: what differs in what the clerk can't see."""
    ada = shop.create("Customer", ADMINISTRATOR, name="Ada")
    secret = shop.create("Customer", ADMINISTRATOR, name="Secret")
    # The hidden order has the least id of its group, and spells the key in another way.
    concealed = shop.create("Order", ADMINISTRATOR, code=f"h{hidden}", town="ROM", pieces=100, margin=hidden)
    seen = shop.create(
        "Order", ADMINISTRATOR, code="A1", town="Rom", pieces=5, customer=ada, margin=hidden, discount=1
    )
    shop.create(
        "Order", ADMINISTRATOR, code="b2", town="rom", pieces=1, customer=secret, discount=int(hidden)
    )
    shop.create(
        "Order", ADMINISTRATOR, code="c3", town="Crème", pieces=2, customer=ada, lines=[{"text": "t"}]
    )
    if hidden == "2":
        shop.create("Order", ADMINISTRATOR, code="h9", town="Rom", pieces=200, customer=ada)
        shop.create("Safe", ADMINISTRATOR, name="vault", size=3)
    return {"hidden": concealed, "seen": seen}


NOW = f'atVersion: "{at(0)}"'
QUESTIONS = [
    "aggregates { _count pieces { sum avg max } town { min max countDistinct } customer { countDistinct } }",
    "groups(by: [town]) { totalCount nextCursor items { _keys { town } _count pieces { sum } } }",
    """groups(by: [customer, town], orderBy: [_count___DESC]) {
      items { _keys { town customer { _id _label } } _count } }""",
    """groups(by: [code], having: {pieces___SUM___gt: "1", town___MIN___gte: "CREME"}) {
      items { _keys { code } } }""",
    "totalCountUpTo(limit: 3) { count more }",
    "totalCountUpTo(limit: 10000) { count more }",
    "items { _id _label _revision customer { _label orders { aggregates { _count } } } }",
]


@each_row("question", QUESTIONS)
def test_stores_that_differ_in_what_is_hidden_answer_the_same(
    open_shop: Callable[[], ArchiveApi], question: str
) -> None:
    found = []
    for hidden in ("1", "2"):
        shop = open_shop()
        fill(shop, hidden=hidden)
        options = 'options: {filter: {town___ne: "nowhere"}}'
        for instant in ("", NOW):
            query = f"{{ Order___getPage({options} {instant}) {{ {question} }} }}"
            found.append(shop.body(query, CLERK))
            shown = shop.body(query)
            assert "errors" not in shown
            assert shown != found[-1]  # the administrator sees more
    assert found[:2] == found[2:]
    assert not any("errors" in each for each in found)


def test_a_hidden_object_does_not_spell_the_key_of_a_group(open_shop: Callable[[], ArchiveApi]) -> None:
    shop = open_shop()
    fill(shop, hidden="1")
    query = "{ Order___getPage { groups(by: [town]) { items { _keys { town } _count } } } }"
    keys = {
        caller.username: [(each["_keys"]["town"], each["_count"]) for each in found["groups"]["items"]]
        for caller in (ADMINISTRATOR, CLERK)
        if (found := shop.ask(query, caller))
    }
    assert keys == {"ada": [("Crème", 1), ("ROM", 3)], "clerk": [("Crème", 1), ("Rom", 2)]}


ONE = [
    '{ it: Order___get(_id: "$id") { _label _revision } }',
    f'{{ it: Order___get(_id: "$id", {NOW}) {{ _label _revision }} }}',
    'mutation { it: Order___update(data: {_id: "$id", pieces: 1}, ifRevision: "$r") { _label } }',
    'mutation { it: Order___update(data: {_id: "$id", pieces: 1}, ifRevision: "other") { _label } }',
    'mutation { it: Order___save(data: {_id: "$id", pieces: 1}, ifRevision: "other") { _label } }',
    '{ it: Order___previewUpdate(data: {_id: "$id", pieces: 1}, ifRevision: "other") { _label } }',
    '{ it: Order___preview(data: {_id: "$id", pieces: 1}, ifRevision: "other") { _label } }',
    '{ it: Order___validateUpdate(data: {_id: "$id"}) { issues { entityID _label userMessage } } }',
    'mutation { it: Order___delete(_id: "$id", ifRevision: "other") { deleted } }',
    'mutation { it: Order___delete(_id: "$id", ifRevision: "$r") { deleted } }',
    """mutation { it: Order___restoreVersion(_id: "$id", atVersion: "2020-01-01T12:00:00Z", ifRevision: "x") {
      _label } }""",
    """mutation { it: Order___update(data: {_id: "$id", lines: {update: [{_id: "$id", _ifRevision: "x"}]}}) {
      _label } }""",
    '{ it: Order___getVersionPage(_id: "$id") { aggregates { _count } groups(by: [town]) { totalCount } } }',
]


@each_row("query", ONE)
def test_a_hidden_object_answers_as_a_missing_one(open_shop: Callable[[], ArchiveApi], query: str) -> None:
    shop = open_shop()
    id_ = fill(shop, hidden="1")["hidden"]
    revision = shop.ask(f'{{ Order___get(_id: "{id_}") {{ _revision }} }}')["_revision"]
    found = []
    for each in (id_, "none"):
        document = query.replace("$id", each).replace("$r", revision)
        found.append(str(shop.body(document, CLERK)).replace(each, "$id"))
    assert found[0] == found[1]
    assert "current" not in found[0]
    assert shop.ask(f'{{ Order___get(_id: "{id_}") {{ _revision }} }}')["_revision"] == revision


def test_unique_values_of_hidden_objects_are_found_in_no_spelling(
    open_shop: Callable[[], ArchiveApi],
) -> None:
    shop = open_shop()
    fill(shop, hidden="1")
    for code, is_found in (("a1", True), ("A1", True), ("H1", False), ("h1", False)):
        for instant in ("", NOW):
            found = shop.ask(f'{{ Order___getByCode(code: "{code}" {instant}) {{ code }} }}', CLERK)
            assert (found is not None) is is_found, (code, instant)
    assert shop.ask('{ Order___getByCode(code: "H1") { code } }') == {"code": "h1"}


@each_row(
    "query",
    [
        "{ Safe___getPage { aggregates { _count } } }",
        "{ Safe___getPage { groups(by: [name]) { totalCount } } }",
        "{ Safe___getPage { totalCountUpTo(limit: 1) { count } } }",
        "{ Safe___getPage { items { _label _revision } } }",
        '{ Safe___getByName(name: "VAULT") { _label } }',
        f"{{ Safe___getPage({NOW}) {{ aggregates {{ _count }} }} }}",
        f'{{ Safe___getByName(name: "VAULT", {NOW}) {{ _label }} }}',
        f'{{ Safe___get(_id: "$id", {NOW}) {{ _label }} }}',
        "{ Safe___getDeletedPage { hasNext } }",
        'mutation { Safe___update(data: {_id: "$id", size: 1}, ifRevision: "1") { _label } }',
        'mutation { Safe___delete(_id: "$id", ifRevision: "1") { deleted } }',
    ],
)
def test_a_closed_class_is_refused_for_each_question(open_shop: Callable[[], ArchiveApi], query: str) -> None:
    shop = open_shop()
    fill(shop, hidden="2")
    (vault,) = shop.ask("{ Safe___getPage { items { _id _label } } }")["items"]
    assert vault["_label"] == "vault"
    body = shop.body(query.replace("$id", vault["_id"]), CLERK)
    assert not any((body.get("data") or {}).values())
    assert body["errors"]
    for error in body["errors"]:
        assert "_GRANT_" in error["extensions"]["issueType"], error
        assert error["extensions"]["_label"] is None


def test_the_label_of_an_issue_lacks_what_the_caller_may_not_read(
    open_shop: Callable[[], ArchiveApi],
) -> None:
    shop = open_shop()
    fill(shop, hidden="1")
    ids = {
        each["code"]: each["_id"] for each in shop.ask("{ Order___getPage { items { _id code } } }")["items"]
    }
    labels = {}
    for code in ("A1", "b2"):
        update = f'mutation {{ Order___update(data: {{_id: "{ids[code]}", code: "C3"}}) {{ _id }} }}'
        for caller in (ADMINISTRATOR, CLERK):
            (error,) = shop.body(update, caller)["errors"]
            assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"
            labels[code, caller.username] = error["extensions"]["_label"]
    shown = {
        (each["code"], caller.username): each["_label"]
        for caller in (ADMINISTRATOR, CLERK)
        for each in shop.ask("{ Order___getPage { items { code _label } } }", caller)["items"]
    }
    assert labels == {key: shown[key] for key in labels}
    assert (labels["A1", "clerk"], labels["b2", "ada"]) == ("Rom Ada", "rom Secret")
    assert "Secret" not in str(labels["b2", "clerk"])


def test_an_issue_has_no_label_of_unreadable_attributes(open_shop: Callable[[], ArchiveApi]) -> None:
    shop = open_shop()
    first, _ = (shop.create("Memo", ADMINISTRATOR, text=text, secret="007") for text in ("a", "b"))
    update = f'mutation {{ Memo___update(data: {{_id: "{first}", text: "b"}}) {{ _id }} }}'
    for caller, label in ((ADMINISTRATOR, "a007"), (CLERK, None)):
        (error,) = shop.body(update, caller)["errors"]
        issue = error["extensions"]
        assert (issue["issueType"], issue["entityID"], issue["_label"]) == ("ENTITY_UNIQUE", first, label)
