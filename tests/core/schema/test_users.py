"""`_User`: the members as a class, and the roles that lead to them, over each kind of store."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, RoleName
from stratabase.core.domain.query.filter import MATCH_ALL, And, Comparison, Filter, Not, Or, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.model.member_names import MEMBER_IDS
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import read_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.schema.users_api import (
    ALL,
    ANNA,
    BERT,
    FILE,
    GUS,
    LOST,
    MODEL,
    OLLY,
    ROOT,
    UsersApi,
    state_of,
)
from tests.fakes import ADMINISTRATOR, NOON, DictEntities
from tests.rows import each_row

FIELDS = tuple(state_of(ROOT))
EVERYTHING = " ".join(FIELDS)
CREATOR = "_createdby_user { username }"


@pytest.fixture(params=["dict", "sqlite"])
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UsersApi]:
    if request.param == "dict":
        yield UsersApi(partial(DictEntities, MODEL))
        return
    engine = SqliteEngine(tmp_path / "store.db")
    yield UsersApi(partial(Repository, engine, MODEL))
    engine.close()


@pytest.fixture
def users() -> UsersApi:
    """The API where no object is stored."""
    return UsersApi(partial(DictEntities, MODEL))


@each_row("member", ALL)
def test_a_user_has_the_fields_of_a_member(users: UsersApi, member: Any) -> None:
    assert users.get("_User", member.id, EVERYTHING) == state_of(member)


@each_row("id_", ["nobody", "=None=anna", "=1577880000000=anna", "é" * 300, ""])
def test_an_unknown_id_has_no_user(users: UsersApi, id_: str) -> None:
    assert users.ask("query($id: ID!) { _User___get(_id: $id) { _id } }", id=id_) is None


PAGES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "default": ({}, ["root", "anna", "bert", "Gus", "olly", "lost"]),
    "code points": ({"orderBy": ["username___ASC"]}, ["Gus", "anna", "bert", "lost", "olly", "root"]),
    "nulls first": ({"orderBy": ["notes___ASC"]}, ["bert", "lost", "Gus", "anna", "olly", "root"]),
    "two terms": (
        {"orderBy": ["profile___DESC", "username___DESC"]},
        ["lost", "Gus", "bert", "anna", "olly", "root"],
    ),
    "equal name": ({"filter": {"username___eq": "anna"}}, ["anna"]),
    "name in another case": ({"filter": {"username___eq": "ANNA"}}, []),
    "equal address": ({"filter": {"email___eq": "gus@example.com"}}, ["Gus"]),
    "equal id and more": ({"filter": {"_id___eq": "m2", "disabled___eq": True}}, []),
    "disabled": ({"filter": {"disabled___eq": True}}, ["bert"]),
    "or": ({"filter": {"OR": [{"username___eq": "anna"}, {"email___contains": "bert"}]}}, ["anna", "bert"]),
    "not": ({"filter": {"NOT": {"timeZone___eq": "UTC"}}}, ["anna", "Gus"]),
    "profile in": ({"filter": {"profile___in": ["Boss", "Removed profile"]}}, ["olly", "lost"]),
    "null": ({"filter": {"notes___null": True}}, ["bert", "lost"]),
    "expression": ({"filter_exp": "language == 'de' && size(notes) == 4"}, ["anna", "Gus"]),
    "window": ({"offset": 1, "next": 2}, ["anna", "bert"]),
    "backward": ({"prev": 2}, ["olly", "lost"]),
    "position": (
        {"fromCursor": {"username": "lost"}, "orderBy": ["username___ASC"]},
        ["lost", "olly", "root"],
    ),
}


def test_users_have_totals_and_groups(users: UsersApi) -> None:
    selection = """totalCountUpTo(limit: 5) { count more } aggregates { _count username { min } }
      groups(by: [disabled]) { items { _keys { disabled } _count } }"""
    found = users.users(selection=selection)
    assert found["totalCountUpTo"] == {"count": 5, "more": True}
    assert found["aggregates"] == {"_count": 6, "username": {"min": "Gus"}}
    assert [(each["_keys"]["disabled"], each["_count"]) for each in found["groups"]["items"]] == [
        (False, 5),
        (True, 1),
    ]


@each_row(("options", "expected"), PAGES.values())
def test_pages_are_filtered_and_sorted_as_of_other_classes(
    users: UsersApi, options: dict[str, Any], expected: list[str]
) -> None:
    assert users.names(**options) == expected


def test_a_page_counts_and_leads_on(users: UsersApi) -> None:
    selection = "totalCount hasNext hasPrev nextCursor items { username }"
    first = users.users(selection=selection, next=4, orderBy=["email___DESC"])
    assert (first["totalCount"], first["hasNext"], first["hasPrev"]) == (6, True, False)
    rest = users.users(selection=selection, cursor=first["nextCursor"], orderBy=["email___DESC"])
    assert (rest["totalCount"], rest["hasNext"], rest["hasPrev"]) == (6, False, True)
    found = [each["username"] for page in (first, rest) for each in page["items"]]
    assert found == ["root", "olly", "lost", "Gus", "bert", "anna"]
    assert users.users(selection="totalCount", filter={"profile___eq": "Clerk"}) == {"totalCount": 2}


def test_random_filters_match_what_they_say(users: UsersApi) -> None:
    """A filter by a unique value is looked up; it matches the same as among all members."""
    chance = Random(7)
    values = {name: [*{state_of(each)[name] for each in ALL}, "x"] for name in ("_id", "username", "email")}
    for _ in range(40):
        name = chance.choice(list(values))
        wanted = chance.choice(values[name])
        condition = {f"{name}___eq": wanted}
        found = users.names(filter=condition)
        assert found == users.names(filter={"OR": [condition, condition | {"disabled___eq": True}]})
        assert found == [each.username for each in ALL if state_of(each)[name] == wanted]


def test_objects_lead_to_the_members_that_they_record(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a", lines=[{"text": "b"}])
    api.ask(f'mutation {{ Note___update(data: {{_id: "{id_}", text: "c"}}) {{ _id }} }}')
    roles = f"_createdby_user {{ {EVERYTHING} }} _lastmodifiedby_user {{ username }} _ownedby_user {{ _id }}"
    assert api.get("Note", id_, f"{roles} author lines {{ items {{ {CREATOR} }} }}") == {
        "_createdby_user": state_of(ANNA),
        "_lastmodifiedby_user": {"username": "root"},
        "_ownedby_user": {"_id": "m2"},
        "author": "anna",
        "lines": {"items": [{"_createdby_user": {"username": "anna"}}]},
    }


def test_a_renamed_member_stays_and_a_namesake_does_not_take_the_place(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a")
    api.change(ANNA, username="anne")
    api.change(BERT, username="anna")
    shown = api.get("Note", id_, f"_createdby {CREATOR} author")
    assert shown == {"_createdby": "anna", "_createdby_user": {"username": "anne"}, "author": "anne"}


def test_a_removed_member_is_null(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a")
    api.remove(ANNA)
    api.change(BERT, username="anna")
    shown = api.get("Note", id_, f"_createdby {CREATOR} author remark")
    assert shown == {"_createdby": "anna", "_createdby_user": None, "author": None, "remark": None}


def test_an_object_that_records_only_a_name_leads_to_the_member_of_that_name(users: UsersApi) -> None:
    """Earlier versions recorded no ids."""
    id_ = users.note(ANNA, text="a")
    entities = cast("DictEntities", users.services.entities)
    (reference,) = entities.objects
    before: Entity = entities.objects[reference]
    state = {name: value for name, value in before.state.items() if name != MEMBER_IDS}
    entities.objects[reference] = Entity(reference, state, before.commit_ids, start=before.start)
    assert users.get("Note", id_, f"{CREATOR} author") == {
        "_createdby_user": {"username": "anna"},
        "author": "anna",
    }
    users.remove(ANNA)
    assert users.get("Note", id_, CREATOR) == {"_createdby_user": None}


def test_a_singleton_that_was_never_written_leads_to_nobody(api: UsersApi) -> None:
    assert api.ask("{ Board___get { _lastmodifiedby_user { _id } } }") == {"_lastmodifiedby_user": None}
    written = 'mutation { Board___update(data: {title: "x"}) { _lastmodifiedby_user { _id } } }'
    assert api.ask(written) == {"_lastmodifiedby_user": {"_id": "m1"}}


def test_previews_and_answers_of_writes_show_members(api: UsersApi) -> None:
    selection = f"{CREATOR} author"
    expected = {"_createdby_user": {"username": "anna"}, "author": "anna"}
    assert api.ask(f'{{ Note___previewCreate(data: {{text: "a"}}) {{ {selection} }} }}', ANNA) == expected
    assert api.ask(f'mutation {{ Note___create(data: {{text: "a"}}) {{ {selection} }} }}', ANNA) == expected


def test_versions_show_members_as_they_are_now(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a")
    api.clock.instant += 1000
    api.ask(f'mutation {{ Note___update(data: {{_id: "{id_}", text: "b"}}) {{ _id }} }}', BERT)
    api.change(ANNA, username="anne", notes="quiet")
    at = 'atVersion: "01-01-2020 12:00:01.500"'
    selection = f"text {CREATOR} _lastmodifiedby_user {{ notes }} author remark"
    assert NOON == 1_577_880_000_000
    assert api.ask(f'{{ Note___getVersion(_id: "{id_}", {at}) {{ {selection} }} }}') == {
        "text": "a",
        "_createdby_user": {"username": "anne"},
        "_lastmodifiedby_user": {"notes": "quiet"},
        "author": "anne",
        "remark": "quiet",
    }
    query = f'{{ Note___getVersionPage(_id: "{id_}") {{ items {{ _lastmodifiedby_user {{ username }} }} }} }}'
    found = [each["_lastmodifiedby_user"]["username"] for each in api.ask(query)["items"]]
    assert found == ["anne", "bert"]
    api.remove(ANNA)
    assert api.ask(f'{{ Note___getVersion(_id: "{id_}", {at}) {{ {CREATOR} }} }}') == {
        "_createdby_user": None
    }
    times = 'from: "01-01-2020 12:00:01.500", to: "01-01-2020 12:00:03.000"'
    diff = f'{{ Note___getVersionDiff(_id: "{id_}", {times}) {{ changes {{ name }} }} }}'
    names = {each["name"] for each in api.ask(diff)["changes"]}
    assert names == {"text", "_lastmodifiedby", "_lastmodifiedon"}


def test_a_restored_object_leads_to_its_members(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a")
    api.clock.instant += 1000
    api.ask(f'mutation {{ Note___delete(_id: "{id_}") {{ deleted }} }}')
    api.clock.instant += 1000
    at = 'atVersion: "01-01-2020 12:00:01.500"'
    restore = f'mutation {{ Note___restoreVersion(_id: "{id_}", {at}) {{ {CREATOR} }} }}'
    assert api.ask(restore) == {"_createdby_user": {"username": "anna"}}
    shown = api.get("Note", id_, "_ownedby_user { username } _lastmodifiedby_user { username }")
    assert shown == {"_ownedby_user": {"username": "anna"}, "_lastmodifiedby_user": {"username": "root"}}


def test_a_page_of_objects_reads_its_members_in_one_batch(api: UsersApi) -> None:
    for number in range(25):
        api.note((ANNA, BERT, ROOT)[number % 3], text=str(number))
    roles = f"{CREATOR} _lastmodifiedby_user {{ email }} _ownedby_user {{ _id }} author remark"
    query = f"{{ Note___getPage(options: {{next: 25}}) {{ items {{ {roles} }} }} }}"
    api.body(query)
    before = api.members.reads
    items = api.body(query)["data"]["Note___getPage"]["items"]
    assert api.members.reads == before + 1
    assert {each["author"] for each in items} == {"anna", "bert", "root"}


def test_derived_attributes_of_members_filter_and_sort(api: UsersApi) -> None:
    for member in (ROOT, ANNA, BERT):
        api.note(member, text=member.username)
    options = '{filter: {author___ne: "bert"}, orderBy: [author___DESC]}'
    query = f"{{ Note___getPage(options: {options}) {{ totalCount items {{ text }} }} }}"
    assert api.ask(query) == {"totalCount": 2, "items": [{"text": "root"}, {"text": "anna"}]}


def test_a_condition_on_a_unique_value_reads_one_member(users: UsersApi) -> None:
    for options in ("{filter_exp: \"username == 'anna'\"}", '{filter: {email___eq: "anna@example.com"}}'):
        query = f"{{ _User___getPage(options: {options}) {{ totalCount items {{ username }} }} }}"
        assert users.ask(query) == {"totalCount": 1, "items": [{"username": "anna"}]}
        before = users.members.reads
        users.ask(query)
        assert users.members.reads == before + 3  # it is sent three times


ROLE = RoleName("Note", "_createdby_user")
BY_ANNA = RoleFilter(ROLE, Comparison("username", Operator.EQ, "anna"))
BY_ANYBODY = RoleFilter(ROLE, MATCH_ALL)
WITH_LINES_OF_OTHERS = RoleFilter(
    RoleName("Note", "lines"),
    RoleFilter(RoleName("Line", "_createdby_user"), Comparison("username", Operator.NE, "anna")),
)
ROLE_FILTERS: dict[str, tuple[Filter, list[str], list[str]]] = {
    "members who match": (BY_ANNA, ["anna"], ["anna"]),
    "members who do not match": (Not(BY_ANNA), ["bert", "root"], ["bert", "root"]),
    "nobody": (Not(BY_ANYBODY), [], ["root"]),
    "members of parts": (WITH_LINES_OF_OTHERS, ["bert", "root"], ["bert"]),
    "with others": (
        And((Comparison("text", Operator.NE, "bert"), Or((BY_ANNA, Not(BY_ANYBODY))))),
        ["anna"],
        ["anna", "root"],
    ),
}


@pytest.mark.parametrize("text", ["type Note", 'type Note @renamed(from: "Memo")'], ids=["plain", "renamed"])
@pytest.mark.parametrize(("filter_", "all_", "visible"), ROLE_FILTERS.values(), ids=ROLE_FILTERS)
def test_role_filters_follow_roles_to_members(
    filter_: Filter, all_: list[str], visible: list[str], text: str, tmp_path: Path
) -> None:
    """No store knows these roles, also under other names. A hidden member is not there."""
    model = read_model(FILE.read_text(encoding="utf-8").replace("type Note", text), "desk")
    engine = SqliteEngine(tmp_path / "store.db")
    api = UsersApi(partial(open_repository, engine, model), model)
    for member in (ANNA, BERT, ROOT):
        api.note(member, text=member.username, lines=[{"text": "x"}])
    found = []
    for caller in (ADMINISTRATOR, Caller(ANNA.id, ANNA.username, ANNA.profile)):
        reader = Reader(read_context(api.services, caller))
        page = reader.page(Query("Note", Order(), filter_, fields=PageFields(total_count=True)))
        assert page.total_count == len(page.items)
        found.append([each.state["text"] for each in page.items])
    engine.close()
    assert found == [all_, visible]


class TestGrants:
    """Who may read which members, and what of them."""

    def test_a_where_hides_members(self, users: UsersApi) -> None:
        assert users.names(ANNA) == ["anna", "bert", "Gus", "olly", "lost"]
        assert users.get("_User", "m1", "username", ANNA) is None
        assert users.users(ANNA, "totalCount hasNext", next=5) == {"totalCount": 5, "hasNext": False}
        assert users.names(ANNA, filter={"username___eq": "root"}) == []

    def test_an_attribute_of_some_members_is_null_for_the_others(self, users: UsersApi) -> None:
        found = users.users(ANNA, "items { email }")["items"]
        assert [each["email"] for each in found] == ["anna@example.com", None, None, None, None]

    @pytest.mark.parametrize(
        "options", ['filter: {email___eq: "x"}', "orderBy: [email___ASC]", "filter_exp: \"email == 'x'\""]
    )
    def test_an_attribute_of_some_members_neither_filters_nor_sorts(
        self, users: UsersApi, options: str
    ) -> None:
        query = f"{{ _User___getPage(options: {{{options}}}) {{ totalCount }} }}"
        ((kind, message),) = users.issues(query, ANNA)
        assert kind == "ATTRIBUTE_GRANT_READ"
        assert message.startswith(
            "_User.email can't be used in totals, or to filter, sort, or look up objects."
        )

    def test_a_hidden_attribute_is_refused(self, users: UsersApi) -> None:
        message = "The profile Clerk does not have READ permission for _User.notes."
        for query in (
            '{ _User___get(_id: "m2") { notes } }',
            "{ _User___getPage(options: {filter: {notes___null: true}}) { totalCount } }",
        ):
            assert ("ATTRIBUTE_GRANT_READ", message) in users.issues(query, ANNA)

    @pytest.mark.parametrize("member", [GUS, OLLY], ids=["granted others", "full access"])
    def test_other_profiles_read_no_members(self, api: UsersApi, member: Any) -> None:
        """Not even a profile that may do everything else."""
        id_ = api.note(ANNA, text="a")
        count = '{ Note___getPage(options: {filter: {author___eq: "anna"}}) { totalCount } }'
        refusals = {
            '{ _User___get(_id: "m2") { _id } }': "ENTITY_GRANT_READ",
            "{ _User___getPage { totalCount } }": "ENTITY_GRANT_READ",
            f'{{ Note___get(_id: "{id_}") {{ {CREATOR} }} }}': "ROLE_GRANT_READ",
            f'{{ Note___get(_id: "{id_}") {{ author }} }}': "ATTRIBUTE_GRANT_READ",
            count: "ATTRIBUTE_GRANT_READ",
        }
        for query, kind in refusals.items():
            body = api.body(query, member)
            assert [error["extensions"]["issueType"] for error in body["errors"]] == [kind], query
            assert "anna" not in json.dumps(body), query
        assert api.get("Note", id_, "text _createdby", member) == {"text": "a", "_createdby": "anna"}

    def test_a_profile_that_the_model_does_not_have_reads_nothing(self, users: UsersApi) -> None:
        ((kind, _),) = users.issues('{ _User___get(_id: "m6") { _id } }', LOST)
        assert kind == "APPLICATION_ACCESS_FORBIDDEN"

    def test_roles_to_hidden_members_are_null(self, api: UsersApi) -> None:
        mine, hers = api.note(ROOT, text="a"), api.note(ANNA, text="b")
        assert api.get("Note", mine, f"_createdby {CREATOR} author", ANNA) == {
            "_createdby": "root",
            "_createdby_user": None,
            "author": None,
        }
        found = api.get("Note", hers, f"{CREATOR} _ownedby_user {{ email }}", BERT)
        assert found == {"_createdby_user": {"username": "anna"}, "_ownedby_user": {"email": None}}
        assert api.get("Note", hers, "_ownedby_user { email }", ANNA)["_ownedby_user"]["email"] == ANNA.email

    def test_the_past_shows_no_more_than_the_present(self, api: UsersApi) -> None:
        id_ = api.note(ANNA, text="a")
        at = 'atVersion: "01-01-2020 12:00:01.500"'
        query = f'{{ Note___getVersion(_id: "{id_}", {at}) {{ {CREATOR} author }} }}'
        assert api.ask(query, BERT) == {"_createdby_user": {"username": "anna"}, "author": "anna"}
        api.change(ANNA, profile="Administrator")
        assert api.ask(query, BERT) == {"_createdby_user": None, "author": None}

    def test_a_condition_of_a_class_can_lead_to_members(self, api: UsersApi) -> None:
        """Guests see the notes of members in their time zone, although they can't read members."""
        api.note(ANNA, text="a")
        api.note(BERT, text="b")
        query = "{ Note___getPage { totalCount items { text } } }"
        assert api.ask(query, GUS) == {"totalCount": 1, "items": [{"text": "a"}]}
        api.change(BERT, formats=GUS.formats)
        assert api.ask(query, GUS)["totalCount"] == 2
        api.remove(ANNA)
        assert api.ask(query, GUS) == {"totalCount": 1, "items": [{"text": "b"}]}

    def test_a_condition_of_a_write_can_lead_to_members(self, api: UsersApi) -> None:
        ids = {member: api.note(member, text="a") for member in (ANNA, ROOT)}
        update = 'mutation { Note___update(data: {_id: "%s", text: "b"}) { text } }'
        assert api.ask(update % ids[ANNA], GUS) == {"text": "b"}
        ((kind, message),) = api.issues(update % ids[ROOT], GUS)
        assert (kind, message) == ("ENTITY_NOT_FOUND", f'Note "{ids[ROOT]}" does not exist.')


