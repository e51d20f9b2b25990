"""Derived attributes over HTTP: in selections, filters, orders, previews and results of writes."""

from typing import Any

import pytest

from tests.scenarios.company import Company

STAFF = 'team_name___in: ["alpha", "beta"]'
"""The filter for the people of the company, whatever else there is."""


def person(company: Company, name: str, selection: str) -> Any:
    query = f"query($id: ID!) {{ Person___get(_id: $id) {{ {selection} }} }}"
    return company.client.ask_again(query, id=company.id(name))


def staff(company: Company, options: str, selection: str = "items { last_name }") -> Any:
    return company.client.ask_again(f"{{ Person___getPage(options: {{{options}}}) {{ {selection} }} }}")


def names(page: Any) -> list[str]:
    return [item["last_name"] for item in page["items"]]


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


def test_derived_attributes_are_aliased_formatted_and_spread_at_any_depth(company: Company) -> None:
    found = company.client.ask_again(
        """query($id: ID!, $f: String) { p: Person___get(_id: $id) { ...F own: team_name mentor { ...F
             team { h: headcount members(options: {orderBy: [wage___DESC]}) { a: items { ...F } b: items {
               addresses(options: {orderBy: [window_count___DESC]}) { items { owner window_count } }
             } } } } } }
           fragment F on Person { who: label ... on Person { wage(format: "#,##0.00") }
             mentor_born(format: $f) }""",
        id=company.id("Cyd"),
        f="yyyy",
    )

    ada = {"who": ADA["label"], "wage": "1,000.00", "mentor_born": None}
    bob = {"who": "Bob (bob@example.com)", "wage": "333.50", "mentor_born": "1990"}
    cyd = {"who": None, "wage": None, "mentor_born": "1990"}
    homes = [{"owner": "Ada", "window_count": 2}, {"owner": "Ada", "window_count": 0}]
    addresses = [{"addresses": {"items": shown}} for shown in (homes, [], [])]
    team = {"h": 3, "members": {"a": [ada, bob, cyd], "b": addresses}}
    assert found == {**cyd, "own": "alpha", "mentor": {**ada, "team": team}}


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ('label___starts_with: "B"', ["Bob"]),
        ("label___null: true", ["Cyd", "Dan"]),
        ('introduction___contains: "am C"', ["Cyd"]),
        ("teammate___eq: true", ["Ada", "Dan"]),
        ("own___ne: true", []),
        ('wage___gt: "333.5"', ["Ada"]),
        ("wage___in: [333.5, null]", ["Bob", "Cyd"]),
        ("birthday___lte: 505", ["Bob", "Dan"]),
        ('lead_name___eq: "Ada", last_name___ne: "Ada"', ["Bob", "Cyd"]),
        ("team_size___lt: 3", ["Dan"]),
        ('mentor_born___eq: "10/12/1990"', ["Bob", "Cyd"]),
        ("mentor_mood___in: [GOOD]", ["Bob", "Cyd"]),
        ('led___not___starts_with: "x", pupil_count___gte: 1', ["Ada"]),
        ('starts_on___gte: "2020-01-31", height___gt: 170', ["Bob", "Dan"]),
        ("OR: [{room_count___gt: 0}, {height___eq: 200}]", ["Ada", "Dan"]),
        ("NOT: {OR: [{pupil_count___gt: 0}, {team_size___lt: 3}]}", ["Bob", "Cyd"]),
    ],
)
def test_pages_are_filtered_by_derived_attributes(
    company: Company, filter_: str, expected: list[str]
) -> None:
    page = staff(
        company,
        f"filter: {{AND: [{{{STAFF}}}, {{{filter_}}}]}}, orderBy: [last_name___ASC]",
        "totalCount items { last_name }",
    )

    assert (names(page), page["totalCount"]) == (expected, len(expected))


ORDERS = {
    "wage___ASC": ["Cyd", "Dan", "Bob", "Ada"],
    "wage___DESC": ["Ada", "Bob", "Dan", "Cyd"],
    "pupil_count___DESC, last_name___DESC": ["Ada", "Dan", "Cyd", "Bob"],
    "team_name___DESC, mentor_born___ASC, birthday___DESC": ["Dan", "Ada", "Bob", "Cyd"],
    "last_name___DESC, label___ASC": ["Dan", "Cyd", "Bob", "Ada"],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [1, 3])
def test_pages_are_ordered_by_derived_attributes_forward_and_backward(
    company: Company, order: str, size: int
) -> None:
    """Page by page: forward by the cursor of the last item, backward by that of the first."""
    forward, backward = walked(company, order, "next", size), walked(company, order, "prev", size)

    assert forward == ORDERS[order]
    assert backward == ORDERS[order]


