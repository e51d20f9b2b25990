"""Locks over HTTP: two members and an administrator compete for objects, on each store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.graph_client import Client, over_dynamodb
from tests.service import RunningService, running

LOCK = """mutation($locks: [EntityID!], $minutes: Int = 10) {
  lock(locks: $locks, minutes: $minutes) { locked minutes } }"""
UNLOCK = "mutation($locks: [EntityID!]) { unlock(locks: $locks) { locked minutes } }"
SHOWN = '_lock { lockedBy lockedUntil(format: "yyyy") mine }'


class Member(Client):
    """A member who sends GraphQL requests."""

    def refused(self, query: str, **variables: Any) -> list[str]:
        """Return the types of the issues of a refused request."""
        return [error["extensions"]["issueType"] for error in self.body(query, **variables)["errors"]]

    def make(self, class_name: str, **data: Any) -> dict[str, str]:
        """Create an object, and return its class and id."""
        return {"entityName": class_name, "_id": self.create(class_name, **data)}


class LockScenario:
    """A service with three members: admin, ada and bob."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        for username in ("ada", "bob"):
            service.join(username, "Manager")
        self.admin, self.ada, self.bob = (Member(service, name) for name in ("admin", "ada", "bob"))


@pytest.fixture(
    scope="module",
    params=[dict, pytest.param(over_dynamodb("locks"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def scenario(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LockScenario]:
    home: Path = tmp_path_factory.mktemp("service") / "home"
    with running(home, settings={"STRATABASE_LOCK_MINUTES": "60", **request.param()}) as service:
        yield LockScenario(service)


def test_update_of_an_object_locked_by_another_is_refused_until_it_is_unlocked(
    scenario: LockScenario,
) -> None:
    ada, bob = scenario.ada, scenario.bob
    team = ada.make("Team", name="red")
    assert ada.ask(LOCK, locks=[team], minutes=5) == {"locked": True, "minutes": 5}
    rename = "mutation($id: ID!, $name: String) { Team___update(data: {_id: $id, name: $name}) { name } }"
    for other in (bob, scenario.admin):
        assert other.refused(rename, id=team["_id"], name="blue") == ["ENTITY_LOCK_PERSIST"]
        assert other.refused(LOCK, locks=[team]) == ["ENTITY_LOCK_EDIT"]
    assert bob.refused(UNLOCK, locks=[team]) == ["ENTITY_LOCK_EDIT"]
    assert ada.ask(rename, id=team["_id"], name="blue") == {"name": "blue"}
    assert ada.ask(UNLOCK, locks=[team]) == {"locked": False, "minutes": 0}
    assert bob.ask(rename, id=team["_id"], name="green") == {"name": "green"}


def test_every_member_sees_the_holder_of_a_lock(scenario: LockScenario) -> None:
    ada, bob = scenario.ada, scenario.bob
    team = ada.make("Team", name="seen")
    employee = ada.make("Employee", first_name="A", last_name="B", email="seen@example.com", team=team["_id"])
    ada.ask(LOCK, locks=[team, employee])
    page = f"""{{ Employee___getPage(options: {{filter: {{email___eq: "seen@example.com"}}}}) {{
      items {{ {SHOWN} team {{ {SHOWN} }} }} }} }}"""
    for member, mine in ((ada, True), (bob, False)):
        (item,) = member.ask(page)["items"]
        assert item["_lock"]["lockedBy"] == "ada"
        assert (item["_lock"]["mine"], item["team"]["_lock"]["mine"]) == (mine, mine)
    scenario.admin.ask(UNLOCK, locks=[team, employee])
    assert bob.ask(page)["items"] == [{"_lock": None, "team": {"_lock": None}}]


def test_the_configured_maximum_duration_applies(scenario: LockScenario) -> None:
    team = scenario.ada.make("Team", name="long")
    answer = scenario.ada.body(LOCK, locks=[team], minutes=61)
    assert [error["message"] for error in answer["errors"]] == [
        "61 is not allowed for minutes. Use a whole number from 1 to 60."
    ]
    assert scenario.ada.ask(LOCK, locks=[team], minutes=60) == {"locked": True, "minutes": 60}


def test_a_lock_survives_a_restart(tmp_path: Path) -> None:
    """Killed at once after it was told."""
    service = RunningService(tmp_path / "home").start()
    scenario = LockScenario(service)
    team = scenario.ada.make("Team", name="red")
    scenario.ada.ask(LOCK, locks=[team])
    service.kill()
    service.start()
    end = "mutation($id: ID!) { Team___delete(_id: $id) { deleted } }"
    assert scenario.bob.refused(end, id=team["_id"]) == ["ENTITY_LOCK_PERSIST"]
    assert scenario.ada.ask(end, id=team["_id"]) == {"deleted": True}
    service.stop()
