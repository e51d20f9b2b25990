"""What the API shows of files, and how it filters and orders objects by them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.schema.types.files import file_source
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.file_api import BASE_URL, VISITOR, FileApi, stored_file
from tests.fakes import NOON
from tests.rows import each_row
from tests.soak import mostly

INFO = "{ fileId link mimeType name size uploadedOn }"
ROOT = f"{BASE_URL}/auth/file"


@pytest.fixture(params=mostly(["reference", "sqlite"], "sqlite"))
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileApi]:
    """The API over each kind of store."""
    engine = SqliteEngine(tmp_path / "store.db") if request.param == "sqlite" else ReferenceEngine()
    yield FileApi(engine)
    engine.close()


@pytest.fixture
def painter(api: FileApi) -> str:
    """A painter with three versions: without a portrait, and with two."""
    id_ = api.create("Painter", name="Frida", sketches=[{"name": "s"}])
    api.attach("Painter", id_, "portrait", stored_file("f1", "one.png"))
    api.attach("Painter", id_, "portrait", stored_file("f2", "two.png"))
    return id_


FIRST, SECOND = NOON + 2000, NOON + 3000


def link_of(shown: Any) -> str | None:
    """Return the link of a portrait, without what is before its class."""
    return None if shown["portrait"] is None else shown["portrait"]["link"].removeprefix(f"{ROOT}/")


def test_a_file_is_shown_with_all_its_fields(api: FileApi, painter: str) -> None:
    found = api.ask(
        f'{{ Painter___get(_id: "{painter}") {{ has_portrait portrait {INFO} contract {INFO} }} }}'
    )
    assert found == {
        "has_portrait": True,
        "portrait": {
            "fileId": "f2",
            "link": f"{ROOT}/painter/{painter}/portrait",
            "mimeType": "image/png",
            "name": "two.png",
            "size": 12,
            "uploadedOn": "01/01/2020 12:00",
        },
        "contract": None,
    }


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        ('"yyyy"', "2020"),
        ('"iso"', "2020-01-01T12:00:00.000Z"),
        ("null", "01/01/2020 12:00"),
        ("$format", "12"),
    ],
)
def test_the_time_of_the_upload_has_a_format(api: FileApi, painter: str, format_: str, expected: str) -> None:
    head = "query($format: String)" if "$" in format_ else "query"
    selection = f"portrait {{ a: uploadedOn b: uploadedOn(format: {format_}) ... {{ n: name }} link }}"
    query = f'{head} {{ Painter___get(_id: "{painter}") {{ {selection} }} }}'
    assert api.ask(query, format="HH") == {
        "portrait": {
            "a": "01/01/2020 12:00",
            "b": expected,
            "n": "two.png",
            "link": f"{ROOT}/painter/{painter}/portrait",
        }
    }


def test_an_invalid_format_of_the_upload_is_refused_before_anything_is_written(
    api: FileApi, painter: str
) -> None:
    data = f'data: {{_id: "{painter}", name: "x"}}'
    body = api.body(f'mutation {{ Painter___update({data}) {{ portrait {{ uploadedOn(format: "j") }} }} }}')
    (issue,) = [error["extensions"] for error in body["errors"]]
    assert issue["issueType"] == "MALFORMED_REQUEST"
    assert issue["sourceRequestReference"].endswith("portrait.uploadedOn.format")
    assert issue["userMessage"].startswith("FileInfo.uploadedOn(format): ")
    assert api.ask(f'{{ Painter___get(_id: "{painter}") {{ name }} }}') == {"name": "Frida"}


def test_a_historical_version_has_a_link_that_names_it(api: FileApi, painter: str) -> None:
    query = "{ Painter___getVersion(_id: %s, atVersion: %s) { portrait { name link } } }"
    shown = [
        api.ask(query % (json.dumps(painter), json.dumps(api.at(instant))))
        for instant in (FIRST - 1, FIRST, FIRST + 999, SECOND, SECOND + 5)
    ]
    visited = api.ask(query % (json.dumps(painter), json.dumps(api.at(FIRST))), VISITOR)
    historical = f"painter/{painter}/portrait?version={FIRST}"
    current = f"painter/{painter}/portrait"
    assert link_of(visited) == historical
    assert [link_of(each) for each in shown] == [None, historical, historical, current, current]


def test_the_page_of_versions_has_the_link_of_each(api: FileApi, painter: str) -> None:
    options = "options: {orderBy: [_versionStart___ASC]}"
    page = api.ask(
        f'{{ Painter___getVersionPage(_id: "{painter}", {options}) {{ items {{ portrait {INFO} }} }} }}'
    )
    assert [link_of(item) for item in page["items"]] == [
        None,
        f"painter/{painter}/portrait?version={FIRST}",
        f"painter/{painter}/portrait",
    ]


def test_versions_are_ordered_by_a_file(api: FileApi, painter: str) -> None:
    api.attach("Painter", painter, "portrait", stored_file("f3", "a.png"))
    query = """query($id: ID!, $o: PainterPageOptions) { Painter___getVersionPage(_id: $id, options: $o) {
      nextCursor items { portrait { name } } } }"""
    order: dict[str, Any] = {"orderBy": ["portrait___DESC"], "next": 2}
    first = api.ask(query, id=painter, o=order)
    rest = api.ask(query, id=painter, o={**order, "cursor": first["nextCursor"]})
    names = [item["portrait"] and item["portrait"]["name"] for item in first["items"] + rest["items"]]
    assert names == ["two.png", "one.png", "a.png", None]


def test_a_deleted_object_has_links_to_its_last_version(api: FileApi, painter: str) -> None:
    api.clock.instant += 1000
    api.ask(f'mutation {{ Painter___delete(_id: "{painter}") {{ deleted }} }}')
    api.clock.instant += 1000
    at = api.at(SECOND + 1)
    query = f'{{ Painter___getVersion(_id: "{painter}", atVersion: "{at}") {{ portrait {{ link }} }} }}'
    assert link_of(api.ask(query)) == f"painter/{painter}/portrait?version={SECOND}"


def test_a_written_and_a_previewed_object_have_links(api: FileApi, painter: str) -> None:
    api.clock.instant += 1000
    data = f'data: {{_id: "{painter}", _clientId: "c", name: "Kahlo"}}'
    plain = f'data: {{_id: "{painter}", name: "Kahlo"}}'
    shown = [
        api.ask(f"{{ Painter___previewUpdate({plain}) {{ portrait {{ link }} }} }}"),
        api.ask(f"{{ Painter___preview({data}) {{ _clientId portrait {{ link }} }} }}"),
        api.ask(f"mutation {{ Painter___save({data}) {{ _clientId portrait {{ link }} }} }}"),
    ]
    assert {link_of(each) for each in shown} == {f"painter/{painter}/portrait"}


def test_a_part_has_links_by_its_own_class_and_id(api: FileApi, painter: str) -> None:
    query = f'{{ Painter___get(_id: "{painter}") {{ sketches {{ items {{ _id scan {{ link }} }} }} }} }}'
    (sketch,) = api.ask(query)["sketches"]["items"]
    start = api.attach("Sketch", sketch["_id"], "scan", stored_file("s1", "scan.png"))
    (shown,) = api.ask(query)["sketches"]["items"]
    assert shown["scan"]["link"] == f"{ROOT}/sketch/{sketch['_id']}/scan"

    api.attach("Sketch", sketch["_id"], "scan", None)
    api.attach("Painter", painter, "portrait", None)
    found = api.ask(
        f'{{ Painter___getVersion(_id: "{painter}", atVersion: "{api.at(start)}") '
        "{ portrait { link } sketches { items { scan { link } } } } }"
    )
    assert link_of(found) == f"painter/{painter}/portrait?version={SECOND}"
    (scan,) = found["sketches"]["items"]
    assert scan["scan"]["link"] == f"{ROOT}/sketch/{sketch['_id']}/scan?version={start}"


def test_roles_lead_to_objects_with_links(api: FileApi, painter: str) -> None:
    work = api.create("Work", name="w", painter=painter)
    api.attach("Work", work, "picture", stored_file("w1", "w.png"))
    to_one = api.ask(
        f'{{ Work___get(_id: "{work}") {{ picture {{ link }} painter {{ portrait {{ link }} }} }} }}'
    )
    to_many = api.ask(
        f'{{ Painter___get(_id: "{painter}") {{ works {{ items {{ picture {{ link }} }} }} }} }}'
    )
    assert to_one["picture"]["link"] == f"{ROOT}/work/{work}/picture"
    assert link_of(to_one["painter"]) == f"painter/{painter}/portrait"
    assert to_many["works"]["items"] == [{"picture": to_one["picture"]}]


def test_an_object_without_versions_has_a_plain_link_beside_historical_ones(
    api: FileApi, painter: str
) -> None:
    work = api.create("Work", name="w", painter=painter)
    api.attach("Work", work, "picture", stored_file("w1", "w.png"))
    found = api.ask(
        f'{{ Painter___getVersion(_id: "{painter}", atVersion: "{api.at(FIRST)}") '
        "{ works { items { picture { link } } } } }"
    )
    assert found["works"]["items"] == [{"picture": {"link": f"{ROOT}/work/{work}/picture"}}]


def test_a_singleton_has_a_link(api: FileApi) -> None:
    id_ = str(api.ask("{ House___get { _id } }")["_id"])
    api.ask("mutation { House___update(data: {}) { _id } }")
    api.attach("House", id_, "logo", stored_file("l", "logo.svg"))
    assert api.ask("{ House___get { logo { link } } }") == {"logo": {"link": f"{ROOT}/house/{id_}/logo"}}


def test_a_changed_file_is_in_the_difference_of_versions_as_json(api: FileApi, painter: str) -> None:
    query = (
        f'{{ Painter___getVersionDiff(_id: "{painter}", from: "{api.at(FIRST)}", to: "{api.at(SECOND)}") '
        "{ changes { name old new } } }"
    )
    (change,) = api.ask(query)["changes"]
    assert change["name"] == "portrait"
    assert json.loads(change["old"]) == stored_file("f1", "one.png")
    assert json.loads(change["new"]) == stored_file("f2", "two.png")


REFERENCE = {
    "pendingFileId": "p",
    "fileId": "f1",
    "mimeType": "",
    "name": "b",
    "size": 0,
    "uploadedOn": "2020-01-01T00:00:00Z",
}
"""A reference that agrees with a stored file only by its `fileId`."""


@pytest.fixture
def works(api: FileApi) -> dict[str, str]:
    """Works by id, with the names of their pictures."""
    names = {"f1": "b", "f2": "a", "f3": "b", "": "", "f4": "Z", "f5": "\U0001f600", "f6": "\uffff"}
    ids = {}
    for file_id, name in names.items():
        id_ = api.create("Work", name=f"work {file_id}")
        if file_id:
            api.attach("Work", id_, "picture", stored_file(file_id, name))
        ids[id_] = file_id
    return ids


PAGE = (
    "query($o: WorkPageOptions) { Work___getPage(options: $o) "
    "{ totalCount hasNext hasPrev nextCursor prevCursor items { _id picture { name link } } } }"
)


@each_row(
    ("filter_", "expected"),
    [
        ({"picture___eq": REFERENCE}, ["f1"]),
        ({"picture___ne": REFERENCE}, ["f2", "f3", "", "f4", "f5", "f6"]),
        ({"picture___eq": None}, [""]),
        ({"picture___ne": None}, ["f1", "f2", "f3", "f4", "f5", "f6"]),
        ({"picture___null": True}, [""]),
        ({"picture___null": False}, ["f1", "f2", "f3", "f4", "f5", "f6"]),
        ({"picture___not___null": True}, ["f1", "f2", "f3", "f4", "f5", "f6"]),
        ({"NOT": {"picture___eq": REFERENCE}}, ["f2", "f3", "", "f4", "f5", "f6"]),
        ({"OR": [{"picture___eq": REFERENCE}, {"picture___eq": None}]}, ["f1", ""]),
        ({"OR": [{"picture___eq": {**REFERENCE, "fileId": f"f{n}"}} for n in (2, 4)]}, ["f2", "f4"]),
        ({"picture___eq": {**REFERENCE, "fileId": "F1"}}, []),
        ({"picture___eq": REFERENCE, "name___eq": "work f1"}, ["f1"]),
    ],
)
def test_files_are_compared_by_file_id(
    api: FileApi, works: dict[str, str], filter_: dict[str, Any], expected: list[str]
) -> None:
    page = api.ask(PAGE, o={"filter": filter_})
    assert [works[item["_id"]] for item in page["items"]] == expected
    assert page["totalCount"] == len(expected)


@each_row(
    ("changed", "message"),
    [
        ({"size": -1}, "Work.picture___eq: size: -1 is not a file size."),
        ({"uploadedOn": "never"}, 'Work.picture___eq: uploadedOn: "never" is not a valid Datetime.'),
        ({"fileId": "\ud800"}, "Work.picture___eq: fileId: The text is not a valid String."),
    ],
)
def test_a_malformed_reference_in_a_filter_is_refused(
    api: FileApi, changed: dict[str, Any], message: str
) -> None:
    body = api.body(PAGE, o={"filter": {"picture___eq": {**REFERENCE, **changed}}})
    (issue,) = [error["extensions"] for error in body["errors"]]
    assert issue["issueType"] == "DATA_TYPE"
    assert issue["attributeNames"] == ["picture"]
    assert issue["userMessage"].startswith(message)


@each_row("wrong", [{"pendingFileId": "p"}, {**REFERENCE, "link": "x"}, "f1", [REFERENCE] * 2])
def test_what_is_no_reference_is_refused_by_its_type(api: FileApi, wrong: Any) -> None:
    body = api.body(PAGE, o={"filter": {"picture___eq": wrong}})
    assert body.keys() == {"errors"}
    assert "picture___eq" in body["errors"][0]["message"]


ORDERED = ["", "f4", "f2", "f1", "f3", "f6", "f5"]
"""Null, and then by the name's code points; equal names by id."""


