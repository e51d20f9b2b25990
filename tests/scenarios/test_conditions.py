"""Filters along roles, and `filter_exp`, over HTTP: valid, invalid and malicious conditions."""

from typing import Any

import pytest

from tests.scenarios.company import Company

STAFF = 'filter: {team_name___in: ["alpha", "beta"]}'
"""The filter for the people of the company, whatever else there is."""
PAGE = """query($e: String) { p: Person___getPage(options: {filter_exp: $e, orderBy: [last_name___ASC], %s}) {
  totalCount items { last_name } } }"""


def found(company: Company, text: str, more: str = STAFF) -> str:
    """Return the initials of the people in a page."""
    page = company.client.ask_again(PAGE % more, e=text)
    assert page["totalCount"] == len(page["items"])
    return "".join(item["last_name"][0] for item in page["items"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", "ABCD"),
        ("height > 180 || isNull(height)", "BCD"),
        ("!(height > 180)", "A"),
        ("salary * 2 >= 2001", "AB"),
        ("email.endsWith('@example.com') && size(last_name) == 3", "AB"),
        ("last_name.lower().matches('^[a-c].[ad]$')", "AC"),
        ("mood == 'GOOD' || since in [2000, 2001]", "AB"),
        ("year(born) < 1990 || month(born) == 2", "BD"),
        ("dateDiff(date('2000-03-01'), born) == 1", "D"),
        ("seen < now() && date(seen) == date('2019-12-31')", "D"),
        ("remote ? true : height == 200", "CD"),
        ("[170, 190].exists(x, x == height)", "AB"),
        ("isNull(photo) && number > 0 && _id != ''", "ABCD"),
        ("height / 0 > 1", ""),
    ],
)
def test_a_condition_filters_objects(company: Company, text: str, expected: str) -> None:
    assert found(company, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("label.startsWith('Bob') || isNull(label)", "BCD"),
        ("pupil_count == 2 || wage < 5", "AD"),
        ("team_size == 3 && !teammate", "BC"),
        ("lead_name == last_name", "A"),
        ("mentor_mood == 'GOOD' && mentor_number == 1", "BC"),
        ("own && past", "ABD"),
    ],
)
def test_a_condition_may_use_derived_attributes(company: Company, text: str, expected: str) -> None:
    assert found(company, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_createdby == caller.username", "ABCD"),
        ("caller.profile == 'Administrator' && height < 180", "A"),
        ("caller.username == 'admin' && caller.timeZone == 'UTC' && caller.language == 'en'", "ABCD"),
        ("email == caller.email", ""),
        ("isNull(caller.notes) && own", "ABCD"),
    ],
)
def test_a_condition_may_use_the_caller(company: Company, text: str, expected: str) -> None:
    assert found(company, text) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('filter: {team_name___eq: "alpha"}', "AB"),
        ('filter: {last_name___starts_with: "D", team_size___eq: 1}', "D"),
        ("filter: {OR: [{wage___gt: 500}, {wage___lt: 5}], NOT: {team_name___null: true}}", "AD"),
        ("filter: {_id___in: []}", ""),
    ],
)
def test_a_filter_and_a_condition_must_both_hold(company: Company, more: str, expected: str) -> None:
    assert found(company, "height > 0", more) == expected


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ('team: {name___eq: "alpha"}', "ABC"),
        ('team: {lead: {last_name___eq: "Ada"}, headcount___gt: 2}', "ABC"),
        ("mentor: {mood___eq: GOOD}", "BC"),
        ("mentor___null: true", "AD"),
        ("pupils___some: {height___null: true}", "A"),
        ("pupils___every: {height___gt: 100}", "BCD"),
        ("pupils___none: {}", "BCD"),
        ("leads: {}", "A"),
        ("leads___null: true", "BCD"),
        ('projects___some: {title___eq: "Engine"}', "AB"),
        ("addresses___some: {rooms___some: {windows___some: {}}}", "A"),
        ('NOT: {addresses___none: {street___eq: "Main"}}', "A"),
        (
            'OR: [{team: {headcount___eq: 1}}, {leads: {members___every: {team_name___eq: "alpha"}}}]',
            "AD",
        ),
        ('team: {members___some: {mentor: {last_name___eq: "Ada"}}}, pupil_count___eq: 0', "BC"),
        ("team: null, mentor: {email___contains: null, team: {name___contains: null}}", "ABCD"),
    ],
)
def test_a_filter_may_test_what_roles_lead_to(company: Company, filter_: str, expected: str) -> None:
    both = f'filter: {{AND: [{{team_name___in: ["alpha", "beta"]}}, {{{filter_}}}]}}'
    assert found(company, "", both) == expected
    assert found(company, "height > 180 || isNull(height)", both) == expected.replace("A", "")


