"""Read grants: refusals before any read, and hidden objects and values."""

from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from tests.core.schema.grants.guild_api import MANAGER, SCRIBE, SMITH, GuildApi, issue_summary
from tests.fakes import ADMINISTRATOR

REFUSED: dict[str, tuple[str, list[tuple[str, ...]]]] = {
    "get of a class": ('{ Vault___get(_id: "x") { _id } }', [("ENTITY_GRANT_READ", "Vault___get")]),
    "get of a class with its members": (
        '{ v: Vault___get(_id: "x") { _id code } }',
        [("ENTITY_GRANT_READ", "v")],
    ),
    "getBy of a class": (
        '{ Vault___getByCode(code: "x") { _id } }',
        [("ENTITY_GRANT_READ", "Vault___getByCode")],
    ),
    "a page of a class": ("{ Vault___getPage { totalCount } }", [("ENTITY_GRANT_READ", "Vault___getPage")]),
    "a singleton": ("{ Safe___get { _id } }", [("ENTITY_GRANT_READ", "Safe___get")]),
    "a part of a composition without grants": (
        "{ Sin___getPage { items { _id } } }",
        [("ENTITY_GRANT_READ", "Sin___getPage")],
    ),
    "a filter": (
        """{ Master___getPage(options: {filter: {OR: [{name___eq: "x"}, {NOT: {salary___gt: 3}}]}}) {
             totalCount } }""",
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.filter", "salary")],
    ),
    "a filter by a derived attribute": (
        "{ Master___getPage(options: {filter: {twice___null: true}}) { totalCount } }",
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.filter", "twice")],
    ),
    "a condition": (
        '{ Master___getPage(options: {filter_exp: "salary > 3"}) { totalCount } }',
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.filter_exp", "salary")],
    ),
    "an order": (
        "{ Master___getPage(options: {orderBy: [name___ASC, salary___DESC]}) { items { _id } } }",
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.orderBy", "salary")],
    ),
    "a position": (
        "{ Master___getPage(options: {orderBy: [salary___ASC], fromCursor: {salary: 3}}) { items { _id } } }",
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.orderBy", "salary")],
    ),
    "a filter of a nested page": (
        """{ Team___getPage { items { members(options: {filter: {salary___gt: 3}}) { totalCount } } } }""",
        [("ATTRIBUTE_GRANT_READ", "Team___getPage.items.members.options.filter", "salary")],
    ),
    "a filter of associables": (
        """{ Team___getPage { items {
             members___associables(options: {filter: {pin___eq: "1"}}) { totalCount } } } }""",
        [("ATTRIBUTE_GRANT_READ", "Team___getPage.items.members___associables.options.filter", "pin")],
    ),
    "a filter by a conditional attribute": (
        '{ Master___getPage(options: {filter: {diary___contains: "x"}}) { totalCount } }',
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.filter", "diary")],
    ),
    "a filter along roles by an attribute": (
        """{ Team___getPage(options: {filter: {members___some: {team: {members___none: {salary___gt: 3}}}}}) {
             totalCount } }""",
        [("ATTRIBUTE_GRANT_READ", "Team___getPage.options.filter", "salary")],
    ),
    "a filter along roles by a conditional attribute": (
        '{ Work___getPage(options: {filter: {NOT: {head: {confession___contains: "x"}}}}) { totalCount } }',
        [("ATTRIBUTE_GRANT_READ", "Work___getPage.options.filter", "confession")],
    ),
    "a filter by a role": (
        "{ Team___getPage(options: {filter: {members___some: {rivals___none: {}}}}) { totalCount } }",
        [("ROLE_GRANT_READ", "Team___getPage.options.filter", "rivals")],
    ),
    "a filter by a role to a closed class": (
        "{ Team___getPage(options: {filter: {vault___null: true}}) { totalCount } }",
        [("ROLE_GRANT_READ", "Team___getPage.options.filter", "vault")],
    ),
    "a filter by a conditional role": (
        """{ Master___getPage(options: {filter: {OR: [{friends___some: {}}, {mentor___null: true}]}}) {
             totalCount } }""",
        [
            ("ROLE_GRANT_READ", "Master___getPage.options.filter", "friends"),
            ("ROLE_GRANT_READ", "Master___getPage.options.filter", "mentor"),
        ],
    ),
    "a filter by a hidden composition of a bulk service": (
        "mutation { Master___deleteBulk(options: {filter: {sins___every: {}}}) { deleted } }",
        [("ROLE_GRANT_READ", "Master___deleteBulk.options.filter", "sins")],
    ),
    "an order by an attribute derived from a conditional one": (
        "{ Master___getPage(options: {orderBy: [confession___ASC]}) { items { _id } } }",
        [("ATTRIBUTE_GRANT_READ", "Master___getPage.options.orderBy", "confession")],
    ),
    "unique values": (
        '{ Master___getByEmail_Salary(email: "x", salary: 3) { _id } }',
        [("ATTRIBUTE_GRANT_READ", "Master___getByEmail_Salary.salary", "salary")],
    ),
    "the answer of a write": (
        'mutation { Master___create(data: {name: "x", level: 1}) { _id salary } }',
        [("ATTRIBUTE_GRANT_READ", "Master___create.salary", "salary")],
    ),
    "the answer of a bulk service": (
        """mutation { Master___updateBulk(data: {name: "x"},
               options: {filter: {_id___not___null: true}, next: 1}) {
             items { rivals { totalCount } } } }""",
        [("ROLE_GRANT_READ", "Master___updateBulk.items.rivals", "rivals")],
    ),
    "the filter of a bulk service": (
        "mutation { Master___deleteBulk(options: {filter: {salary___gt: 3}}) { deleted } }",
        [("ATTRIBUTE_GRANT_READ", "Master___deleteBulk.options.filter", "salary")],
    ),
    "objects in bulk of a class": (
        "mutation { Vault___deleteBulk(options: {filter: {_id___not___null: true}}) { deleted } }",
        [("ENTITY_GRANT_READ", "Vault___deleteBulk")],
    ),
}


