"""Write grants: classes, attributes and roles, with their conditions."""

from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from tests.core.schema.grants.guild_api import MANAGER, SMITH, GuildApi

M = "Master___update.data"


class GuildScenario:
    """A guild with some masters, which the cases reference by name."""

    def __init__(self, guild: GuildApi) -> None:
        self.guild = guild
        red, blue = (guild.create("Team", name=name) for name in ("red", "blue"))
        ada = guild.master(
            "Ada", 1, team=red, tools=[{"label": "saw"}], scars=[{"place": "arm"}], sins=[{"label": "pride"}]
        )
        own = guild.master("own", 1, SMITH, team=red)
        zoe = guild.master("Zoe", 9, team=red, tasks=[{"label": "rule"}])
        task = {"label": "sweep"}
        eve = guild.master("Eve", 1, tasks=[task, {"label": "slept", "done": True}], boss=ada)
        self.ids = {"red": red, "blue": blue, "ada": ada, "own": own, "zoe": zoe, "eve": eve}
        self.ids["vault"] = guild.create("Vault", code="007")
        self.ids["work"] = guild.create("Work", label="work", open=True, masters=[ada])
        self.ids["closed"] = guild.create("Work", label="closed", masters=[zoe])
        for role, label in (("tools", "label"), ("scars", "place"), ("tasks", "label"), ("sins", "label")):
            for name in ("ada", "eve", "zoe"):
                items = guild.get("Master", self.ids[name], f"{role} {{ items {{ _id {label} }} }}")[role][
                    "items"
                ]
                self.ids |= {item[label]: item["_id"] for item in items}

    def named(self, data: Any) -> Any:
        """Return data in which ids replace the names after `@`."""
        if isinstance(data, dict):
            return {key: self.named(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.named(each) for each in data]
        return self.ids[data[1:]] if isinstance(data, str) and data.startswith("@") else data

    def update(self, class_name: str, data: Any, caller: Caller = SMITH) -> list[tuple[str, ...]]:
        """Return the issues of an update. Assert that its validation returns the same."""
        return self._do(class_name, "Update", data, caller)

    def create(self, class_name: str, data: Any, caller: Caller = SMITH) -> list[tuple[str, ...]]:
        """Return the issues of a create. Assert that its validation returns the same."""
        return self._do(class_name, "Create", data, caller)

    def _do(self, class_name: str, verb: str, data: Any, caller: Caller) -> list[tuple[str, ...]]:
        value, service = self.named(data), f"{class_name}___{verb.lower()}"
        verdict = self.guild.ask(
            f"""query($data: {class_name}Draft{verb}!) {{
              {service}: {class_name}___validate{verb}(data: $data) {{
                issues {{ issueType sourceRequestReference attributeNames roleNames }} }} }}""",
            caller,
            data=value,
        )
        result = [issue_summary(issue) for issue in verdict["issues"]]
        write = f"mutation($data: {class_name}{verb}!) {{ {service}(data: $data) {{ _id }} }}"
        if result:
            assert self.guild.issues(write, caller, data=value) == result
        else:
            self.guild.ask(write, caller, data=value)
        return result


def issue_summary(issue: dict[str, Any]) -> tuple[str, ...]:
    names = issue["attributeNames"] or issue["roleNames"] or ()
    return issue["issueType"], issue["sourceRequestReference"], *names


@pytest.fixture
def scenario(guild: GuildApi) -> GuildScenario:
    return GuildScenario(guild)


UPDATES: dict[str, tuple[str, dict[str, Any], list[tuple[str, ...]]]] = {
    "a value": ("Master", {"_id": "@ada", "name": "x"}, []),
    "a class": ("Team", {"_id": "@red", "name": "x"}, [("ENTITY_GRANT_EDIT", "Team___update.data")]),
    "a class without grants": (
        "Vault",
        {"_id": "@vault", "code": "x"},
        [("ENTITY_GRANT_EDIT", "Vault___update.data")],
    ),
    "an empty update of a class without grants": (
        "Vault",
        {"_id": "@vault"},
        [("ENTITY_GRANT_EDIT", "Vault___update.data")],
    ),
    "a missing object of a class without grants": (
        "Vault",
        {"_id": "none"},
        [("ENTITY_GRANT_EDIT", "Vault___update.data")],
    ),
    "an attribute": (
        "Master",
        {"_id": "@ada", "salary": 1},
        [("ATTRIBUTE_GRANT_EDIT", f"{M}.salary", "salary")],
    ),
    "an unchanged attribute": (
        "Master",
        {"_id": "@ada", "salary": None},
        [("ATTRIBUTE_GRANT_EDIT", f"{M}.salary", "salary")],
    ),
    "a read-only attribute": (
        "Master",
        {"_id": "@ada", "rank": "x", "name": "x"},
        [("ATTRIBUTE_GRANT_EDIT", f"{M}.rank", "rank")],
    ),
    "an attribute set only at creation": (
        "Master",
        {"_id": "@ada", "oath": "x"},
        [("ATTRIBUTE_GRANT_EDIT", f"{M}.oath", "oath")],
    ),
    "a write-only attribute": ("Master", {"_id": "@ada", "pin": "x"}, []),
    "the caller's own object": ("Master", {"_id": "@own", "diary": "x", "friends": {"add": ["@ada"]}}, []),
    "another member's object": (
        "Master",
        {"_id": "@ada", "diary": "x", "friends": {"add": ["@own"]}, "mentor": {"set": "@own"}},
        [
            ("ATTRIBUTE_GRANT_EDIT", f"{M}.diary", "diary"),
            ("ROLE_GRANT_EDIT", f"{M}.friends", "friends"),
            ("ROLE_GRANT_EDIT", f"{M}.mentor", "mentor"),
        ],
    ),
    "a hidden object": ("Master", {"_id": "@zoe", "name": "x"}, [("ENTITY_NOT_FOUND", f"{M}._id")]),
    "a forbidden result": ("Master", {"_id": "@ada", "level": 5}, [("ENTITY_GRANT_EDIT", M)]),
    "an association": ("Master", {"_id": "@ada", "team": {"set": "@blue"}}, []),
    "a removed association": ("Master", {"_id": "@ada", "team": {"remove": True}}, []),
    "a read-only association": (
        "Master",
        {"_id": "@ada", "boss": {"set": "@own"}},
        [("ROLE_GRANT_EDIT", f"{M}.boss", "boss")],
    ),
    "an unreadable association": (
        "Master",
        {"_id": "@ada", "rivals": {"add": ["@own"]}},
        [("ROLE_GRANT_EDIT", f"{M}.rivals", "rivals")],
    ),
    "an association from a read-only side": (
        "Team",
        {"_id": "@red", "members": {"add": ["@own"]}},
        [("ENTITY_GRANT_EDIT", "Team___update.data")],
    ),
    "an association with a read-only opposite": (
        "Master",
        {"_id": "@ada", "staff": {"add": ["@own"]}},
        [("ROLE_GRANT_EDIT", f"{M}.staff", "boss")],
    ),
    "a removed association with a read-only opposite": (
        "Master",
        {"_id": "@ada", "staff": {"removeAll": True}},
        [("ROLE_GRANT_EDIT", f"{M}.staff", "boss")],
    ),
    "an association to a hidden object": (
        "Master",
        {"_id": "@own", "friends": {"add": ["@zoe"]}, "mentor": {"set": "@zoe"}},
        [("ENTITY_NOT_FOUND", f"{M}.mentor", "mentor"), ("ENTITY_NOT_FOUND", f"{M}.friends", "friends")],
    ),
    "an association to a class without grants": (
        "Team",
        {"_id": "@red", "vault": {"set": "@vault"}},
        [
            ("ENTITY_GRANT_EDIT", "Team___update.data"),
            ("ROLE_GRANT_READ", "Team___update.data.vault", "vault"),
        ],
    ),
    "links": ("Master", {"_id": "@ada", "works": {"remove": ["@work"]}}, []),
    "links from the other side": ("Work", {"_id": "@work", "masters": {"add": ["@own"]}}, []),
    "links to a hidden object": (
        "Master",
        {"_id": "@ada", "works": {"add": ["@closed"]}},
        [("ENTITY_NOT_FOUND", f"{M}.works", "works")],
    ),
    "parts without their own grants": (
        "Master",
        {
            "_id": "@ada",
            "tools": {
                "create": [{"label": "axe", "bits": [{"label": "edge"}]}],
                "update": [{"_id": "@saw", "label": "x", "bits": {"create": [{"label": "tooth"}]}}],
            },
        },
        [],
    ),
    "deletion of parts without their own grants": (
        "Master",
        {"_id": "@ada", "tools": {"deleteAll": True}},
        [],
    ),
    "an attribute of a part without its own grants": (
        "Master",
        {
            "_id": "@ada",
            "tools": {"create": [{"label": "axe", "weight": 1}], "update": [{"_id": "@saw", "weight": 2}]},
        },
        [
            ("ATTRIBUTE_GRANT_EDIT", f"{M}.tools.create.0.weight", "weight"),
            ("ATTRIBUTE_GRANT_EDIT", f"{M}.tools.update.0.weight", "weight"),
        ],
    ),
    "parts of a hidden object": (
        "Master",
        {"_id": "@zoe", "tools": {"create": [{"label": "axe"}]}},
        [("ENTITY_NOT_FOUND", f"{M}._id")],
    ),
    "create-only parts": (
        "Master",
        {"_id": "@ada", "scars": {"create": [{"place": "leg"}]}},
        [],
    ),
    "create-only parts, updated": (
        "Master",
        {"_id": "@ada", "scars": {"update": [{"_id": "@arm", "place": "leg"}]}},
        [("ROLE_GRANT_EDIT", f"{M}.scars", "scars")],
    ),
    "create-only parts, deleted": (
        "Master",
        {"_id": "@ada", "scars": {"delete": ["@arm"]}},
        [("ROLE_GRANT_DELETE", f"{M}.scars", "scars")],
    ),
    "create-only parts, all deleted": (
        "Master",
        {"_id": "@eve", "scars": {"deleteAll": True}},
        [("ROLE_GRANT_DELETE", f"{M}.scars", "scars")],
    ),
    "parts of a composition without grants": (
        "Master",
        {"_id": "@ada", "sins": {"create": [{"label": "x"}], "delete": ["@pride"]}},
        [("ROLE_GRANT_CREATE", f"{M}.sins", "sins"), ("ROLE_GRANT_DELETE", f"{M}.sins", "sins")],
    ),
    "a part with its own grants": (
        "Master",
        {"_id": "@eve", "tasks": {"update": [{"_id": "@sweep", "label": "x"}]}},
        [],
    ),
    "a part with its own grants and a forbidden result": (
        "Master",
        {"_id": "@eve", "tasks": {"update": [{"_id": "@sweep", "done": True}]}},
        [("ENTITY_GRANT_EDIT", f"{M}.tasks.update.0")],
    ),
    "a hidden part with its own grants": (
        "Master",
        {"_id": "@eve", "tasks": {"update": [{"_id": "@slept", "label": "x"}]}},
        [("ENTITY_NOT_FOUND", f"{M}.tasks.update.0._id", "tasks")],
    ),
    "a new part with its own grants": (
        "Master",
        {"_id": "@eve", "tasks": {"create": [{"label": "x"}]}},
        [("ENTITY_GRANT_CREATE", f"{M}.tasks.create.0")],
    ),
    "deletion of a part with its own grants": (
        "Master",
        {"_id": "@eve", "tasks": {"delete": ["@sweep"]}},
        [("ENTITY_GRANT_DELETE", f"{M}.tasks")],
    ),
    "several things": (
        "Master",
        {"_id": "@ada", "salary": 1, "level": 99, "boss": {"remove": True}},
        [("ATTRIBUTE_GRANT_EDIT", f"{M}.salary", "salary"), ("ROLE_GRANT_EDIT", f"{M}.boss", "boss")],
    ),
    "the singleton": ("Hall", {"name": "x"}, [("ENTITY_GRANT_EDIT", "Hall___update.data")]),
    "a singleton without grants": ("Safe", {"code": "x"}, [("ENTITY_GRANT_EDIT", "Safe___update.data")]),
}


@pytest.mark.parametrize(("class_name", "data", "expected"), UPDATES.values(), ids=UPDATES)
def test_an_update_needs_these_grants(
    scenario: GuildScenario, class_name: str, data: dict[str, Any], expected: list[tuple[str, ...]]
) -> None:
    assert scenario.update(class_name, data) == expected
    if not any(type_ == "ENTITY_NOT_FOUND" for type_, *_ in expected) and data.get("level") != 99:
        data = {**data, "_id": "@vault"} if data.get("_id") == "none" else data
        assert scenario.update(class_name, data, MANAGER) == []


C = "Master___create.data"
X = {"name": "x", "level": 1}
CREATES: dict[str, tuple[str, dict[str, Any], list[tuple[str, ...]]]] = {
    "an object": ("Master", X, []),
    "an object with all writable values": (
        "Master",
        {
            **X,
            "pin": "1",
            "oath": "o",
            "diary": "d",
            "team": "@red",
            "works": ["@work"],
            "tools": [{"label": "x"}],
        },
        [],
    ),
    "a class": ("Team", {"name": "x"}, [("ENTITY_GRANT_CREATE", "Team___create.data")]),
    "a class without grants": ("Vault", {"code": "1"}, [("ENTITY_GRANT_CREATE", "Vault___create.data")]),
    "a forbidden object": ("Master", {"name": "x", "level": 5}, [("ENTITY_GRANT_CREATE", C)]),
    "attributes": (
        "Master",
        {**X, "salary": 1, "rank": "r"},
        [("ATTRIBUTE_GRANT_EDIT", f"{C}.salary", "salary"), ("ATTRIBUTE_GRANT_EDIT", f"{C}.rank", "rank")],
    ),
    "attributes set to null": ("Master", {**X, "salary": None, "rank": None}, []),
    "roles": (
        "Master",
        {**X, "boss": "@ada", "rivals": ["@ada"], "friends": ["@ada"]},
        [
            ("ROLE_GRANT_CREATE", f"{C}.boss", "boss"),
            ("ROLE_GRANT_CREATE", f"{C}.rivals", "rivals"),
            ("ROLE_GRANT_CREATE", f"{C}.friends", "friends"),
        ],
    ),
    "roles set to null": ("Master", {**X, "boss": None, "rivals": []}, []),
    "a role with a read-only opposite": (
        "Master",
        {**X, "staff": ["@ada"]},
        [("ROLE_GRANT_EDIT", f"{C}.staff", "boss")],
    ),
    "an object that references a hidden one": (
        "Master",
        {**X, "works": ["@closed"]},
        [("ENTITY_NOT_FOUND", f"{C}.works", "works")],
    ),
    "parts": (
        "Master",
        {**X, "scars": [{"place": "x"}], "tools": [{"label": "x", "bits": [{"label": "y", "weight": 1}]}]},
        [("ATTRIBUTE_GRANT_EDIT", f"{C}.tools.0.bits.0.weight", "weight")],
    ),
    "parts with their own grants": (
        "Master",
        {**X, "tasks": [{"label": "x"}]},
        [("ENTITY_GRANT_CREATE", f"{C}.tasks.0")],
    ),
}


@pytest.mark.parametrize(("class_name", "data", "expected"), CREATES.values(), ids=CREATES)
def test_a_creation_needs_these_grants(
    scenario: GuildScenario, class_name: str, data: dict[str, Any], expected: list[tuple[str, ...]]
) -> None:
    assert scenario.create(class_name, data) == expected
    if not any(type_ == "ENTITY_NOT_FOUND" for type_, *_ in expected):
        assert scenario.create(class_name, data, MANAGER) == []