@each_row("size", [1, 2, 3, 7])
@each_row("down", [False, True])
def test_files_are_ordered_by_name_and_then_by_id(
    api: FileApi, works: dict[str, str], size: int, *, down: bool
) -> None:
    order = ["picture___DESC", "_id___DESC"] if down else ["picture___ASC"]
    expected = ORDERED[::-1] if down else ORDERED
    for step, cursor in (("next", "nextCursor"), ("prev", "prevCursor")):
        found: list[str] = []
        options: dict[str, Any] = {"orderBy": order, step: size}
        while True:
            page = api.ask(PAGE, o=options)
            names = [works[item["_id"]] for item in page["items"]]
            found = found + names if step == "next" else names + found
            assert page["totalCount"] == len(expected)
            if not page["hasNext" if step == "next" else "hasPrev"]:
                break
            options["cursor"] = page[cursor]
        assert found == expected


@each_row(
    ("values", "expected"),
    [
        ({"picture": REFERENCE}, ["f1", "f3", "f6", "f5"]),
        ({"picture": {**REFERENCE, "name": "aa"}}, ["f1", "f3", "f6", "f5"]),
        ({"picture": None}, ORDERED),
    ],
)
def test_a_page_starts_from_the_name_of_a_file(
    api: FileApi, works: dict[str, str], values: dict[str, Any], expected: list[str]
) -> None:
    page = api.ask(PAGE, o={"orderBy": ["picture___ASC"], "fromCursor": values})
    assert [works[item["_id"]] for item in page["items"]] == expected


