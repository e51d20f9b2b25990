"""Derived attributes over HTTP: of each kind, and of parts, singletons and forms."""

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