def test_nested_pages_and_bulk_services_accept_filters_along_roles(company: Company) -> None:
    query = """query($id: ID!) { Team___get(_id: $id) {
      members(options: {filter: {mentor: {leads: {}}}, orderBy: [last_name___DESC]}) {
        totalCount items {
          last_name team { members(options: {filter: {pupils___some: {}}}) { totalCount } } } }
      members___associables(options: {filter: {team: {name___eq: "beta"}}}) { items { last_name } } } }"""
    team = {"members": {"totalCount": 1}}

    assert company.client.ask_again(query, id=company.id("alpha")) == {
        "members": {
            "totalCount": 2,
            "items": [{"last_name": "Cyd", "team": team}, {"last_name": "Bob", "team": team}],
        },
        "members___associables": {"items": [{"last_name": "Dan"}]},
    }
    changed = """mutation { Person___updateBulk(data: {about: "new"},
      options: {filter: {projects___some: {title___eq: "Engine"}, mentor: {}}}) {
      totalCount items { last_name } } }"""
    assert company.client.ask(changed) == {"totalCount": 1, "items": [{"last_name": "Bob"}]}
    deleted = "mutation { Person___deleteBulk(options: {filter: {team: null}}) { deleted } }"
    (error,) = company.client.body(deleted)["errors"]
    assert error["message"].startswith("Person.team: null is not allowed.")


def test_pages_with_a_condition_continue_by_cursor(company: Company) -> None:
    query = f"""query($cursor: Cursor) {{ Person___getPage(options: {{
      filter_exp: "team_size in [1, 3] && height > 0", {STAFF}, orderBy: [wage___DESC], next: 2,
      cursor: $cursor }}) {{ items {{ last_name }} nextCursor hasNext hasPrev totalCount }} }}"""

    first = company.client.ask_again(query)
    second = company.client.ask_again(query, cursor=first["nextCursor"])

    assert [each["last_name"] for page in (first, second) for each in page["items"]] == ["Ada", "Bob", "Dan"]
    assert [(page["hasNext"], page["hasPrev"], page["totalCount"]) for page in (first, second)] == [
        (True, False, 3),
        (False, True, 3),
    ]


def test_nested_pages_accept_a_condition(company: Company) -> None:
    query = """query($id: ID!, $e: String) { Person___get(_id: $id) {
      team { members(options: {filter_exp: $e, orderBy: [last_name___ASC]}) {
        totalCount items { last_name } } }
      pupils(options: {filter_exp: "!isNull(wage)", filter: {height___gt: 100}}) { items { last_name } }
      contract { person_ { addresses(options: {filter_exp: "window_count > 0"}) { totalCount } } }
      team___associables(options: {filter_exp: "headcount == 1 && name == 'beta'"}) { items { name } } } }"""

    found = company.client.ask_again(query, id=company.id("Ada"), e="pupil_count == 0 || own && height < 180")

    assert found == {
        "team": {
            "members": {"totalCount": 3, "items": [{"last_name": name} for name in ("Ada", "Bob", "Cyd")]}
        },
        "pupils": {"items": [{"last_name": "Bob"}]},
        "contract": {"person_": {"addresses": {"totalCount": 1}}},
        "team___associables": {"items": [{"name": "beta"}]},
    }


def test_bulk_services_accept_a_condition(company: Company) -> None:
    client = company.client
    team = client.team()
    name = client.ask("query($id: ID!) { Team___get(_id: $id) { name } }", id=team)["name"]
    for height in (1, 2, 3):
        client.person(team=team, height=height)
    options = {"filter_exp": f"team_name == '{name}' && height < 3", "next": 5}
    update = """mutation($options: PersonPageOptions!) {
      Person___updateBulk(data: {salary: 9}, options: $options) { totalCount items { wage height } } }"""
    validate = """query($options: PersonPageOptions!) {
      Person___validateDeleteBulk(options: $options) { isValid issues { userMessage } } }"""
    delete = "mutation($options: PersonPageOptions!) { Person___deleteBulk(options: $options) { deleted } }"

    changed = client.ask(update, options={**options, "orderBy": ["height___ASC"]})
    judged = client.ask(validate, options=options)
    ended = client.ask(delete, options=options)

    assert changed == {"totalCount": 2, "items": [{"wage": "3", "height": 1}, {"wage": "3", "height": 2}]}
    assert (judged, ended) == ({"isValid": True, "issues": []}, {"deleted": 2})
    assert client.ask(delete, options=options) == {"deleted": 0}


