"""Previews of incomplete drafts: given and derived values, with the issues."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.schema.services import previews
from tests.core.schema.graph_api import GraphApi

CREATE = """query($data: PersonDraftCreate!) { it: Person___previewCreate(data: $data) { %s } }"""
UPDATE = """query($data: PersonDraftUpdate!) { it: Person___previewUpdate(data: $data) { %s } }"""
SAVE = """query($data: PersonDraft!) { it: Person___preview(data: $data) { %s } }"""
COMPLAINT = """query($data: ComplaintDraftCreate!) { it: Complaint___previewCreate(data: $data) { %s } }"""

Issues = list[tuple[str, str]]


def previewed(graphs: GraphApi, query: str, data: dict[str, Any]) -> tuple[Any, Issues]:
    """Return a preview and its issues. The request is sent three times, from the second on compiled."""
    bodies = [graphs.body(query, data=data) for _ in range(3)]
    assert bodies[0] == bodies[1] == bodies[2]
    (body, *_) = bodies
    errors = body.get("errors", [])
    for error in errors:
        assert list(error) == ["message", "locations", "path", "extensions"]
        assert (error["path"], error["message"]) == (["it"], error["extensions"]["userMessage"])
        assert len(error["locations"]) == 1
    found = [error["extensions"] for error in errors]
    issues = [
        (issue["issueType"], issue["sourceRequestReference"].removeprefix("it.data")) for issue in found
    ]
    return body["data"]["it"], issues


def test_an_incomplete_new_object_is_shown(graphs: GraphApi) -> None:
    """Without anything that it must have."""
    data = {"email": "li@x.org", "salary": "9", "born": "29/02/2000", "addresses": [{"rooms": [{}]}]}

    shown, issues = previewed(
        graphs,
        CREATE
        % """_id last_name email label introduction wage birthday past own team { name } team_name
        pupil_count room_count skills { totalCount } contract { days }
        addresses { items { street owner rooms { totalCount } } }""",
        data,
    )

    assert shown == {
        "_id": None,
        "last_name": None,
        "email": "li@x.org",
        "label": None,
        "introduction": None,
        "wage": "3",
        "birthday": 229,
        "past": True,
        "own": True,
        "team": None,
        "team_name": None,
        "pupil_count": 0,
        "room_count": 1,
        "skills": {"totalCount": 0},
        "contract": None,
        "addresses": {"items": [{"street": None, "owner": None, "rooms": {"totalCount": 1}}]},
    }
    assert sorted(issues) == [
        ("ATTRIBUTE_REQUIRED", ".addresses.0.rooms.0.name"),
        ("ATTRIBUTE_REQUIRED", ".addresses.0.street"),
        ("ATTRIBUTE_REQUIRED", ".last_name"),
        ("ROLE_CARDINALITY", ".contract"),
        ("ROLE_CARDINALITY", ".phones"),
        ("ROLE_CARDINALITY", ".skills"),
        ("ROLE_CARDINALITY", ".team"),
    ]


def test_an_invalid_change_is_shown_with_its_issues(graphs: GraphApi) -> None:
    """An invalid value is null, as are values that are derived from it.

    A valid value that is not allowed is shown.
    """
    id_ = graphs.person(last_name="Li", born="2000-01-31", email="li@x.org")
    graphs.person(email="wu@x.org")
    data = {
        "_id": id_,
        "born": "soon",
        "last_name": "W" * 300,
        "email": "wu@x.org",
        "mentor": {"set": "none"},
    }

    for query, change in ((UPDATE, data), (SAVE, {**data, "mentor": "none"})):
        shown, issues = previewed(
            graphs, query % "_id last_name born birthday email label mentor { _id } mentor_number", change
        )

        assert shown == {
            "_id": id_,
            "last_name": "W" * 300,
            "born": None,
            "birthday": None,
            "email": "wu@x.org",
            "label": "W" * 300 + " (wu@x.org)",
            "mentor": None,
            "mentor_number": None,
        }
        assert sorted(issues) == [
            ("ATTRIBUTE_STRING_LENGTH", ".last_name"),
            ("DATA_TYPE", ".born"),
            ("ENTITY_NOT_FOUND", ".mentor"),
            ("ENTITY_UNIQUE", ".email"),
        ]
    assert graphs.get("Person", id_, "last_name born") == {"last_name": "Li", "born": "31/01/2000"}


def test_an_incomplete_form_is_shown(graphs: GraphApi) -> None:
    needs = graphs.needs()
    team = needs["team"]
    by = graphs.create("Person", **needs)
    fields = "_id text length by { last_name } heard_by heads about { items { _id } }"

    assert previewed(graphs, COMPLAINT % fields, {"about": [team, "none"]}) == (
        {
            "_id": None,
            "text": None,
            "length": None,
            "by": None,
            "heard_by": None,
            "heads": 1,
            "about": {"items": [{"_id": team}]},
        },
        [("ATTRIBUTE_REQUIRED", ".text"), ("ENTITY_NOT_FOUND", ".about"), ("ROLE_CARDINALITY", ".by")],
    )
    name = graphs.get("Team", team, "name")["name"]
    assert previewed(graphs, COMPLAINT % "length heard_by", {"by": by}) == (
        {"length": None, "heard_by": name},
        [("ATTRIBUTE_REQUIRED", ".text")],
    )
    assert previewed(graphs, COMPLAINT % "length heard_by", {"text": "No!", "by": by}) == (
        {"length": 3, "heard_by": name},
        [],
    )


def test_a_change_of_a_locked_object_is_shown(graphs: GraphApi) -> None:
    id_ = graphs.person()
    lock = Lock("other", "bert", graphs.clock.now() + 60_000)
    graphs.services.entities.lock("c", [Reference("Person", id_)], lock, graphs.clock.now())

    shown, issues = previewed(graphs, UPDATE % "last_name label", {"_id": id_, "last_name": "Wu"})

    assert shown == {"last_name": "Wu", "label": None}
    assert issues == [("ENTITY_LOCK_PERSIST", "")]


def test_each_preview_has_its_own_issues(graphs: GraphApi) -> None:
    """Beside other fields of the request, and in the order of the document."""
    query = """{
      one: Complaint___previewCreate(data: {text: "?"}) { length }
      two: Team___getPage { totalCount }
      three: Complaint___preview(data: {}) { length }
    }"""

    for _ in range(3):
        body = graphs.body(query)
        assert body["data"] == {"one": {"length": 1}, "two": {"totalCount": 0}, "three": {"length": None}}
        found = [(error["path"], error["extensions"]["sourceRequestReference"]) for error in body["errors"]]
        assert found == [
            (["one"], "one.data.by"),
            (["three"], "three.data.text"),
            (["three"], "three.data.by"),
        ]


@pytest.mark.parametrize(
    ("query", "data", "issue"),
    [
        (UPDATE % "last_name", {"_id": "none", "last_name": "x"}, ("ENTITY_NOT_FOUND", "._id")),
        (SAVE % "last_name", {"_id": "none", "last_name": "x"}, ("ENTITY_NOT_FOUND", "._id")),
        (CREATE % "last_name", {"phones": [{"digits": "1"}] * 1001}, ("MALFORMED_REQUEST", "")),
    ],
)
def test_a_preview_of_a_missing_object_is_null(
    graphs: GraphApi, query: str, data: dict[str, Any], issue: tuple[str, str]
) -> None:
    assert previewed(graphs, query, data) == (None, [issue])


def test_an_exceeded_read_budget_does_not_hide_issues(
    graphs: GraphApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects beyond the budget are left out. The issues are complete."""
    team = graphs.create("Team", name="t")

    def exhausted(*_: object, **__: object) -> None:
        raise ReadBudgetExceeded("Person")

    monkeypatch.setattr(previews, "previewed_view", exhausted)

    assert previewed(graphs, CREATE % "team_size", {"team": team})[0] is None
    assert ("ATTRIBUTE_REQUIRED", ".last_name") in previewed(graphs, CREATE % "led", {"team": team})[1]