def walked(company: Company, order: str, way: str, size: int) -> list[str]:
    edge, more = ("nextCursor", "hasNext") if way == "next" else ("prevCursor", "hasPrev")
    met: list[str] = []
    cursor: str | None = None
    while True:
        options = f"filter: {{{STAFF}}}, orderBy: [{order}], {way}: {size}, cursor: $cursor"
        page = company.client.ask(
            f"""query($cursor: Cursor) {{ Person___getPage(options: {{{options}}}) {{
                  items {{ last_name }} totalCount {edge} {more} }} }}""",
            cursor=cursor,
        )
        assert page["totalCount"] == 4
        met = met + names(page) if way == "next" else names(page) + met
        cursor = page[edge]
        if not page[more]:
            return met


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('orderBy: [wage___ASC], fromCursor: {wage: "333.5"}', ["Bob", "Ada"]),
        ('orderBy: [wage___ASC], fromCursor: {wage: "333.5"}, prev: 2', ["Dan", "Bob"]),
        ('orderBy: [wage___DESC], fromCursor: {wage: "500"}, next: 2', ["Bob", "Dan"]),
        ("orderBy: [wage___ASC], fromCursor: {wage: null}, next: 1", ["Cyd"]),
        (
            'orderBy: [mentor_born___DESC, height___DESC], fromCursor: {mentor_born: "10/12/1990"}',
            ["Bob", "Cyd", "Dan", "Ada"],
        ),
        ("orderBy: [pupil_count___ASC, last_name___ASC], offset: 1, next: 2", ["Cyd", "Dan"]),
    ],
)
def test_a_position_may_be_given_by_derived_values(
    company: Company, options: str, expected: list[str]
) -> None:
    assert names(staff(company, f"filter: {{{STAFF}}}, {options}")) == expected


def test_nested_pages_are_filtered_and_ordered_by_derived_attributes(company: Company) -> None:
    page = person(
        company,
        "Ada",
        """team { members(options: {filter: {pupil_count___eq: 0}, orderBy: [wage___DESC], next: 1}) {
             totalCount hasNext items { last_name } } }
           pupils(options: {orderBy: [introduction___DESC]}) { items { last_name } }
           team___associables(options: {filter: {headcount___gt: 0, name___in: ["alpha", "beta", "gamma"]},
             orderBy: [headcount___ASC]}) { items { name } }""",
    )

    assert page["team"]["members"] == {"totalCount": 2, "hasNext": True, "items": [{"last_name": "Bob"}]}
    assert names(page["pupils"]) == ["Cyd", "Bob"]
    assert page["team___associables"]["items"] == [{"name": "beta"}, {"name": "alpha"}]


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


def test_bulk_services_filter_by_and_return_derived_attributes(company: Company) -> None:
    client = company.client
    team = client.team()
    for salary in (1, 2, 3):
        client.person(team=team, salary=salary)
    name = client.ask("query($id: ID!) { Team___get(_id: $id) { name } }", id=team)["name"]
    page = """mutation($name: String) { Person___updateBulk(data: {salary: 30},
      options: {filter: {team_name___eq: $name, wage___gt: 0.5}, orderBy: [wage___DESC], next: 1}) {
      totalCount items { wage team { payroll } } } }"""
    delete = """mutation($name: String) { Person___deleteBulk(options: {
      filter: {team_name___eq: $name, wage___lt: 10}}) { deleted } }"""

    assert client.ask(page, name=name) == {
        "totalCount": 1,
        "items": [{"wage": "10", "team": {"payroll": "33"}}],
    }
    assert client.ask(delete, name=name) == {"deleted": 2}
    left = "query($id: ID!) { Team___get(_id: $id) { headcount payroll } }"
    assert client.ask(left, id=team) == {"headcount": 1, "payroll": "30"}


def test_a_page_without_the_cache_shows_derived_attributes(company: Company) -> None:
    query = f"""{{ Person___getPage(options: {{filter: {{{STAFF}, wage___gt: 5}}, orderBy: [wage___DESC]}},
      disableCache: true) {{ items {{ last_name team_size }} }} }}"""

    items = company.client.ask_again(query)["items"]

    assert items == [{"last_name": "Ada", "team_size": 3}, {"last_name": "Bob", "team_size": 3}]


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


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ('mutation { Person___update(data: {_id: "x", label: "y"}) { _id } }', "label"),
        ('{ Person___getPage(options: {filter: {labl___eq: "x"}}) { totalCount } }', "label___eq"),
        ("{ Person___getPage(options: {orderBy: [wag___ASC]}) { totalCount } }", "wage___ASC"),
        ('{ Person___get(_id: "x") { team_nam } }', "team_name"),
    ],
)
def test_derived_values_cannot_be_written_and_names_are_suggested(
    company: Company, query: str, word: str
) -> None:
    (error,) = company.client.body(query)["errors"]

    assert word in error["message"]
    assert error["extensions"] == {"classification": "ValidationError"}
