"""Derived attributes over HTTP: in selections, previews and results of writes."""

from typing import Any

import pytest

from tests.scenarios.company import Company


def person(company: Company, name: str, selection: str) -> Any:
    query = f"query($id: ID!) {{ Person___get(_id: $id) {{ {selection} }} }}"
    return company.client.ask_again(query, id=company.id(name))


ADA = {
    "label": "Ada (ada@example.com)",
    "introduction": "I am Ada (ada@example.com)",
    "teammate": True,
    "own": True,
    "past": True,
    "wage": "1000",
    "birthday": 1210,
    "team_name": "alpha",
    "lead_name": "Ada",
    "team_size": 3,
    "mentor_born": None,
    "led": "alpha",
    "starts_on": "31/01/2020",
    "pupil_count": 2,
    "room_count": 2,
    "first_colour": None,
}
CYD = {
    "label": None,
    "introduction": "I am Cyd",
    "teammate": False,
    "own": True,
    "past": None,
    "wage": None,
    "birthday": None,
    "team_size": 3,
    "mentor_born": "10/12/1990",
    "mentor_mood": "GOOD",
    "mentor_since": None,
    "mentor_number": "1",
    "led": None,
    "pupil_count": 0,
    "room_count": 0,
}


@pytest.mark.parametrize(("name", "expected"), [("Ada", ADA), ("Cyd", CYD)])
def test_each_kind_of_derived_attribute_is_shown(
    company: Company, name: str, expected: dict[str, Any]
) -> None:
    assert person(company, name, " ".join(expected)) == expected


def test_each_aggregate_is_shown(company: Company) -> None:
    selection = """name headcount emails total_height payroll mean_height mean_salary eldest_born last_seen
      wages pupils large"""
    options = 'filter: {name___in: ["alpha", "beta", "gamma"]}, orderBy: [name___ASC]'

    alpha, beta, gamma = company.client.ask_again(
        f"{{ Team___getPage(options: {{{options}}}) {{ items {{ {selection} }} }} }}"
    )["items"]

    assert alpha == {
        "name": "alpha",
        "headcount": 3,
        "emails": 2,
        "total_height": 360,
        "payroll": "4000.5",
        "mean_height": "180",
        "mean_salary": "2000.25",
        "eldest_born": "05/05/1985",
        "last_seen": None,
        "wages": "1333.5",
        "pupils": 2,
        "large": True,
    }
    assert (beta["last_seen"], beta["payroll"], beta["large"]) == ("31/12/2019 23:30", "10", False)
    nothing = {"headcount": 0, "emails": 0, "total_height": 0, "payroll": "0", "wages": "0", "pupils": 0}
    null = dict.fromkeys(("mean_height", "mean_salary", "eldest_born", "last_seen"))
    assert gamma == {"name": "gamma", **nothing, **null, "large": False}


def test_parts_singletons_and_forms_have_derived_attributes(company: Company) -> None:
    ask, ids = company.client.ask_again, company.people
    contract = '{ Contract___getPage(options: {filter: {reference___eq: "c"}}) { items { days whose } } }'
    house = "{ House___get { directed_by guest_count width place { owner window_count } } }"
    complaint = """query($data: ComplaintDraft!) { Complaint___preview(data: $data) {
      length heard_by heads } }"""
    heard = {"text": "è!", "by": ids["Bob"], "about": {"add": list(company.teams.values())}}

    assert ask(contract)["items"] == [{"days": 30, "whose": "Ada (ada@example.com)"}]
    assert ask(house) == {
        "directed_by": "Ada (ada@example.com)",
        "guest_count": 2,
        "width": 5,
        "place": {"owner": "Hall", "window_count": 0},
    }
    assert ask(complaint, data=heard) == {"length": 2, "heard_by": "alpha", "heads": 4}