def test_a_warning_can_lead_to_members(api: UsersApi) -> None:
    id_ = api.note(ANNA, text="a")
    api.change(ANNA, notes="closed")
    update = f'mutation {{ Note___update(data: {{_id: "{id_}", text: "b"}}) {{ text }} }}'
    assert api.issues(update, ROOT) == [("ENTITY_DOMAIN", "The owner is away.")]


def test_a_page_without_cache_shows_members_as_they_are_by_id(users: UsersApi) -> None:
    options = '{filter: {timeZone___eq: "Europe/Rome"}, orderBy: [username___DESC]}'
    query = f"{{ _User___getPage(options: {options}, disableCache: true) {{ items {{ username }} }} }}"
    assert users.ask(query) == {"items": [{"username": "anna"}, {"username": "Gus"}]}


def test_users_cannot_be_locked_or_written(users: UsersApi) -> None:
    for query in (
        'mutation { lock(locks: [{entityName: _User, _id: "m2"}]) { locked } }',
        'mutation { _User___delete(_id: "m2") { deleted } }',
        '{ _User___get(_id: "m2") { _lock { lockedBy } } }',
        '{ _User___get(_id: "m2") { password } }',
        '{ _User___get(_id: "m2") { pendingEmail } }',
        'mutation { Note___create(data: {_createdby_user: "m2"}) { _id } }',
    ):
        (error,) = users.body(query)["errors"]
        assert error["extensions"]["classification"] == "ValidationError", query