UNREADABLE: dict[str, tuple[str, Any, list[tuple[str, ...]]]] = {
    "an attribute": (
        "{ one(_id) { name salary } }",
        {"name": "Ada", "salary": None},
        [("ATTRIBUTE_GRANT_READ", "salary", "salary")],
    ),
    "a write-only attribute under an alias": (
        "{ one(_id) { p: pin pin } }",
        {"p": None, "pin": None},
        [("ATTRIBUTE_GRANT_READ", "p", "pin"), ("ATTRIBUTE_GRANT_READ", "pin", "pin")],
    ),
    "an attribute of two parts": (
        "{ one(_id) { tools { totalCount items { label weight } } } }",
        {
            "tools": {
                "totalCount": 2,
                "items": [{"label": "saw", "weight": None}, {"label": "axe", "weight": None}],
            }
        },
        [("ATTRIBUTE_GRANT_READ", "tools.items.weight", "weight")],
    ),
    "attributes derived from what is unreadable": (
        "{ one(_id) { twice team { payroll head_count vault_code } } }",
        {"twice": None, "team": {"payroll": None, "head_count": 1, "vault_code": None}},
        [
            ("ATTRIBUTE_GRANT_READ", "twice", "twice"),
            ("ATTRIBUTE_GRANT_READ", "team.payroll", "payroll"),
            ("ATTRIBUTE_GRANT_READ", "team.vault_code", "vault_code"),
        ],
    ),
    "a role to many, with its associables": (
        """{ one(_id) { rivals(options: {filter: {salary___gt: 1}}) { totalCount }
                        rivals___associables { totalCount } } }""",
        {"rivals": None, "rivals___associables": None},
        [
            ("ROLE_GRANT_READ", "rivals", "rivals"),
            ("ROLE_GRANT_READ", "rivals___associables", "rivals"),
        ],
    ),
    "a role to one object of a closed class": (
        "{ one(_id) { team { name vault { code keeper { salary } } } } }",
        {"team": {"name": "red", "vault": None}},
        [("ROLE_GRANT_READ", "team.vault", "vault")],
    ),
    "a composition": (
        "{ one(_id) { sins { totalCount items { label } } level } }",
        {"sins": None, "level": 1},
        [("ROLE_GRANT_READ", "sins", "sins")],
    ),
    "only what is unreadable, in fragments": (
        "{ one(_id) { ...f } } fragment f on Master { ... on Master { salary } salary }",
        {"salary": None},
        [("ATTRIBUTE_GRANT_READ", "salary", "salary")],
    ),
}