WRITTEN = """_id label team_size team { headcount payroll } contract { days whose } room_count
  addresses(options: {orderBy: [window_count___DESC]}) { items { owner window_count } }
  mentor { pupil_count }"""


def test_a_preview_shows_future_derived_values(company: Company) -> None:
    """This includes those of its parts, and of the objects that its roles lead to."""
    client = company.client
    team = client.team()
    mentor, _ = client.person(team=team, salary=1)
    needs = {
        **client.needs(team),
        "last_name": "New",
        "email": "new@example.com",
        "salary": 2,
        "mentor": mentor,
        "contract": {"starts_on": "2020-01-01", "ends_on": "2020-01-11"},
        "addresses": [{"street": "s", "rooms": [{"name": "r", "windows": [{}]}]}],
    }
    create = f"query($data: PersonDraftCreate!) {{ Person___previewCreate(data: $data) {{ {WRITTEN} }} }}"
    created = f"mutation($data: PersonCreate!) {{ Person___create(data: $data) {{ {WRITTEN} }} }}"

    preview, written = client.ask_again(create, data=needs), client.ask(created, data=needs)

    assert preview == {
        "_id": None,
        "label": "New (new@example.com)",
        "team_size": 2,
        "team": {"headcount": 2, "payroll": "3"},
        "contract": {"days": 10, "whose": "New (new@example.com)"},
        "room_count": 1,
        "addresses": {"items": [{"owner": "New", "window_count": 1}]},
        "mentor": {"pupil_count": 1},
    }
    assert written == {**preview, "_id": written["_id"]}


def test_mutations_return_present_derived_values(company: Company) -> None:
    client = company.client
    old, new = client.team(), client.team()
    id_, _ = client.person(team=old, salary=5)
    change = {"_id": id_, "email": "u@example.com", "team": {"set": new}}
    shown = "label wage team_size team { payroll }"
    previewed = client.ask_again(
        f"query($data: PersonDraftUpdate!) {{ Person___previewUpdate(data: $data) {{ {shown} }} }}",
        data=change,
    )
    updated = client.ask(
        f"mutation($data: PersonUpdate!) {{ Person___update(data: $data) {{ {shown} }} }}", data=change
    )
    saved = client.ask(
        f"mutation($data: PersonDraft!) {{ Person___save(data: $data) {{ {shown} }} }}",
        data={"_id": id_, "salary": 10, "team": old},
    )

    assert previewed == {
        "label": "Li (u@example.com)",
        "wage": "1.67",
        "team_size": 1,
        "team": {"payroll": "5"},
    }
    assert updated == previewed
    assert saved == {**updated, "wage": "3.33", "team": {"payroll": "10"}}


def insight(company: Company, selection: str, ids: list[str]) -> Any:
    options = "{filter: {_id___in: $ids}}"
    query = f"""query($ids: [ID]) {{ Person___getPage(options: {options}, insight: FULL) {{
      items {{ {selection} }} }} }}"""
    return company.client.body(query, ids=ids)["extensions"]["insight"]


def test_insight_shows_the_calls_of_derived_attributes(company: Company) -> None:
    """Selected and derived values share the calls of a level, however many objects it has."""
    ids = list(company.people.values())

    plain = insight(company, "last_name", ids)
    walked = insight(company, "team { lead { last_name } }", ids)
    derived = insight(company, "lead_name team_name", ids)
    both = insight(company, "lead_name team_name team { name lead { last_name } }", ids)

    assert [call["kind"] for call in plain["calls"]] == ["get"]
    kinds = [call["kind"] for call in walked["calls"]]
    assert len(kinds) > 1
    assert [call["kind"] for call in derived["calls"]] == kinds
    assert [call["kind"] for call in both["calls"]] == kinds
    assert both["items"] == walked["items"]
    assert insight(company, "label wage birthday own", ids)["roundTrips"] == plain["roundTrips"]
    assert insight(company, "lead_name", ids[:1])["roundTrips"] == derived["roundTrips"]
