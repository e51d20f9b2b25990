"""`atVersion` of `get`, `getBy…` and `getPage`: its formats, cursors, and unique values of the past."""

import json
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.graph_api import GraphApi
from tests.core.schema.versioned_api import VersionedApi
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget

HOUR = 3_600_000


@pytest.fixture
def api(graphs: GraphApi) -> VersionedApi:
    return VersionedApi(graphs)


def page(api: VersionedApi, at: str, selection: str = "items { last_name }", **options: Any) -> Any:
    """Return a page of persons as of an instant."""
    query = (
        "query($at: Datetime, $o: PersonPageOptions) "
        f"{{ Person___getPage(atVersion: $at, options: $o) {{ {selection} }} }}"
    )
    return api.graphs.ask(query, at=at, o=options or None)


def names(api: VersionedApi, at: str, **options: Any) -> list[str]:
    return [item["last_name"] for item in page(api, at, **options)["items"]]


def test_an_instant_has_the_objects_that_existed_then(api: VersionedApi) -> None:
    one = api.person(last_name="a")
    first = api.clock.instant
    two = api.person(last_name="b")
    api.update(one, last_name="c")
    api.delete(two)
    last = api.clock.instant
    assert names(api, api.at(first - 1)) == []
    assert names(api, api.at(first)) == ["a"]
    assert names(api, api.at(last - 1)) == ["c", "b"]
    assert names(api, api.at(last)) == ["c"]
    assert names(api, api.at(last + 1_000_000 * HOUR)) == ["c"]
    assert names(api, "01-01-0001 00:00:00.000") == []
    assert names(api, "31-12-9999 23:59:59.999") == ["c"]
    revision = api.graphs.get("Person", one, "_revision")["_revision"]
    found = page(api, api.at(last - 1), "totalCount items { _lock { mine } _revision }")
    assert found["totalCount"] == 2
    assert found["items"] == [{"_lock": None, "_revision": each} for each in (revision, None)]


