"""`filter_exp`: conditions as expressions."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.operations.context import Services
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.values.formats.preferences import Formats
from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget
from tests.rows import each_row

PAGE = "query($e: String) { p: Person___getPage(options: {filter_exp: $e}) { items { _id } } }"


@pytest.fixture
def api() -> GraphApi:
    """Persons of different heights. The tallest is the mentor of all others, and has no mentor."""
    objects = EverythingObjects()
    objects.put("Team", "t", name="team")
    heights = {"a": 200, "b": 180, "c": 170, "d": None}
    for id_, height in heights.items():
        mentor = None if id_ == "a" else "a"
        objects.put(
            "Person",
            id_,
            last_name=id_ * 3,
            height=height,
            mood="GOOD",
            team="t",
            mentor=mentor,
            _createdby="ada",
        )
    objects.put("Person", "e", last_name="eee", height=1, mood="BAD", born="2020-01-01", team="gone")
    return GraphApi(objects)


def found(api: GraphApi, text: str | None, more: str = "") -> str:
    query = PAGE.replace("filter_exp: $e", f"filter_exp: $e {more}")
    return "".join(each["_id"] for each in api.ask(query, e=text)["items"])


@each_row(
    ("text", "expected"),
    [
        (None, "abcde"),
        ("true", "abcde"),
        ("false", ""),
        ("height > 175", "ab"),
        ("!(height > 175)", "ce"),
        ("isNull(height)", "d"),
        ("height > 175 || last_name == 'ddd'", "abd"),
        ("last_name.matches('^[a-c]')", "abc"),
        ("last_name in ['aaa', 'eee']", "ae"),
        ("mood == 'BAD'", "e"),
        ("_id == 'c'", "c"),
        ("_id > 'c' && _id <= 'e'", "de"),
        ("_createdby == caller.username", "abcd"),
        ("caller.profile == 'Administrator' && height == 1", "e"),
        ("born == today()", "e"),
        ("date(now()) == born", "e"),
        ("isNull(photo) && isNull(salary) && height / 0 == 1", ""),
        ("height // the tallest\n > 190", "a"),
    ],
)
def test_a_condition_filters_objects(api: GraphApi, text: str | None, expected: str) -> None:
    """A condition that is null does not hold."""
    assert [found(api, text) for _ in range(3)] == [expected] * 3


@each_row(
    ("text", "expected"),
    [
        ("team_name == 'team'", "abcd"),
        ("isNull(team_name)", "e"),
        ("pupil_count > 2", "a"),
        ("pupil_count == 0 && height > 175", "b"),
        ("own", "abcd"),
        ("introduction.startsWith('I am b')", "b"),
        ("isNull(mentor_mood) || mentor_mood == 'BAD'", "ae"),
    ],
)
def test_a_condition_may_use_derived_attributes(api: GraphApi, text: str, expected: str) -> None:
    assert found(api, text) == expected


@each_row(
    ("more", "expected"),
    [
        (", filter: {height___lt: 200}", "bc"),
        (", filter: {team_size___gt: 3, height___lt: 200}", "bc"),
        (", filter: {NOT: {mentor_number___null: true}}", ""),
        (", filter: {}", "abc"),
        (", filter: null", "abc"),
        (', filter: {_id___in: ["c", "d"]}', "c"),
        (", orderBy: [height___DESC], next: 2", "ab"),
        (", orderBy: [pupil_count___ASC, height___ASC], next: 2", "cb"),
    ],
)
def test_a_filter_and_a_condition_must_both_hold(api: GraphApi, more: str, expected: str) -> None:
    assert found(api, "height > 160", more) == expected


def test_filter_and_condition_are_passed_to_the_store(api: GraphApi) -> None:
    found(api, "height > 175", ', filter: {last_name___eq: "aaa"}')

    assert isinstance(api.entities, EverythingObjects)
    (query,) = api.entities.queries
    assert isinstance(query.filter, And)
    comparison, holds = query.filter.parts
    assert isinstance(comparison, Comparison)
    assert isinstance(holds, ExpressionFilter)
    assert (holds.expression.text, holds.evaluation.caller_field("username")) == ("height > 175", "ada")


def test_pages_of_roles_accept_a_condition(api: GraphApi) -> None:
    query = """{ Person___get(_id: "a") {
      pupils(options: {filter_exp: "height > 175 || isNull(height)"}) { totalCount items { _id } }
      desk___associables(options: {filter_exp: "number > 1"}) { totalCount }
      team { members(options: {filter_exp: "pupil_count == 0", filter: {height___gt: 175}}) {
        items { _id } } }
    } }"""

    assert api.ask(query) == {
        "pupils": {"totalCount": 2, "items": [{"_id": "b"}, {"_id": "d"}]},
        "desk___associables": {"totalCount": 0},
        "team": {"members": {"items": [{"_id": "b"}]}},
    }


def test_bulk_services_accept_a_condition(api: GraphApi) -> None:
    update = """mutation { Person___updateBulk(data: {remote: true}, options: {filter_exp: "%s"}) {
      items { _id remote } } }"""
    delete = 'mutation { Specimen___deleteBulk(options: {filter_exp: "total > 1"}) { deleted } }'

    changed = api.ask(update % "height > 175 && team_size == 4")

    assert [each["_id"] for each in changed["items"]] == ["a", "b"]
    assert found(api, "remote") == "ab"
    assert api.ask(delete) == {"deleted": 0}


DEEP = "The expression is nested more than 50 levels deep."
WRONG: dict[str, list[tuple[int, str]]] = {
    "// nothing": [(11, "The expression is incomplete. Add a value at its end.")],
    "height >": [(9, "The expression is incomplete. Add a value at its end.")],
    "height = 1": [(8, 'Unexpected "=". Did you mean "=="?')],
    "heigt > 1": [(1, 'Person has no attribute or role "heigt". Did you mean "height"?')],
    "heigt > 1 && mood == 'GOD'": [(1, 'Did you mean "height"?'), (22, 'Did you mean "GOOD"?')],
    "height > 'tall'": [(8, "> compares values of one type, but these are Int and String")],
    "null": [(1, "null can't be used as a value. To test whether a value is missing, use isNull(x).")],
    "height + 1": [(1, "This is Int, but it must be Boolean.")],
    "team.name == 'x'": [(1, "Person.team is a role. A filter can use only the class's own attributes.")],
    "size(pupils) > 1": [(6, "Person.pupils leads to many objects")],
    "caller.name == 'x'": [(8, "caller has no field name.")],
    "last_name.matches('(')": [(19, "'(' is not a valid regular expression (RE2)")],
    "last_name.matches('(a?){900}a{900}.{900}')": [(19, "it is too large; use fewer repetitions")],
    "true || " * 600 + "true": [(1, "The expression has 4804 characters. The maximum is 4096.")],
    "(" * 3000 + "true": [(3000, "This ( has no matching ).")],
    "(true ? " * 60 + "true" + " : false)" * 60: [(0, DEEP)],
    "!" * 4000 + "true": [(0, DEEP)],
    "\ud800 == last_name": [(1, "A lone surrogate is not a character.")],
}


@each_row("text", WRONG)
def test_an_invalid_condition_is_reported_with_its_position(api: GraphApi, text: str) -> None:
    """All errors are reported before anything is read."""
    errors = api.body(PAGE, e=text)["errors"]

    for error, (at, said) in zip(errors, WRONG[text], strict=True):
        place = f"Person: filter_exp, character {at or ''}"
        assert error["message"].startswith(place)
        assert said in error["message"]
        issue = error["extensions"]
        assert (issue["issueType"], issue["issueReferenceType"]) == ("MALFORMED_REQUEST", "ENTITY")
        assert (issue["sourceRequestReference"], issue["entityName"]) == ("p.options.filter_exp", "Person")
    assert isinstance(api.entities, EverythingObjects)
    assert api.entities.allowances == []


def test_positions_in_several_lines_are_counted_by_line(api: GraphApi) -> None:
    (error,) = api.body(PAGE, e="height >\n  1 &&\n\tnuber == 1")["errors"]

    assert error["message"] == (
        'Person: filter_exp, line 3, character 2: Person has no attribute or role "nuber". '
        'Did you mean "number"?'
    )


def test_condition_errors_are_reported_with_other_errors_of_the_options(api: GraphApi) -> None:
    query = """{ p: Person___get(_id: "a") { pupils(options: {
      filter_exp: "x", filter: {born___eq: "x"}, next: -1}) { totalCount } } }"""

    assert api.issues(query) == [
        ("DATA_TYPE", "p.pupils.options.filter.born___eq"),
        ("MALFORMED_REQUEST", "p.pupils.options.filter_exp"),
        ("MALFORMED_REQUEST", "p.pupils.options.next"),
    ]


def test_the_first_of_many_errors_are_reported(api: GraphApi) -> None:
    text = " || ".join(f"no{number}" for number in range(100))

    assert len(api.body(PAGE, e=text)["errors"]) == 9


def test_errors_name_no_members_if_suggestions_are_disabled() -> None:
    services = Services(EVERYTHING, EverythingObjects(), FrozenClock(), CountedIds(), unlimited_budget)
    executor = SchemaExecutor(services, lambda *_: None, ExecutionPolicy(suggestions=False))
    caller = Caller("1", "ada", "Administrator", administrator=True)

    body = executor.execute(PAGE, {"e": "heigt > 1"}, None, caller, "trace").body.decode()

    assert 'no attribute or role \\"heigt\\".' in body
    assert "height" not in body


@each_row(("zone", "expected"), [("UTC", "e"), ("Pacific/Kiritimati", ""), ("Pacific/Honolulu", "e")])
def test_today_uses_the_time_zone_of_the_caller(api: GraphApi, zone: str, expected: str) -> None:
    """The time is noon of 1 January 2020 in UTC."""
    caller = Caller("1", "ada", "Administrator", administrator=True, formats=Formats(time_zone=zone))

    body = api.executor.execute(PAGE, {"e": "born == today()"}, None, caller, "trace").body.decode()

    assert body == '{"data":{"p":{"items":[%s]}}}' % ('{"_id":"e"}' if expected else "")


def test_a_cached_condition_uses_the_caller_of_each_request(api: GraphApi) -> None:
    answers: list[Any] = []
    for username in ("ada", "bert", "ada"):
        caller = Caller("1", username, "Administrator", administrator=True)
        answer = api.executor.execute(PAGE, {"e": "_createdby == caller.username"}, None, caller, "trace")
        answers.append(answer.body.count(b"_id"))

    assert answers == [4, 0, 4]


class Slow(dict[str, Any]):
    """A state in which each read of the height takes a second."""

    clock = 0.0

    def get(self, name: str, *default: Any) -> Any:
        Slow.clock += name == "height"
        return super().get(name, *default)


@pytest.mark.parametrize("role", ["pupils", "team { members"])
def test_a_slow_condition_stops_when_the_request_times_out(role: str) -> None:
    """It stops before all objects of a role were tested."""
    objects = EverythingObjects()
    objects.put("Team", "t")
    for number in range(1000):
        person = objects.put("Person", f"p{number:03}", team="t", mentor="p000")
        objects.objects[person.reference] = replace(person, state=Slow(person.state))
    Slow.clock = 0.0
    services = Services(
        EVERYTHING, objects, FrozenClock(), CountedIds(), lambda: ReadBudget(2**60, 200, lambda: Slow.clock)
    )
    page = f'{role}(options: {{filter_exp: "height > 0"}}) {{ totalCount }}{" }" * role.count("{")}'

    answer = SchemaExecutor(services, lambda *_: None).execute(
        f'{{ Person___get(_id: "p000") {{ {page} }} }}', {}, None, ADMINISTRATOR, "trace"
    )

    assert b"Request less data in each request." in answer.body
    assert 200 < Slow.clock < 300