def test_a_file_breaks_ties_of_an_index(api: FileApi, works: dict[str, str]) -> None:
    for id_ in works:
        api.ask(f'mutation {{ Work___update(data: {{_id: "{id_}", name: "same"}}) {{ _id }} }}')
    found = [
        works[item["_id"]] for item in api.ask(PAGE, o={"orderBy": ["name___ASC", "picture___ASC"]})["items"]
    ]
    assert found == ORDERED


def test_an_unreadable_file_is_treated_as_any_other_attribute(api: FileApi, painter: str) -> None:
    api.attach("Painter", painter, "contract", stored_file("c1", "contract.pdf"))
    get = f'{{ Painter___get(_id: "{painter}") {{ name portrait {{ name }} contract {{ link }} }} }}'
    issues = [error["extensions"] for error in api.body(get, VISITOR)["errors"]]
    assert [(issue["issueType"], issue["attributeNames"]) for issue in issues] == [
        ("ATTRIBUTE_GRANT_READ", ["contract"])
    ]
    for options in (
        "filter: {contract___null: true}",
        "orderBy: [contract___ASC]",
        'filter_exp: "isNull(contract)"',
    ):
        body = api.body(f"{{ Painter___getPage(options: {{{options}}}) {{ totalCount }} }}", VISITOR)
        (issue,) = [error["extensions"] for error in body["errors"]]
        assert issue["attributeNames"] == ["contract"]

    diff = (
        f'{{ Painter___getVersionDiff(_id: "{painter}", from: "{api.at(FIRST)}", '
        f'to: "{api.at(SECOND + 60_000)}") {{ changes {{ name }} }} }}'
    )
    assert api.ask(diff)["changes"] == [{"name": "portrait"}, {"name": "contract"}]
    assert api.ask(diff, VISITOR)["changes"] == [{"name": "portrait"}]


def test_a_preview_of_a_pending_file_has_a_link_to_it() -> None:
    source = file_source("Painter", "portrait")({"_id": None, "portrait": {**REFERENCE, "size": 1}}, BASE_URL)
    assert source is not None
    assert source["link"] == f"{ROOT}/painter/portrait/pending/p"


def test_expressions_only_ask_whether_there_is_a_file(api: FileApi, works: dict[str, str]) -> None:
    page = api.ask(PAGE, o={"filter_exp": "isNull(picture)"})
    assert [works[item["_id"]] for item in page["items"]] == [""]
    body = api.body(PAGE, o={"filter_exp": "picture == 'f1'"})
    assert [error["extensions"]["issueType"] for error in body["errors"]] == ["MALFORMED_REQUEST"]
