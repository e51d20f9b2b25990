"""Services and issues of a uniqueness constraint with a role tell nothing about what a caller may not see."""

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.guild_api import GuildApi

MODEL = read_model(
    """
    extend schema @application(name: "Clinic") @profile(name: "Administrator", administrator: true)
      @profile(name: "Nurse") @profile(name: "Temp") @profile(name: "Guest")

    type Ward @grant(profile: "Nurse", allow: [READ], where: "open") @grant(profile: "Temp", allow: [READ]) {
      open: Boolean
      rooms: [Room!] @association(opposite: "ward")
    }

    "A nurse sees all rooms, but only open wards. A temp sees some wards of rooms, and a guest none."
    type Room @unique(attributes: ["ward", "number"])
      @grant(profile: "Nurse", allow: [READ, CREATE, EDIT])
      @grant(profile: "Temp", allow: [READ])
      @grant(profile: "Guest", allow: [READ]) {
      number: Int
      ward: Ward @association(opposite: "rooms") @grant(profile: "Temp", allow: [READ], where: "number > 1")
    }
    """,
    "clinic.graphql",
)
NURSE, TEMP, GUEST = (Caller(f"m{name}", name, name) for name in ("Nurse", "Temp", "Guest"))
FIND = '{{ Room___getByWard_Number(ward: "{}", number: 5) {{ _id }} }}'


@pytest.fixture
def clinic() -> GuildApi:
    """The API over an empty clinic."""
    return GuildApi(Repository(ReferenceEngine(), MODEL), MODEL)


def test_a_hidden_or_missing_target_finds_nothing(clinic: GuildApi) -> None:
    opened, closed = clinic.create("Ward", open=True), clinic.create("Ward", open=False)
    rooms = [clinic.create("Room", number=5, ward=ward) for ward in (opened, closed)]

    assert clinic.ask(FIND.format(opened), NURSE) == {"_id": rooms[0]}
    assert clinic.ask(FIND.format(closed), NURSE) is None
    assert clinic.ask(FIND.format("none"), NURSE) is None
    assert clinic.ask(FIND.format(closed)) == {"_id": rooms[1]}


@pytest.mark.parametrize("caller", [TEMP, GUEST], ids=["on some objects", "not at all"])
def test_a_role_that_the_caller_may_not_read_everywhere_is_refused(clinic: GuildApi, caller: Caller) -> None:
    ward = clinic.create("Ward", open=True)
    clinic.create("Room", number=5, ward=ward)

    assert clinic.issues(FIND.format(ward), caller) == [
        ("ROLE_GRANT_READ", "Room___getByWard_Number.ward", "ward")
    ]


def test_the_issue_of_a_taken_value_does_not_name_a_hidden_target(clinic: GuildApi) -> None:
    closed = clinic.create("Ward", open=False)
    clinic.create("Room", number=5, ward=closed)
    other = clinic.create("Room", number=6, ward=closed)
    update = f'mutation {{ Room___update(data: {{_id: "{other}", number: 5}}) {{ _id }} }}'

    (issue,) = (error["extensions"] for error in clinic.body(update, NURSE)["errors"])

    assert (issue["issueType"], issue["attributeNames"], issue["roleNames"]) == (
        "ENTITY_UNIQUE",
        ["number"],
        ["ward"],
    )
    message = "Another Room already has the same ward{} and number 5. The combination must be unique."
    assert issue["userMessage"] == message.format("")
    (issue,) = (error["extensions"] for error in clinic.body(update)["errors"])
    assert issue["userMessage"] == message.format(f' "{closed}"')