def test_null_means_the_present(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    query = f'query($at: Datetime) {{ Person___get(_id: "{id_}", atVersion: $at) {{ last_name }} }}'
    assert api.graphs.ask(query, at=None) == api.graphs.ask(query) == {"last_name": "a"}
    query = "{ Person___getPage(atVersion: null) { items { last_name } nextCursor } }"
    found = api.graphs.ask(query)
    assert found == api.graphs.ask(query.replace("(atVersion: null)", ""))


@pytest.mark.parametrize("text", ["", "yesterday", "2020-01-01", "2020-01-01T12:00:00", "01/01/2020 12:00"])
def test_an_instant_in_another_format_is_refused(api: VersionedApi, text: str) -> None:
    for query in (
        '{ Person___get(_id: "x", atVersion: "%s") { _id } }',
        '{ Person___getByEmail(email: "x", atVersion: "%s") { _id } }',
        '{ Person___getPage(atVersion: "%s") { hasNext } }',
    ):
        (error,) = api.graphs.body(query % text)["errors"]
        assert error["extensions"]["issueType"] == "DATA_TYPE"
        assert error["message"].startswith("atVersion: ")
        assert "dd-MM-yyyy HH:mm:ss.SSS" in error["message"]


def test_iso_8601_and_the_zone_of_the_caller_mean_the_same_instant(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    at = api.clock.instant
    api.update(id_, last_name="b")
    api.graphs.caller = replace(ADMINISTRATOR, formats=Formats(time_zone="Europe/Rome"))
    assert api.at(at) == "01-01-2020 13:00:01.000"
    for text in (api.at(at), "2020-01-01T12:00:01Z", "2020-01-01T13:00:01.000+01:00"):
        assert names(api, text) == ["a"]


def test_a_page_begins_with_the_earlier_of_two_hours(api: VersionedApi) -> None:
    """The last hour of daylight saving time occurs twice."""
    api.graphs.caller = replace(ADMINISTRATOR, formats=Formats(time_zone="Europe/Rome"))
    api.clock.instant = 1_603_585_800_000  # 2020-10-25T00:30Z, which is 02:30 in Rome for the first time
    id_ = api.person(last_name="a")
    start = api.at(api.clock.instant)
    api.clock.instant += HOUR
    api.update(id_, last_name="b")
    second = api.at(api.clock.instant)
    assert second[:14] == start[:14]
    get = f'query($at: Datetime) {{ Person___get(_id: "{id_}", atVersion: $at) {{ last_name }} }}'
    assert api.graphs.ask(get, at=second) == {"last_name": "b"}  # the instant at which the version starts
    assert names(api, second) == ["a"]


def test_a_cursor_belongs_to_its_instant(api: VersionedApi) -> None:
    for name in "abcd":
        api.person(last_name=name)
    at, later = api.at(api.clock.instant), api.at(api.clock.instant + 1)
    past = page(api, at, "nextCursor", next=2)["nextCursor"]
    now = api.graphs.ask("{ Person___getPage(options: {next: 2}) { nextCursor } }")["nextCursor"]
    assert names(api, at, cursor=past) == ["c", "d"]
    assert names(api, at, cursor=past, prev=5) == ["a"]
    query = (
        "query($at: Datetime, $c: Cursor) "
        "{ Person___getPage(atVersion: $at, options: {cursor: $c}) { hasNext } }"
    )
    for given, cursor in ((later, past), (None, past), (at, now)):
        (error,) = api.graphs.body(query, at=given, c=cursor)["errors"]
        assert "as of another instant" in error["message"], error
        assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
        assert error["extensions"]["sourceRequestReference"] == "Person___getPage.options.cursor"


def test_a_cursor_of_groups_belongs_to_its_instant(api: VersionedApi) -> None:
    ids = [api.person(last_name=name) for name in "abcd"]
    at, later = api.at(api.clock.instant), api.at(api.clock.instant + 1)
    api.delete(ids[2])
    query = """query($at: Datetime, $c: Cursor) { Person___getPage(atVersion: $at) { totals: groups(
        by: [last_name], next: 2, cursor: $c) { nextCursor items { _keys { last_name } } } } }"""

    def groups(given: str | None, cursor: str | None) -> tuple[list[str], str]:
        found = api.graphs.ask(query, at=given, c=cursor)["totals"]
        return [each["_keys"]["last_name"] for each in found["items"]], found["nextCursor"]

    (first, past), (_, now) = groups(at, None), groups(None, None)
    assert (first, groups(at, past)[0], groups(None, now)[0]) == (["a", "b"], ["c", "d"], ["d"])
    for given, cursor in ((later, past), (None, past), (at, now)):
        (error,) = api.graphs.body(query, at=given, c=cursor)["errors"]
        assert "as of another instant" in error["message"], error
        assert error["extensions"]["sourceRequestReference"] == "Person___getPage.totals.cursor"
    (error,) = api.graphs.body(query, at="x", c=past)["errors"]
    assert error["message"].startswith("atVersion: ")


def test_a_position_of_values_is_one_of_any_instant(api: VersionedApi) -> None:
    ids = [api.person(last_name=name) for name in "abc"]
    api.delete(ids[1])
    at = api.at(api.clock.instant - 1)
    assert names(api, at, fromCursor={"_id": ids[1]}) == ["b", "c"]
    assert names(api, at, fromCursor={"_id": ids[1]}, orderBy=["_id___DESC"]) == ["b", "a"]
    assert names(api, at, fromCursor={"_id": None}) == ["a", "b", "c"]
    assert names(api, at, fromCursor={"last_name": "b"}, orderBy=["last_name___ASC"]) == ["b", "c"]
    assert names(api, at, offset=1, next=1) == ["b"]


@pytest.mark.parametrize("fields", ["hasNext", "hasPrev", "hasNext hasPrev", "hasNext hasPrev items { _id }"])
def test_what_lies_around_a_page_does_not_depend_on_what_else_is_selected(
    api: VersionedApi, fields: str
) -> None:
    ids = [api.person(last_name=name) for name in "abc"]
    at = api.at(api.clock.instant)
    every = "hasNext hasPrev items { _id } totalCount"  # reads the whole class
    for options in (
        {"next": 1},
        {"next": 1, "offset": 1},
        {"prev": 1, "offset": 1},
        {"next": 5, "offset": 3},
        {"next": 1, "fromCursor": {"_id": ids[1]}},
        {"prev": 1, "offset": 1, "fromCursor": {"_id": ids[1]}},
    ):
        found, expected = page(api, at, fields, **options), page(api, at, every, **options)
        assert found == {name: expected[name] for name in found}, options


def test_the_objects_that_could_be_associated_are_known_only_now(api: VersionedApi) -> None:
    api.person(last_name="a")
    fields = "items { mentor___associables { hasNext } }"
    query = f"query($at: Datetime) {{ Person___getPage(atVersion: $at) {{ {fields} }} }}"
    (error,) = api.graphs.body(query, at=api.at(api.clock.instant))["errors"]
    assert "Versions don't record" in error["message"]


def by_email(api: VersionedApi, email: str, at: str) -> Any:
    found = api.graphs.ask(
        "query($e: String!, $at: Datetime) { Person___getByEmail(email: $e, atVersion: $at) { last_name } }",
        e=email,
        at=at,
    )
    return found and found["last_name"]


def test_unique_values_lead_to_whoever_had_them(api: VersionedApi) -> None:
    one = api.person(last_name="a", email="x@example.com")
    first = api.clock.instant
    api.update(one, email="y@example.com")
    two = api.person(last_name="b", email="x@example.com")
    second = api.clock.instant
    api.delete(two)
    third = api.clock.instant
    assert by_email(api, "x@example.com", api.at(first)) == "a"
    assert by_email(api, "x@example.com", api.at(first - 1)) is None
    assert by_email(api, "x@example.com", api.at(second - 1)) is None
    assert by_email(api, "x@example.com", api.at(second)) == "b"
    assert by_email(api, "x@example.com", api.at(third)) is None
    assert by_email(api, "y@example.com", api.at(third)) == "a"


def test_a_unique_role_leads_to_its_target_then(api: VersionedApi) -> None:
    mentor = api.person(last_name="m")
    pupil = api.person(last_name="p", mentor=mentor, since=2020)
    at = api.at(api.clock.instant)
    api.delete(pupil)
    api.delete(mentor)
    query = (
        "query($m: ID!, $at: Datetime) "
        "{ Person___getByMentor_Since(mentor: $m, since: 2020, atVersion: $at) { last_name } }"
    )
    assert api.graphs.ask(query, m=mentor, at=at) == {"last_name": "p"}
    assert api.graphs.ask(query, m=mentor, at=api.at(api.clock.instant)) is None


ODD = read_model(
    """
    extend schema @application(name: "Odd") @profile(name: "Administrator", administrator: true)
    type Event @class(versioned: true) @unique(attributes: ["atVersion"]) @unique(attributes: ["name"]) {
      atVersion: String!
      name: String! @text(compare: FOLDED)
    }
    type Setting @class(kind: SINGLETON, versioned: true) { text: String }
    type Plain { name: String }
    """,
    "odd.graphql",
)


class OddApi:
    """The API over events, a versioned setting, and objects without versions."""

    def __init__(self, engine: Engine, model: Model = ODD) -> None:
        self.clock = FrozenClock()
        entities = Repository(engine, model)
        services = Services(model, entities, self.clock, CountedIds(), unlimited_budget)
        self.executor = SchemaExecutor(services, _failed)

    def body(self, query: str) -> Any:

        self.clock.instant += 1000
        return json.loads(self.executor.execute(query, {}, None, ADMINISTRATOR, "t").body)

    def ask(self, query: str) -> Any:
        body = self.body(query)
        assert "errors" not in body, body
        return next(iter(body["data"].values()))


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.fixture
def odd() -> OddApi:
    return OddApi(ReferenceEngine())


def test_an_attribute_may_have_the_name_of_the_argument(odd: OddApi) -> None:
    odd.ask('mutation { Event___create(data: {atVersion: "x", name: "n"}) { _id } }')
    assert odd.ask('{ Event___getByAtVersion(atVersion: "x") { name } }') == {"name": "n"}


def test_unique_values_of_the_past_are_compared_as_those_of_the_present(odd: OddApi) -> None:
    odd.ask('mutation { Event___create(data: {atVersion: "x", name: "STRASSE"}) { _id } }')
    odd.ask('mutation { Event___update(data: {_id: "id1", name: "other"}) { _id } }')
    at = "2020-01-01T12:00:01Z"
    assert odd.ask(f'{{ Event___getByName(name: "straße", atVersion: "{at}") {{ name }} }}') == {
        "name": "STRASSE"
    }


def test_a_singleton_is_read_as_of_an_instant(odd: OddApi) -> None:
    odd.ask('mutation { Setting___update(data: {text: "a"}) { _id } }')
    odd.ask('mutation { Setting___update(data: {text: "b"}) { _id } }')
    assert odd.ask('{ Setting___get(atVersion: "2020-01-01T12:00:00Z") { text } }') is None
    assert odd.ask('{ Setting___get(atVersion: "2020-01-01T12:00:01Z") { text } }') == {"text": "a"}
    assert odd.ask('{ Setting___get(atVersion: "2020-01-01T12:00:02Z") { text } }') == {"text": "b"}


def test_a_class_without_versions_has_no_past(odd: OddApi) -> None:
    for service in ('Plain___get(_id: "x", %s) { _id }', "Plain___getPage(%s) { hasNext }"):
        (error,) = odd.body("{ %s }" % (service % 'atVersion: "2020-01-01T12:00:00Z"'))["errors"]
        assert "atVersion" in error["message"]