WRONG = {
    "height >": "character 9: The expression is incomplete. Add a value at its end.",
    "height = 1": 'character 8: Unexpected "=". Did you mean "=="?',
    "heigt > 1": 'character 1: Person has no attribute or role "heigt". Did you mean "height"?',
    "team_nam == 'x'": ('character 1: Person has no attribute or role "team_nam". Did you mean "team_name"?'),
    "mood == 'GOD'": "character 9: Mood has no value 'GOD'. It has GOOD and BAD. Did you mean \"GOOD\"?",
    "height": "character 1: This is Int, but it must be Boolean.",
    "wage > 'x'": (
        "character 6: > compares values of one type, but these are Real and String. "
        "Write a number without quotes, or convert a text by double(x)."
    ),
    "own &&\n  team.name == 'x'": (
        "line 2, character 3: Person.team is a role. A filter can use only the class's own attributes."
    ),
    "x" * 5000: "character 1: The expression has 5000 characters. The maximum is 4096.",
    "(own ? " * 60 + "own" + " : past)" * 60: (
        "character 72: The expression is nested more than 50 levels deep. Simplify it or split it."
    ),
    "last_name.matches('(a+')": (
        "character 19: '(a+' is not a valid regular expression (RE2): missing ): (a+."
    ),
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_an_invalid_condition_is_reported_with_its_position(company: Company, text: str) -> None:
    body = company.client.body(PAGE % STAFF, e=text)

    (error,) = body["errors"]
    message = f"Person: filter_exp, {WRONG[text]}"
    assert body["data"] == {"p": None}
    assert (error["message"], error["path"]) == (message, ["p"])
    assert error["extensions"].pop("traceId")
    assert error["extensions"] == {
        "sourceRequestReference": "p.options.filter_exp",
        "userMessage": message,
        "issueLevel": "ERROR",
        "issueReferenceType": "ENTITY",
        "issueType": "MALFORMED_REQUEST",
        "entityID": None,
        "_clientId": None,
        "entityName": "Person",
        "attributeNames": None,
        "roleNames": None,
        "applicationName": "Everything",
        "profileName": "Administrator",
    }


def test_all_errors_of_all_conditions_are_reported(company: Company) -> None:
    query = """query($id: ID!) { a: Person___get(_id: $id) {
      one: pupils(options: {filter_exp: "no && nor"}) { totalCount }
      team { two: members(options: {filter_exp: "1", filter: {born___eq: "x"}}) {
        items { wage(format: "0.#0") } } }
    } }"""

    errors = company.client.body(query, id=company.id("Ada"))["errors"]

    assert [error["extensions"]["sourceRequestReference"] for error in errors] == [
        "a.one.options.filter_exp",
        "a.one.options.filter_exp",
        "a.team.two.options.filter.born___eq",
        "a.team.two.options.filter_exp",
        "a.team.two.items.wage.format",
    ]


def test_an_invalid_condition_of_a_bulk_service_changes_nothing(company: Company) -> None:
    update = """mutation { Person___updateBulk(data: {height: 0}, options: {filter_exp: "hight > 0"}) {
      totalCount } }"""

    (error,) = company.client.body(update)["errors"]

    assert error["extensions"]["sourceRequestReference"] == "Person___updateBulk.options.filter_exp"
    assert found(company, "height > 0") == "ABD"


DIGITS = "[1,2,3,4,5,6,7,8,9,0]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("about.matches('(x+x+)+y$')", ""),
        ("about.matches('(.*)*z')", ""),
        ("about.matches('(?:[xy]{0,100}x){3}[xy]{100}c')", ""),
        ("size(about" + " + about" * 300 + ") > 0", ""),
        (f"{DIGITS}.all(a, {DIGITS}.all(b, {DIGITS}.exists(c, c == a && own)))", "H"),
        (f"{DIGITS}.all(a, {DIGITS}.all(b, {DIGITS}.exists(c, c == a && about.contains('xy'))))", ""),
        ("(" * 2000 + "true" + ")" * 2000, "H"),
        (" || ".join(["height == 4"] * 250) + " || true", "H"),
        ("!" * 40 + "own", "H"),
    ],
)
def test_an_expensive_condition_does_not_stop_the_service(company: Company, text: str, expected: str) -> None:
    """The condition is null if its evaluation would take too many steps."""
    client = company.client
    team = client.team()
    id_, _ = client.person(team=team, last_name="H", about="xy" * 50_000)

    assert found(company, text, f'filter: {{_id___eq: "{id_}"}}') == expected


def test_a_request_with_too_many_conditions_is_refused_before_execution(company: Company) -> None:
    """Each character of each condition counts towards the cost of a request."""
    pages = " ".join(f"p{n}: pupils(options: {{filter_exp: $e}}) {{ totalCount }}" for n in range(40))
    query = f"query($id: ID!, $e: String) {{ Person___get(_id: $id) {{ {pages} }} }}"
    variables: dict[str, Any] = {"id": company.id("Ada"), "e": "x" + "+x" * 2000}

    (error,) = company.client.body(query, **variables)["errors"]

    assert "The maximum is 100,000." in error["message"]
    assert "each character of filter_exp costs 1" in error["message"]


def test_insight_shows_the_cost_of_a_condition(company: Company) -> None:
    """One over what objects keep is tested where these are read, and takes no calls of its own."""
    query = """query($e: String) { Person___getPage(options: {filter_exp: $e, next: 1000}, insight: FULL) {
      items { _id } } }"""

    calls = {
        text: company.client.body(query, e=text)["extensions"]["insight"]["calls"]
        for text in ("true", "height > 0", "team_size > 0")
    }

    kinds = {text: [call["kind"] for call in created] for text, created in calls.items()}
    assert kinds["height > 0"] == kinds["true"] == ["range"]
    assert kinds["team_size > 0"][0] == "range"
    assert "get" in kinds["team_size > 0"]