@pytest.mark.parametrize(("query", "expected", "issues"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_selection_of_a_query_is_null_with_one_issue(
    guild: GuildApi, query: str, expected: Any, issues: list[tuple[str, ...]]
) -> None:
    vault = guild.create("Vault", code="007")
    team = guild.create("Team", name="red", secret="s", vault=vault)
    tools = [{"label": "saw", "weight": 3}, {"label": "axe", "weight": 4}]
    ada = guild.master(
        "Ada", 1, team=team, salary=7, pin="p", tools=tools, sins=[{"label": "pride"}], rivals=[]
    )
    for id_, found in ((ada, expected), ("none", None)):
        named = query.replace("one(_id)", f'one: Master___get(_id: "{id_}")')
        bodies = [guild.body(named, SMITH) for _ in range(3)]
        # graphql-core executes the first request, and the compiled operation the others.
        assert bodies[0] == bodies[1] == bodies[2]
        assert bodies[0]["data"] == {"one": found}
        assert [issue_summary(error["extensions"]) for error in bodies[0]["errors"]] == [
            (type_, f"one.{path}", name) for type_, path, name in issues
        ]
        assert [error["path"] for error in bodies[0]["errors"]] == [
            ["one", *path.split(".")] for _, path, _ in issues
        ]


def test_the_rest_of_a_query_with_an_unreadable_selection_is_answered(guild: GuildApi) -> None:
    guild.master("Ada", 1, salary=7)
    query = """{ a: Master___getPage { totalCount items { name salary } } v: Vault___getPage { totalCount }
                 b: Master___getPage { items { salary } } }"""
    body = guild.body(query, SMITH)
    assert body == guild.body(query, SMITH)

    assert body["data"] == {
        "a": {"totalCount": 1, "items": [{"name": "Ada", "salary": None}]},
        "v": None,
        "b": {"items": [{"salary": None}]},
    }
    assert [issue_summary(error["extensions"])[:2] for error in body["errors"]] == [
        ("ENTITY_GRANT_READ", "v"),
        ("ATTRIBUTE_GRANT_READ", "a.items.salary"),
        ("ATTRIBUTE_GRANT_READ", "b.items.salary"),
    ]


def test_a_refused_query_reports_no_unreadable_selection(guild: GuildApi) -> None:
    query = "{ Master___getPage(options: {orderBy: [salary___ASC]}) { items { salary } } }"
    for _ in range(3):
        assert guild.issues(query, SMITH) == [
            ("ATTRIBUTE_GRANT_READ", "Master___getPage.options.orderBy", "salary")
        ]


def test_an_unreadable_selection_of_a_preview_is_null(guild: GuildApi) -> None:
    preview = '{ p: Master___previewCreate(data: {name: "x", level: 1, pin: "1"}) { name pin twice } }'
    for _ in range(3):
        body = guild.body(preview, SMITH)
        assert body["data"] == {"p": {"name": "x", "pin": None, "twice": None}}
        assert [error["path"] for error in body["errors"]] == [["p", "pin"], ["p", "twice"]]


def test_nothing_unreadable_is_loaded(guild: GuildApi, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = guild.master("Ada", 1, salary=7, rivals=[guild.master("Bob")], sins=[{"label": "pride"}])
    monkeypatch.setattr(guild.entities, "linked", _untouched)
    monkeypatch.setattr(guild.entities, "page", _untouched)
    query = f"""{{ one: Master___get(_id: "{ada}") {{ name twice rivals {{ totalCount items {{ name }} }}
                   rivals___associables {{ totalCount }} sins {{ items {{ label }} }} }} }}"""

    for _ in range(3):
        assert guild.body(query, SMITH)["data"]["one"] == {
            "name": "Ada",
            "twice": None,
            "rivals": None,
            "rivals___associables": None,
            "sins": None,
        }


@pytest.mark.parametrize(("query", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_request_without_a_grant_is_refused_before_any_read(
    guild: GuildApi, query: str, expected: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    guild.master("Ada", salary=7)
    for port in ("read", "linked", "page", "find_by_unique", "commit"):
        monkeypatch.setattr(guild.entities, port, _untouched)

    for _ in range(3):
        assert guild.issues(query, SMITH) == expected


def _untouched(*_: Any, **__: Any) -> None:
    raise AssertionError("The store was asked.")


@pytest.mark.parametrize("caller", [ADMINISTRATOR, MANAGER], ids=["administrator", "nobody grants anything"])
def test_administrators_and_unnamed_profiles_read_everything(guild: GuildApi, caller: Caller) -> None:
    vault = guild.create("Vault", code="007")
    team = guild.create("Team", name="red", secret="s", vault=vault)
    ada = guild.master("Ada", 9, team=team, salary=7, sins=[{"label": "pride"}], diary="d", pin="p")

    found = guild.get(
        "Master",
        ada,
        """salary twice pin confession sins { items { label } } rivals { totalCount }
           team { secret vault_code payroll }""",
        caller,
    )

    assert found == {
        "salary": 7,
        "twice": 14,
        "pin": "p",
        "confession": "Dear d",
        "sins": {"items": [{"label": "pride"}]},
        "rivals": {"totalCount": 0},
        "team": {"secret": "s", "vault_code": "007", "payroll": 7},
    }


def test_a_refusal_names_the_missing_permission(guild: GuildApi) -> None:
    query = """{ m: Master___get(_id: "x") { salary rivals { totalCount } twice
                   team { vault_code vault { _id } } }
                 v: Vault___getPage { totalCount } }"""

    # An error that leaves nothing of a root field comes first.
    refused, *errors = guild.body(query, SMITH)["errors"]
    errors.append(refused)

    salary = "The profile Member does not have READ permission for Master.salary."
    assert [error["message"] for error in errors] == [
        salary,
        "Master.twice depends on data for which the profile Member does not have READ permission.",
        "The profile Member does not have READ permission for Master.rivals.",
        "Team.vault_code depends on data for which the profile Member does not have READ permission.",
        "The profile Member does not have READ permission for the objects that Team.vault leads to.",
        "The profile Member does not have READ permission for Vault.",
    ]
    first, last = errors[0]["extensions"], errors[-1]["extensions"]
    assert (first["issueReferenceType"], first["entityName"]) == ("ENTITY_ATTRIBUTE", "Master")
    assert (last["issueReferenceType"], last["entityName"], last["profileName"]) == (
        "ENTITY",
        "Vault",
        "Member",
    )


def test_an_object_that_fails_the_condition_is_hidden(guild: GuildApi) -> None:
    low, high = guild.master("Ada", 4, email="a@x"), guild.master("Bob", 5, email="b@x")
    page = "{ Master___getPage(options: {%s}) { totalCount hasNext hasPrev items { name } } }"

    assert guild.get("Master", low, "name", SMITH) == {"name": "Ada"}
    assert guild.get("Master", high, "name", SMITH) is None
    assert guild.ask('{ Master___getByEmail(email: "a@x") { name } }', SMITH) == {"name": "Ada"}
    assert guild.ask('{ Master___getByEmail(email: "b@x") { name } }', SMITH) is None
    seen = {"totalCount": 1, "hasNext": False, "hasPrev": False, "items": [{"name": "Ada"}]}
    for options in (
        "",
        "next: 1",
        "prev: 1",
        "orderBy: [level___DESC]",
        "filter: {level___gt: 1}",
        'filter_exp: "level > 1"',
        f'filter: {{_id___in: ["{low}", "{high}"]}}',
        "orderBy: [title___DESC]",
        'filter: {title___contains: "of none"}',
    ):
        assert guild.ask(page % options, SMITH) == seen, options
    assert guild.ask(page % "", MANAGER)["totalCount"] == 2


def test_pages_skip_hidden_objects(guild: GuildApi) -> None:
    for number in range(30):
        guild.master(f"{number:02}", 9 if number % 3 else 1)
    query = """query($cursor: Cursor) {
      Master___getPage(options: {next: 4, cursor: $cursor, orderBy: [name___ASC]}) {
        items { name } nextCursor hasNext totalCount } }"""
    names: list[str] = []
    cursor = None
    while True:
        page = guild.ask(query, SMITH, cursor=cursor)
        names += [item["name"] for item in page["items"]]
        cursor = page["nextCursor"]
        assert page["totalCount"] == 10
        if not page["hasNext"]:
            break

    assert names == [f"{number:02}" for number in range(0, 30, 3)]


def test_a_lagging_index_reveals_no_hidden_objects(guild: GuildApi) -> None:
    guild.master("Ada", 9)

    page = guild.ask("{ Master___getPage(disableCache: true) { totalCount items { name } } }", SMITH)

    assert page == {"totalCount": 0, "items": []}


def test_roles_and_derived_attributes_use_only_visible_objects(guild: GuildApi) -> None:
    team = guild.create("Team", name="red")
    boss = guild.master("Zoe", 9, team=team)
    ada = guild.master("Ada", 1, team=team, boss=boss, friends=[boss])
    guild.master("Bob", 2, team=team, boss=ada)
    selection = "head_count top_level members { totalCount items { name boss_name boss { name } } }"
    items = [
        {"name": "Ada", "boss_name": None, "boss": None},
        {"name": "Bob", "boss_name": "Ada", "boss": {"name": "Ada"}},
    ]

    found = guild.get("Team", team, selection, SMITH)

    assert found == {"head_count": 2, "top_level": 2, "members": {"totalCount": 2, "items": items}}
    assert guild.get("Team", team, "head_count top_level", MANAGER) == {"head_count": 3, "top_level": 9}
    assert guild.get(
        "Team", team, "members(options: {orderBy: [_id___DESC], next: 1}) { items { name } }", SMITH
    ) == {"members": {"items": [{"name": "Bob"}]}}
    associables = guild.get("Team", team, "members___associables { totalCount items { name } }", SMITH)
    assert associables == {
        "members___associables": {"totalCount": 2, "items": [{"name": "Ada"}, {"name": "Bob"}]}
    }
    counted = "{ Team___getPage(options: {filter: {head_count___eq: 2}}) { totalCount } }"
    assert guild.ask(counted, SMITH) == {"totalCount": 1}
    assert guild.ask(counted, MANAGER) == {"totalCount": 0}


def test_filters_along_roles_see_only_visible_objects(guild: GuildApi) -> None:
    red, blue = guild.create("Team", name="red"), guild.create("Team", name="blue")
    boss = guild.master("Zoe", 9, team=red)
    ada = guild.master("Ada", 1, team=blue, boss=boss, tools=[{"label": "saw"}])
    guild.master("Bob", 2, team=blue, boss=ada)
    guild.create("Work", label="hers", open=True, head=boss, masters=[boss, ada])

    def matches(class_name: str, shown: str, filter_: str) -> dict[str, list[str]]:
        query = f"{{ {class_name}___getPage(options: {{filter: {{{filter_}}}}}) {{ items {{ {shown} }} }} }}"
        return {
            caller.profile: [item[shown] for item in guild.ask(query, caller)["items"]]
            for caller in (SMITH, MANAGER)
        }

    def found(smith: list[str], manager: list[str]) -> dict[str, list[str]]:
        return {"Member": smith, "Manager": manager}

    assert matches("Team", "name", "members___some: {}") == found(["blue"], ["red", "blue"])
    assert matches("Team", "name", "members___none: {level___gt: 5}") == found(["red", "blue"], ["blue"])
    assert matches("Team", "name", "members___every: {boss___null: true}") == found(["red"], ["red"])
    assert matches("Master", "name", "boss___null: true") == found(["Ada"], ["Zoe"])
    assert matches("Master", "name", "boss: {boss: {}}") == found([], ["Bob"])
    assert matches("Master", "name", "boss: {tool_count___gt: 0}") == found(["Bob"], ["Bob"])
    assert matches("Work", "label", "head___null: true") == found(["hers"], [])
    assert matches("Work", "label", "masters___every: {level___eq: 1}") == found(["hers"], [])
    assert matches("Tool", "label", 'master: {works___some: {label___eq: "hers"}}') == found(["saw"], ["saw"])
    assert matches("Tool", "label", "tool___null: false") == found([], [])


def test_a_refused_role_in_a_filter_is_named(guild: GuildApi) -> None:
    query = "{ Master___getPage(options: {filter: {mentor___null: true}}) { totalCount } }"
    (error,) = guild.body(query, SMITH)["errors"]
    assert error["message"].startswith(
        "Master.mentor can't be used in totals, or to filter, sort, or look up objects. "
        "The profile Member has READ permission for it on only some objects."
    )


def test_a_condition_may_read_other_objects(guild: GuildApi) -> None:
    smith, ada = guild.master("smith", 9), guild.master("Ada", 1)
    mine = guild.create("Work", label="mine", head=smith)
    hers = guild.create("Work", label="hers", head=ada, masters=[ada])
    opened = guild.create("Work", label="open", head=ada, open=True, masters=[ada])

    assert [guild.get("Work", id_, "label", SMITH) is None for id_ in (mine, hers, opened)] == [
        False,
        True,
        False,
    ]
    page = guild.ask(
        "{ Work___getPage(options: {next: 1}) { totalCount hasNext items { label head { name } } } }", SMITH
    )
    # The condition sees the head of the guild, who is not to be seen.
    assert page == {"totalCount": 2, "hasNext": True, "items": [{"label": "mine", "head": None}]}
    assert guild.get("Master", ada, "works { totalCount items { label } }", SMITH) == {
        "works": {"totalCount": 1, "items": [{"label": "open"}]}
    }


def test_parts_are_visible_with_their_whole(guild: GuildApi) -> None:
    for level in (1, 9):
        guild.master(f"{level}", level, tools=[{"label": f"{level}", "bits": [{"label": f"{level}b"}]}])

    page = guild.ask(
        "{ Tool___getPage(options: {orderBy: [label___ASC]}) { totalCount items { label } } }", SMITH
    )
    everything = guild.ask("{ Tool___getPage { items { _id label master { _id } tool { label } } } }")[
        "items"
    ]

    assert page == {"totalCount": 2, "items": [{"label": "1"}, {"label": "1b"}]}
    for tool in everything:
        found = guild.get("Tool", tool["_id"], "label master { level } tool { label }", SMITH)
        assert (found is None) == tool["label"].startswith("9")


def test_parts_with_their_own_grants_are_visible_by_both_grants(guild: GuildApi) -> None:
    tasks = [{"label": "open"}, {"label": "done", "done": True}]
    low, _ = guild.master("Ada", 1, tasks=tasks), guild.master("Zoe", 9, tasks=tasks)

    assert guild.get("Master", low, "tasks { totalCount items { label } }", SMITH) == {
        "tasks": {"totalCount": 1, "items": [{"label": "open"}]}
    }
    assert guild.ask("{ Task___getPage { totalCount items { master { name } } } }", SMITH) == {
        "totalCount": 1,
        "items": [{"master": {"name": "Ada"}}],
    }


def test_an_attribute_is_null_if_its_condition_does_not_hold(guild: GuildApi) -> None:
    own = guild.master("own", 1, SMITH, diary="mine")
    other = guild.master("other", 1, diary="hers")

    assert guild.get("Master", own, "diary confession", SMITH) == {"diary": "mine", "confession": "Dear mine"}
    assert guild.get("Master", other, "diary confession", SMITH) == {"diary": None, "confession": None}
    page = guild.ask("{ Master___getPage(options: {orderBy: [name___ASC]}) { items { diary } } }", SMITH)
    assert page == {"items": [{"diary": None}, {"diary": "mine"}]}


def test_a_derived_attribute_of_a_hidden_value_is_hidden(guild: GuildApi) -> None:
    own, other = guild.master("own", 1, SMITH), guild.master("other")
    guild.create("Team", name="red", members=[own, other])
    selection = "nick nickname"

    assert guild.get("Master", own, selection, SMITH) == {"nick": "Old own", "nickname": "Dear Old own"}
    assert guild.get("Master", other, selection, SMITH) == {"nick": None, "nickname": None}
    page = "{ Team___getPage { items { members { items { nick nickname } } } } }"
    (team,) = guild.ask(page, SMITH)["items"]
    assert team["members"]["items"] == [
        {"nick": "Old own", "nickname": "Dear Old own"},
        {"nick": None, "nickname": None},
    ]
    refused = "{ Master___getPage(options: {orderBy: [nickname___ASC]}) { items { _id } } }"
    assert guild.issues(refused, SMITH) == [
        ("ATTRIBUTE_GRANT_READ", "Master___getPage.options.orderBy", "nickname")
    ]


def test_a_role_is_empty_if_its_condition_does_not_hold(guild: GuildApi) -> None:
    friend = guild.master("Ada")
    other = guild.master("Bob", 1, friends=[friend], mentor=friend)
    selection = "friends { totalCount items { name } } mentor { name }"

    assert guild.get("Master", other, selection, SMITH) == {
        "friends": {"totalCount": 0, "items": []},
        "mentor": None,
    }
    assert guild.get("Master", other, selection, MANAGER)["mentor"] == {"name": "Ada"}


def test_a_member_who_may_only_write_gets_only_ids(guild: GuildApi) -> None:
    value = 'data: {_clientId: "c", name: "x", level: 1}'
    created = guild.ask(f"mutation {{ Master___create({value}) {{ _id _clientId __typename }} }}", SCRIBE)

    assert created == {"_id": created["_id"], "_clientId": "c", "__typename": "Master"}
    query = 'mutation { Master___create(data: {name: "x", level: 1}) { name boss { _id } } }'
    assert guild.issues(query, SCRIBE) == [
        ("ENTITY_GRANT_READ", "Master___create"),
        ("ROLE_GRANT_READ", "Master___create.boss", "boss"),
    ]


def test_validations_need_no_grant(guild: GuildApi) -> None:
    verdict = guild.ask(
        '{ Vault___validateCreate(data: {code: "1"}) { isValid issues { issueType } } }', SMITH
    )

    assert verdict == {"isValid": False, "issues": [{"issueType": "ENTITY_GRANT_CREATE"}]}


def test_introspection_shows_only_classes_that_the_profile_may_use(guild: GuildApi) -> None:
    query = '{ __type(name: "Vault") { name } }'
    assert guild.ask(query, SMITH) is None
    assert guild.ask(query, MANAGER) == {"name": "Vault"}
