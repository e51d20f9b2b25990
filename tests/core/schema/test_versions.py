"""The services that read versions, over each kind of store."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.instant import Instant, parse_instant
from stratabase.core.domain.objects.version import parse_version_instant
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.values.formats.preferences import Formats
from tests.core.schema.graph_api import GraphApi
from tests.core.schema.versioned_api import FORMAT, TIMES, VersionedApi
from tests.everything_model import EverythingObjects
from tests.fakes import NOON
from tests.rows import each_row

HOUR = 3_600_000

_DATETIME = DatetimeType()


@pytest.fixture
def api(graphs: GraphApi) -> VersionedApi:
    return VersionedApi(graphs)


@pytest.fixture
def alan(api: VersionedApi) -> str:
    """A person with five versions of one second each, the last of which is the present one."""
    id_ = api.person(last_name="a")
    for name in "bcde":
        api.update(id_, last_name=name)
    return id_


def check_agreement(api: VersionedApi, id_: str) -> None:
    """Assert that getVersion and getVersionPage agree around the start and the end of each version."""
    items = api.page(id_, next=100)["items"]
    formats = api.graphs.caller.formats
    starts = {room_start(item, formats) for item in items}
    ends = {end for item in items if (end := room_end(item, formats)) is not None}
    assert starts
    compared = 0
    for instant in {edge + beside for edge in starts | ends for beside in (-1, 0, 1)}:
        covering = [item for item in items if holds_at(item, instant, formats)]
        assert len(covering) <= 1
        text = api.at(instant)
        if len(parse_version_instant(text, formats)) == 1:  # in the hour that occurs twice, there are two
            compared += 1
            assert api.version(id_, text) == (covering[0] if covering else None), text
    assert compared >= len(starts)


def room_start(item: dict[str, Any], formats: Formats) -> Instant:
    return parse_version_instant(item["_versionStart"], formats)[0]


def room_end(item: dict[str, Any], formats: Formats) -> Instant | None:
    return None if item["_versionEnd"] is None else parse_version_instant(item["_versionEnd"], formats)[0]


def holds_at(item: dict[str, Any], instant: Instant, formats: Formats) -> bool:
    end = room_end(item, formats)
    return room_start(item, formats) <= instant and (end is None or instant < end)


def test_get_version_agrees_with_the_page_at_every_boundary(api: VersionedApi, alan: str) -> None:
    check_agreement(api, alan)
    api.delete(alan)
    check_agreement(api, alan)
    api.restore(alan, api.at(NOON + 1000), force=True)
    check_agreement(api, alan)


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0, 1, 2, 999, 1000, 60_000, -1, -5000, -HOUR]), min_size=1, max_size=12))
def test_get_version_agrees_with_the_page_after_clock_changes(steps: Sequence[int]) -> None:
    """The clock stands, jumps back, and goes on: intervals touch, and start later and later."""
    api = VersionedApi(GraphApi(EverythingObjects()))
    id_ = api.person(last_name="0")
    for number, step in enumerate(steps, 1):
        api.clock.instant += step - 1000
        api.update(id_, last_name=str(number))
    items = api.page(id_, next=100)["items"]
    assert [item["last_name"] for item in items] == [str(number) for number in range(len(steps) + 1)]
    for one, next_ in pairwise(items):
        assert one["_versionEnd"] == next_["_versionStart"]
        assert one["_versionStart"] != one["_versionEnd"]
    check_agreement(api, id_)


def test_an_instant_outside_the_lifetime_or_an_unknown_id_has_no_version(
    api: VersionedApi, alan: str
) -> None:
    api.delete(alan)
    for id_, instant in ((alan, NOON), (alan, NOON + 6000), ("nobody", NOON), ("é" * 300, NOON)):
        assert api.version(id_, api.at(instant)) is None
    assert api.version(alan, "01-01-0001 00:00:00.000") is None
    assert api.version(alan, "31-12-9999 23:59:59.999") is None
    assert api.page("nobody", "totalCount items { _id } hasNext hasPrev nextCursor") == {
        "totalCount": 0,
        "items": [],
        "hasNext": False,
        "hasPrev": False,
        "nextCursor": None,
    }


def test_the_current_version_has_no_end_in_any_service(api: VersionedApi, alan: str) -> None:
    shown = {"_versionStart": api.at(NOON + 5000), "_versionEnd": None}
    assert api.graphs.get("Person", alan, TIMES) == shown
    by_page = api.graphs.ask(f"{{ Person___getPage {{ items {{ {TIMES} }} }} }}")
    assert by_page["items"] == [shown]
    written = api.update(alan, last_name="f")
    assert written["_versionStart"] == api.at(NOON + 6000)
    assert api.graphs.ask(
        f'{{ Person___getVersion(_id: "{alan}", atVersion: "{api.at(NOON + 1000)}") {{ {TIMES} }} }}'
    ) == {
        "_versionStart": api.at(NOON + 1000),
        "_versionEnd": api.at(NOON + 2000),
    }


def test_version_times_accept_formats(api: VersionedApi, alan: str) -> None:
    selection = '_versionStart day: _versionStart(format: "yyyy-MM-dd") _versionEnd(format: "HH:mm:ss")'
    assert api.version(alan, api.at(NOON + 1000), selection) == {
        "_versionStart": "01/01/2020 12:00",
        "day": "2020-01-01",
        "_versionEnd": "12:00:02",
    }


def test_pages_of_a_class_can_be_ordered_by_version_start(api: VersionedApi) -> None:
    one, other = api.person(last_name="one"), api.person(last_name="other")
    api.update(one, last_name="later")
    options = "options: {orderBy: [_versionStart___%s], next: 1%s}"
    page = f"{{ Person___getPage({options}) {{ items {{ _id }} nextCursor }} }}"
    first = api.graphs.ask(page % ("DESC", ""))
    second = api.graphs.ask(page % ("DESC", f', cursor: "{first["nextCursor"]}"'))
    assert [first["items"], second["items"]] == [[{"_id": one}], [{"_id": other}]]
    since = f', fromCursor: {{_versionStart: "{api.at(NOON)[6:10]}-01-01T12:00:02.500Z"}}'
    assert api.graphs.ask(page % ("ASC", since))["items"] == [{"_id": one}]


@each_row(
    "query",
    [
        "{ Person___getPage { items { began: START } } }",
        "{ Person___getPage { ...F } } fragment F on PersonPage { items { ... on Person { began: START } } }",
        "{ Person___getPage { items { last_name } items { began: START } } }",
    ],
)
def test_a_page_of_a_class_shows_version_starts_wherever_selected(
    api: VersionedApi, alan: str, query: str
) -> None:
    """They are read only if they are selected."""
    (last,) = api.page(alan, prev=1)["items"]
    query = query.replace("START", f'_versionStart(format: "{FORMAT}")')
    for _ in range(3):
        (person,) = api.graphs.ask(query)["items"]
        assert person["began"] == last["_versionStart"]


ORDERS: list[tuple[list[str], str]] = [
    ([], "abcde"),
    (["_id___ASC"], "abcde"),
    (["_id___DESC"], "abcde"),
    (["_versionStart___ASC"], "abcde"),
    (["_versionStart___DESC"], "edcba"),
    (["_id___DESC", "_versionStart___DESC"], "edcba"),
    (["_versionEnd___ASC"], "eabcd"),
    (["_versionEnd___DESC"], "dcbae"),
    (["last_name___DESC"], "edcba"),
    (["email___ASC", "last_name___DESC"], "edcba"),
    (["email___ASC"], "abcde"),
]


@each_row(("order", "names"), ORDERS)
def test_versions_come_in_every_order_with_cursors_both_ways(
    api: VersionedApi, alan: str, order: list[str], names: str
) -> None:
    options: dict[str, Any] = {"orderBy": order} if order else {}
    assert "".join(api.names(alan, **options)) == names
    for way, across in (("next", names), ("prev", names[::-1])):
        found, cursor = "", None
        while len(found) < len(names):
            page = api.page(
                alan,
                "items { last_name } hasNext hasPrev nextCursor prevCursor",
                **options,
                **{way: 2},
                **({"cursor": cursor} if cursor else {}),
            )
            shown = "".join(item["last_name"] for item in page["items"])
            found += shown if way == "next" else shown[::-1]
            cursor = page["nextCursor" if way == "next" else "prevCursor"]
            at_end = len(found) == len(names)
            assert page["hasNext" if way == "next" else "hasPrev"] == (not at_end)
            assert page["hasPrev" if way == "next" else "hasNext"] == (len(found) > len(shown))
        assert found == across


def test_a_position_can_be_given_by_a_version_start(api: VersionedApi, alan: str) -> None:
    start = {"_versionStart": "2020-01-01T12:00:03.000Z"}
    assert api.names(alan, orderBy=["_versionStart___ASC"], fromCursor=start) == ["c", "d", "e"]
    assert api.names(alan, orderBy=["_versionStart___DESC"], fromCursor=start) == ["c", "b", "a"]
    assert api.names(alan, orderBy=["_versionStart___ASC"], fromCursor=start, prev=1) == ["c"]
    assert api.names(alan, fromCursor={"_id": alan, **start}) == ["c", "d", "e"]
    assert api.names(alan, fromCursor={"_id": alan}) == ["a", "b", "c", "d", "e"]


def test_a_page_of_versions_cannot_be_filtered_along_roles(api: VersionedApi, alan: str) -> None:
    query = (
        """query($id: ID!) { Person___getVersionPage(_id: $id, options: {filter: {team: {}}}) { hasNext } }"""
    )
    (error,) = api.graphs.body(query, id=alan)["errors"]
    assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
    assert error["extensions"]["roleNames"] == ["team"]
    assert error["message"].startswith("Person.team can't be used to filter versions.")


def test_filters_along_roles_of_a_version_test_objects_as_of_then(api: VersionedApi) -> None:
    ada = api.person(last_name="Ada")
    bob = api.person(last_name="Bob", mentor=ada)
    before = api.at(api.clock.instant)
    api.update(ada, last_name="Zoe")
    now = api.at(api.clock.instant)
    pupils = 'pupils(options: {filter: {mentor: {last_name___eq: "Ada"}}}) { items { _id } }'
    assert api.version(ada, before, pupils) == {"pupils": {"items": [{"_id": bob}]}}
    assert api.version(ada, now, pupils) == {"pupils": {"items": []}}


@each_row("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_the_first_and_the_last_instant_are_valid_in_every_time_zone(
    api: VersionedApi, alan: str, zone: str
) -> None:
    """In UTC, some of them are in a year that is out of range."""
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone=zone))
    first, last = "01-01-0001 00:00:00.000", "31-12-9999 23:59:59.999"
    assert api.version(alan, first) is None
    assert api.version(alan, last)["last_name"] == "e"
    assert api.diff(alan, first, last)["last_name"]["new"] == '"e"'
    order = {"orderBy": ["_versionStart___ASC"]}
    assert api.names(alan, **order, fromCursor={"_versionStart": "0001-01-01T00:00:00"}) == [*"abcde"]
    assert api.names(alan, **order, fromCursor={"_versionStart": "9999-12-31T23:59:59.999"}) == []


def test_each_version_of_a_page_shows_its_roles_as_of_its_start(api: VersionedApi) -> None:
    mentor = api.person(last_name="old name")
    pupil = api.person(last_name="pupil", mentor=mentor)
    api.update(mentor, last_name="new name")
    api.update(pupil, last_name="same pupil")
    api.update(pupil, mentor={"remove": True})
    selection = "items { mentor { last_name pupils { items { last_name } } } }"
    shown = [item["mentor"] for item in api.page(pupil, selection)["items"]]
    assert shown == [
        {"last_name": "old name", "pupils": {"items": [{"last_name": "pupil"}]}},
        {"last_name": "new name", "pupils": {"items": [{"last_name": "same pupil"}]}},
        None,
    ]
    pupils = "items { last_name pupils { totalCount } }"
    counted = [item["pupils"]["totalCount"] for item in api.page(mentor, pupils)["items"]]
    assert counted == [0, 1]


def test_a_one_to_one_role_shows_the_former_partner(api: VersionedApi) -> None:
    one, other = api.person(last_name="one"), api.person(last_name="other")
    api.clock.instant += 1000
    desk = api.graphs.create("Desk", number=1, owner=one)
    api.clock.instant += 1000
    api.graphs.update("Desk", "_id", _id=desk, owner={"set": other})
    now = api.graphs.get("Desk", desk, "owner { last_name }")
    assert now == {"owner": {"last_name": "other"}}
    selection = "desk { number owner { last_name } }"
    at = [api.at(NOON + second * 1000) for second in (3, 4)]
    assert api.version(one, at[0], selection) == {"desk": {"number": 1, "owner": {"last_name": "one"}}}
    assert api.version(other, at[0], selection) == {"desk": None}
    assert api.version(one, at[1], selection) == {"desk": None}
    assert api.version(other, at[1], selection) == {"desk": {"number": 1, "owner": {"last_name": "other"}}}


def test_versions_have_no_lock(api: VersionedApi, alan: str) -> None:
    api.graphs.ask(f'mutation {{ lock(locks: [{{entityName: Person, _id: "{alan}"}}]) {{ locked }} }}')
    mine = {"_lock": {"mine": True}}
    assert api.graphs.get("Person", alan, "_lock { mine }") == mine
    for second in (1, 5, 9):
        assert api.version(alan, api.at(NOON + second * 1000), "_lock { mine }") == {"_lock": None}
    assert api.page(alan, "items { _lock { mine } }")["items"] == [{"_lock": None}] * 5


def test_associables_of_a_version_are_refused(api: VersionedApi, alan: str) -> None:
    query = """query($id: ID!, $at: Datetime!) {
      Person___getVersion(_id: $id, atVersion: $at) { mentor___associables { totalCount } } }"""
    (error,) = api.graphs.body(query, id=alan, at=api.at(NOON + 1000))["errors"]
    assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
    assert "Versions don't record" in error["message"]


ZONES = {
    "Europe/Rome": ["2020-10-25T00:30:00.000Z", "2020-10-25T01:30:00.000Z", "2020-03-29T01:00:00.000Z"],
    "America/New_York": ["2020-11-01T05:30:00.000Z", "2020-11-01T06:30:00.000Z", "2020-03-08T07:00:00.000Z"],
}


@each_row("first", [0, 1, 2])
@each_row("beside", [-HOUR, -1, 0, 1, 59 * 60_000, HOUR])
@each_row("zone", ZONES)
def test_a_formatted_version_start_finds_its_version_at_clock_changes(
    api: VersionedApi, zone: str, first: int, beside: int
) -> None:
    """This includes an hour that the clock shows twice, if no version began at that time in the other one."""
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone=zone))
    began = parse_instant(ZONES[zone][first]) + beside
    api.clock.instant = began - 1000
    id_ = api.person(last_name="first")
    api.clock.instant = began + 2 * HOUR
    api.update(id_, last_name="second")
    versions = api.page(id_)["items"]
    assert [version["last_name"] for version in versions] == ["first", "second"]
    for version in versions:
        assert api.version(id_, version["_versionStart"]) == version
        changes = api.diff(id_, version["_versionStart"], version["_versionStart"])
        assert changes == {}
        assert api.graphs.get("Person", id_, TIMES)["_versionEnd"] is None


@each_row("zone", ZONES)
def test_an_ambiguous_version_start_means_the_earlier_version(api: VersionedApi, zone: str) -> None:
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone=zone))
    early, late, _ = map(parse_instant, ZONES[zone])
    api.clock.instant = early - 1000
    id_ = api.person(last_name="early")
    api.clock.instant = late - 1000
    api.update(id_, last_name="late")
    one, other = api.page(id_)["items"]
    assert one["_versionStart"] == other["_versionStart"]
    assert api.version(id_, one["_versionStart"])["last_name"] == "early"
    given = {"id": id_, "v": one["_versionStart"]}
    query = """mutation($id: ID!, $v: Datetime!)
               { Person___update(data: {_id: $id, last_name: "on"}, ifVersion: $v) { last_name } }"""
    assert api.graphs.ask(query, **given) == {"last_name": "on"}


def test_the_end_of_a_deleted_object_is_found_in_a_repeated_hour(api: VersionedApi) -> None:
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone="Europe/Rome"))
    early, late, _ = map(parse_instant, ZONES["Europe/Rome"])
    api.clock.instant = early - HOUR
    id_ = api.person(last_name="a")
    api.clock.instant = late - 1000
    api.delete(id_)
    (version,) = api.page(id_)["items"]
    assert api.version(id_, version["_versionEnd"]) is None
    assert api.version(id_, api.at(late - 1))["last_name"] == "a"


@each_row("given", ["2020-01-01T12:00:01", "2020-01-01", "01/01/2020 12:00", "01-01-2020", "", 5, True])
def test_any_other_format_is_refused_with_the_expected_one(api: VersionedApi, alan: str, given: Any) -> None:
    calls = [
        ("query($x: Datetime!) { r: Person___getVersion(_id: %s, atVersion: $x) { _id } }", ["atVersion"]),
        (
            "query($x: Datetime!) { r: Person___getVersionDiff(_id: %s, from: $x, to: $x) { from } }",
            ["from", "to"],
        ),
        (
            "mutation($x: Datetime!) { r: Person___restoreVersion(_id: %s, atVersion: $x) { _id } }",
            ["atVersion"],
        ),
        ("mutation($x: Datetime!) { r: Person___delete(_id: %s, ifVersion: $x) { deleted } }", ["ifVersion"]),
        (
            "mutation($x: Datetime!) { r: Person___update(data: {_id: %s}, ifVersion: $x) { _id } }",
            ["ifVersion"],
        ),
        (
            "mutation($x: Datetime!) { r: Person___save(data: {_id: %s}, ifVersion: $x) { _id } }",
            ["ifVersion"],
        ),
    ]
    for query, places in calls:
        body = api.graphs.body(query % f'"{alan}"', x=given)
        issues = [error["extensions"] for error in body["errors"]]
        assert [(each["issueType"], each["sourceRequestReference"]) for each in issues] == [
            ("DATA_TYPE", f"r.{place}") for place in places
        ]
        for error in body["errors"]:
            assert FORMAT in error["message"]
            assert "or ISO 8601 with an offset (for example, 2020-12-31T18:30:00.000Z)." in error["message"]
    assert api.version(alan, api.at(NOON + 9000))["last_name"] == "e"


@each_row("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_a_version_start_in_iso_8601_names_that_version(api: VersionedApi, alan: str, zone: str) -> None:
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone=zone))
    selection = 'items { last_name s: _versionStart(format: "iso") }'
    for item in api.page(alan, selection)["items"]:
        assert api.version(alan, item["s"])["last_name"] == item["last_name"]
    diff = api.diff(alan, "2020-01-01T12:00:02Z", "2020-01-01T17:45:05.000+05:45")
    assert (diff["last_name"]["old"], diff["last_name"]["new"]) == ('"b"', '"e"')
    query = """query($id: ID!) { d: Person___getVersionDiff(_id: $id, from: "2020-01-01T12:00:02Z",
      to: "2020-01-01T12:00:05Z") { to(format: "iso") changes { changedOn(format: "iso") } } }"""
    shown = api.graphs.ask(query, id=alan)
    to = _DATETIME.serializer("iso", Formats(time_zone=zone))("2020-01-01T12:00:05.000Z")
    assert shown == {"to": to, "changes": [{"changedOn": to}] * 2}


def test_an_offset_tells_the_two_hours_apart_when_clocks_are_put_back(api: VersionedApi) -> None:
    api.graphs.caller = replace(api.graphs.caller, formats=Formats(time_zone="Europe/Rome"))
    api.clock.instant = parse_instant("2020-10-25T00:29:59.000Z")
    id_ = api.person(last_name="first")
    api.clock.instant = parse_instant("2020-10-25T01:29:59.000Z")
    api.update(id_, last_name="second")
    assert api.version(id_, "2020-10-25T02:30:00.000+02:00")["last_name"] == "first"
    assert api.version(id_, "2020-10-25T02:30:00+01:00")["last_name"] == "second"
    query = "mutation($x: Datetime!) { r: Person___delete(_id: %s, ifVersion: $x) { deleted } }"
    body = api.graphs.body(query % f'"{id_}"', x="2020-10-25T02:30:00.000+02:00")
    assert body["errors"][0]["extensions"]["issueType"] != "DATA_TYPE"
    body = api.graphs.body(query % f'"{id_}"', x="2020-10-25T02:30:00.000+01:00")
    assert body["data"] == {"r": {"deleted": True}}


def test_a_diff_shows_who_changed_a_value_and_when(api: VersionedApi, alan: str) -> None:
    api.update(alan, height=180, salary="1.50", born="2000-01-31", remote=True)
    api.update(alan, height=181)
    changes = api.diff(alan, api.at(NOON + 2000), api.at(NOON + 7000))
    assert changes["last_name"] == {
        "old": '"b"',
        "new": '"e"',
        "changedBy": "ada",
        "changedOn": api.at(NOON + 5000),
    }
    result = {name: (each["new"], each["changedOn"]) for name, each in changes.items() if each["old"] is None}
    late, later = api.at(NOON + 6000), api.at(NOON + 7000)
    assert result == {
        "height": ("181", later),
        "salary": ('"1.5"', late),
        "born": ('"2000-01-31"', late),
        "remote": ("true", late),
    }
    assert changes["_lastmodifiedon"]["new"] == '"2020-01-01T12:00:07.000Z"'


def test_a_diff_can_be_read_backwards(api: VersionedApi, alan: str) -> None:
    changes = api.diff(alan, api.at(NOON + 5000), api.at(NOON + 2000))
    assert (changes["last_name"]["old"], changes["last_name"]["new"]) == ('"e"', '"b"')
    assert changes["last_name"]["changedOn"] == api.at(NOON + 5000)


def test_a_diff_shows_roles_by_ids(api: VersionedApi) -> None:
    mentor = api.person(last_name="m")
    id_ = api.person(last_name="a", phones=[{"digits": "1"}])
    phones = [
        each["_id"] for each in api.graphs.get("Person", id_, "phones { items { _id } }")["phones"]["items"]
    ]
    api.update(id_, mentor={"set": mentor}, phones={"create": [{"digits": "2"}]})
    more = [
        each["_id"] for each in api.graphs.get("Person", id_, "phones { items { _id } }")["phones"]["items"]
    ]
    changes = api.diff(id_, api.at(NOON + 2000), api.at(NOON + 3000))
    listed = '["{}"]'.format('","'.join(phones)), '["{}"]'.format('","'.join(more))
    assert (changes["phones"]["old"], changes["phones"]["new"]) == listed
    assert (changes["mentor"]["old"], changes["mentor"]["new"]) == (None, f'"{mentor}"')


def test_a_diff_before_the_creation_shows_all_values(api: VersionedApi, alan: str) -> None:
    api.delete(alan)
    created = api.diff(alan, api.at(NOON), api.at(NOON + 1000))
    assert created["last_name"] == {
        "old": None,
        "new": '"a"',
        "changedBy": "ada",
        "changedOn": api.at(NOON + 1000),
    }
    gone = api.diff(alan, api.at(NOON + 5000), api.at(NOON + 9000))
    assert gone["last_name"] == {
        "old": '"e"',
        "new": None,
        "changedBy": None,
        "changedOn": api.at(NOON + 6000),
    }
    query = '{ Person___getVersionDiff(_id: "nobody", from: "%s", to: "%s") { from } }'
    assert api.graphs.ask(query % (api.at(NOON), api.at(NOON))) is None


def test_a_singleton_has_versions_without_an_id(api: VersionedApi) -> None:
    early = api.at(NOON)
    for name in "ab":
        api.clock.instant += 1000
        api.graphs.ask(f'mutation {{ House___update(data: {{name: "{name}"}}) {{ _id }} }}')
    query = '{ House___getVersion(atVersion: "%s") { _id name } }'
    assert api.graphs.ask(query % early) is None
    assert api.graphs.ask(query % api.at(NOON + 1000)) == {"_id": "1", "name": "a"}
    page = api.graphs.ask("{ House___getVersionPage { totalCount items { name } } }")
    assert page == {"totalCount": 2, "items": [{"name": "a"}, {"name": "b"}]}
    diff = '{ House___getVersionDiff(from: "%s", to: "%s") { changes { name old new } } }'
    changes = api.graphs.ask(diff % (api.at(NOON + 1000), api.at(NOON + 2000)))["changes"]
    assert {"name": "name", "old": '"a"', "new": '"b"'} in changes
    restore = f'mutation {{ House___restoreVersion(atVersion: "{api.at(NOON + 1000)}") {{ name }} }}'
    assert api.graphs.ask(restore) == {"name": "a"}