_BY_USER = (
    "{ Note___getPage(options: {filter: {_createdby_user: {%s}}}) { totalCount hasNext items { text } } }"
)


@pytest.mark.parametrize(("name", "texts"), [("root", ["r"]), ("anna", ["a", "b"]), ("nobody", [])])
def test_requests_filter_by_what_a_role_to_users_leads_to(api: UsersApi, name: str, texts: list[str]) -> None:
    for by, text in ((ROOT, "r"), (ANNA, "a"), (ANNA, "b")):
        api.note(by, text=text)
    condition = f'username___eq: "{name}"'
    page = api.ask(_BY_USER % condition)
    assert (page["totalCount"], [each["text"] for each in page["items"]]) == (len(texts), texts)
    options = f"options: {{filter: {{_createdby_user: {{{condition}}}}}}}"
    assert api.ask(f"mutation {{ Note___deleteBulk({options}) {{ deleted }} }}") == {"deleted": len(texts)}


def test_a_filter_on_users_does_not_find_hidden_members(api: UsersApi) -> None:
    api.note(ROOT, text="r")
    empty = {"totalCount": 0, "hasNext": False, "items": []}
    assert api.ask(_BY_USER % 'username___eq: "root"', ANNA) == empty
    for hidden in ("notes", "email"):
        ((type_, _message),) = api.issues(_BY_USER % f'{hidden}___eq: "x"', ANNA)
        assert type_ == "ATTRIBUTE_GRANT_READ"


@each_row("condition", ['username___eq: "root"', "username___contains: null", "_id___in: []"])
def test_a_filter_beyond_a_role_that_is_closed_names_the_role_only(users: UsersApi, condition: str) -> None:
    for by in (OLLY, GUS):
        for verb in ("getPage", "validateUpdateBulk"):
            data = "" if verb == "getPage" else 'data: {text: "x"}, '
            options = f"options: {{filter: {{_createdby_user: {{{condition}}}}}}}"
            selection = "totalCount" if verb == "getPage" else "isValid"
            query = f"{{ Note___{verb}({data}{options}) {{ {selection} }} }}"
            ((type_, message),) = users.issues(query, by)
            assert type_ == "ROLE_GRANT_READ"
            assert "_User" not in message
