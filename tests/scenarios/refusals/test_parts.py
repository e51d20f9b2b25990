"""Invalid parts: invalid values, parts of another whole, and contradicting commands."""

from collections.abc import Callable
from typing import Any

from tests.rows import each_row
from tests.scenarios.refusals.case import Case, changing, housing, loosely, making
from tests.scenarios.refusals.issue import (
    Issue,
    attribute,
    required,
    role,
    taken,
    taken_in_request,
)
from tests.scenarios.refusals.needs import DATE, PERSON
from tests.scenarios.refusals.service_client import ServiceClient

LONG = "The text has 10 characters. The maximum is 9."
ROOM = {"street": "s", "rooms": [{"name": "r"}, {"name": "q", "width": 10}]}
WIDE = "10 is too high. The maximum is 9."


def stranger(name: str, part: str, id_: str, at: str) -> Issue:
    return role("ENTITY_NOT_FOUND", name, f'{part} "{id_}" does not exist in this role.', at)


def person(says: str, change: dict[str, Any], *issues: Issue) -> Case:
    return making(says, "Person", {**PERSON, **change}, *issues)


def ann(says: str, change: dict[str, Any], *issues: Issue, **options: Any) -> Case:
    about = (issue.of("<ann>") if issue.entity == "Person" else issue for issue in issues)
    return changing(says, "Person", {"_id": "<ann>", **change}, *about, **options)


WRONG = [
    person(
        "one of several new parts",
        {"phones": [None, {"digits": "1"}, {"digits": "9" * 10}]},
        attribute("ATTRIBUTE_STRING_LENGTH", "Phone.digits", LONG, "data.phones.2.digits"),
    ),
    person(
        "several new parts, one with a name",
        {"phones": [{"digits": "9" * 10}, {"_clientId": "X", "digits": "8" * 10}]},
        attribute("ATTRIBUTE_STRING_LENGTH", "Phone.digits", LONG, "data.phones.0.digits"),
        attribute("ATTRIBUTE_STRING_LENGTH", "Phone.digits", LONG, "data.phones.1.digits").called("X"),
    ),
    person(
        "the only new part",
        {"contract": {"starts_on": "soon"}},
        attribute(
            "DATA_TYPE",
            "Contract.starts_on",
            f'"soon" is not a valid Date. {DATE}',
            "data.contract.starts_on",
        ),
    ),
    person(
        "a part of a part",
        {"addresses": [{"street": "s"}, ROOM]},
        attribute("ATTRIBUTE_RANGE", "Room.width", WIDE, "data.addresses.1.rooms.1.width"),
    ),
    person(
        "a part of the only part",
        {"home": ROOM},
        attribute("ATTRIBUTE_RANGE", "Room.width", WIDE, "data.home.rooms.1.width"),
    ),
    person(
        "a part with a value that another has",
        {"contract": {"starts_on": "2020-01-01", "reference": "ann"}},
        taken("Contract", {"reference": '"ann"'}, "data.contract.reference"),
    ),
    person(
        "two parts with the same value",
        {
            "addresses": [{"street": "s", "rooms": [{"name": "r", "code": "c"}]}],
            "home": {"street": "h", "rooms": [{"name": "r", "code": "c"}]},
        },
        taken_in_request("Room.code", "c", "data.addresses.0.rooms.0.code"),
    ),
    person(
        "parts with the same value, a value that another has, and a team that does not exist",
        {
            "team": "nowhere",
            "contract": {"starts_on": "2020-01-01", "reference": "ann"},
            "addresses": [{"street": "s", "rooms": [{"name": name, "code": "c"} for name in "rst"]}],
        },
        role("ENTITY_NOT_FOUND", "Person.team", 'Team "nowhere" does not exist.', "data.team"),
        taken("Contract", {"reference": '"ann"'}, "data.contract.reference"),
        *(taken_in_request("Room.code", "c", f"data.addresses.0.rooms.{number}.code") for number in (1, 2)),
    ),
    loosely(
        "parts without what is required",
        "Person",
        {**PERSON, "contract": {}, "phones": [{}, {"digits": None}], "addresses": [{"rooms": [{}]}]},
        required("Contract.starts_on", "data.contract.starts_on"),
        required("Phone.digits", "data.phones.0.digits"),
        required("Phone.digits", "data.phones.1.digits"),
        required("Address.street", "data.addresses.0.street"),
        required("Room.name", "data.addresses.0.rooms.0.name"),
    ),
    ann(
        "a part that is made",
        {"phones": {"create": [None, {"digits": "9" * 10}]}},
        attribute("ATTRIBUTE_STRING_LENGTH", "Phone.digits", LONG, "data.phones.create.1.digits"),
    ),
    ann(
        "a part that is changed",
        {"phones": {"create": [{"digits": "2"}], "update": [{"_id": "<ann_phone>", "digits": "9" * 10}]}},
        attribute("ATTRIBUTE_STRING_LENGTH", "Phone.digits", LONG, "data.phones.update.0.digits").of(
            "<ann_phone>"
        ),
    ),
    ann(
        "the only part, made",
        {"home": {"create": ROOM}},
        attribute("ATTRIBUTE_RANGE", "Room.width", WIDE, "data.home.create.rooms.1.width"),
    ),
    ann(
        "the only part, changed",
        {"contract": {"update": {"_id": "<ann_contract>", "starts_on": None}}},
        required("Contract.starts_on", "data.contract.update.starts_on").of("<ann_contract>"),
    ),
    ann(
        "the only part is given a value that another has",
        {"contract": {"update": {"_id": "<ann_contract>", "reference": "bob"}}},
        taken("Contract", {"reference": '"bob"'}, "data.contract.update.reference").of("<ann_contract>"),
    ),
    ann(
        "a part of a part that is changed",
        {
            "addresses": {
                "update": [{"_id": "<ann_address>", "rooms": {"create": [{"name": "r", "width": 10}]}}]
            }
        },
        attribute("ATTRIBUTE_RANGE", "Room.width", WIDE, "data.addresses.update.0.rooms.create.0.width"),
    ),
    housing(
        "a part of the singleton",
        {"name": "H", "doors": {"create": [{"width": 10}]}},
        attribute("ATTRIBUTE_RANGE", "Door.width", WIDE, "data.doors.create.0.width"),
    ),
    housing(
        "a part of the only part of the singleton",
        {"name": "H", "place": {"create": ROOM}},
        attribute("ATTRIBUTE_RANGE", "Room.width", WIDE, "data.place.create.rooms.1.width"),
    ),
]
STRANGE = [
    ann(
        "changed, of another whole",
        {"phones": {"update": [{"_id": "<bob_phone>", "digits": "2"}]}},
        stranger("Person.phones", "Phone", "<bob_phone>", "data.phones.update.0._id"),
    ),
    ann(
        "deleted, of another whole",
        {"phones": {"delete": ["<bob_phone>"]}},
        stranger("Person.phones", "Phone", "<bob_phone>", "data.phones.delete"),
    ),
    ann(
        "the only one, of another whole",
        {"contract": {"update": {"_id": "<bob_contract>", "starts_on": "2020-01-01"}}},
        stranger("Person.contract", "Contract", "<bob_contract>", "data.contract.update._id"),
    ),
    ann(
        "of the same whole, in another role",
        {"home": {"update": {"_id": "<ann_address>", "street": "t"}}},
        stranger("Person.home", "Address", "<ann_address>", "data.home.update._id"),
    ),
    ann(
        "changed, and not there",
        {"phones": {"update": [{"_id": "<ann_phone>"}, {"_id": "none"}]}},
        stranger("Person.phones", "Phone", "none", "data.phones.update.1._id"),
    ),
    ann(
        "deleted, and not there",
        {"phones": {"delete": ["none", "nobody"]}},
        stranger("Person.phones", "Phone", "none", "data.phones.delete"),
        stranger("Person.phones", "Phone", "nobody", "data.phones.delete"),
    ),
    ann(
        "of a part, and not there",
        {"addresses": {"update": [{"_id": "<ann_address>", "rooms": {"delete": ["none"]}}]}},
        stranger("Address.rooms", "Room", "none", "data.addresses.update.0.rooms.delete").of("<ann_address>"),
    ),
    housing(
        "of the singleton, and not there",
        {"name": "H", "doors": {"delete": ["none"]}},
        stranger("House.doors", "Door", "none", "data.doors.delete"),
    ),
]
BOTH = role(
    "MALFORMED_REQUEST",
    "Person.phones",
    'The request both updates and deletes Phone "<ann_phone>". Do only one of these.',
    "data.phones.update.0._id",
)
CONTRADICTORY = [
    ann(
        "changed and deleted",
        {
            "phones": {
                "update": [{"_id": "<ann_phone>", "digits": "2"}],
                "delete": ["<ann_phone>"],
                "create": [{"digits": "3"}],
            }
        },
        BOTH,
    ),
    ann(
        "changed, and all deleted",
        {
            "phones": {
                "update": [{"_id": "<ann_phone>", "digits": "2"}],
                "deleteAll": True,
                "create": [{"digits": "3"}],
            }
        },
        BOTH,
    ),
    ann(
        "changed twice",
        {
            "phones": {
                "update": [{"_id": "<ann_phone>", "digits": "2"}, {"_id": "<ann_phone>", "digits": "3"}]
            }
        },
        role(
            "MALFORMED_REQUEST",
            "Person.phones",
            'The request updates Phone "<ann_phone>" more than once. Combine the updates.',
            "data.phones.update.1._id",
        ),
    ),
    ann(
        "a second one where there is one",
        {"contract": {"create": {"starts_on": "2020-01-01"}}},
        role(
            "ROLE_CARDINALITY",
            "Person.contract",
            "Only one Contract is allowed. "
            "Update the existing one by its _id, or delete it and create a new one.",
        ),
    ),
]


@each_row("case", WRONG)
def test_invalid_parts_are_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", STRANGE)
def test_parts_of_another_whole_or_missing_parts_are_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)


@each_row("case", CONTRADICTORY)
def test_two_contradicting_requests_on_one_part_are_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)


@each_row(("number", "wrong"), [(10, 10), (11, 1)])
def test_the_same_mistake_in_many_parts_is_one_issue(client: ServiceClient, number: int, wrong: int) -> None:
    """The service and its validation agree, and the first place is the one that is told."""
    phones = [{"_clientId": f"p{row}", "digits": "9" * 10} for row in range(number)]
    data = {**PERSON, "phones": phones}
    validation = """query($data: PersonDraftCreate!) { it: Person___validateCreate(data: $data) {
      isValid issues { sourceRequestReference userMessage _clientId } } }"""
    creation = "mutation($data: PersonCreate!) { it: Person___create(data: $data) { _id } }"

    verdict = client.ask(validation, data=data)
    errors = client.answer(creation, {"data": data}).body["errors"]

    issues = [each["extensions"] for each in errors]
    assert [{name: issue[name] for name in verdict["issues"][0]} for issue in issues] == verdict["issues"]
    assert not verdict["isValid"]
    assert len(issues) == wrong
    assert issues[0]["sourceRequestReference"] == "it.data.phones.0.digits"
    assert issues[0]["issueType"] == "ATTRIBUTE_STRING_LENGTH"
    assert issues[0]["attributeNames"] == ["digits"]
    assert errors[0]["message"].startswith(f"Phone.digits: {LONG}")
    if wrong == 1:
        assert (
            "This applies to 11 places in the request, such as data.phones.0.digits," in errors[0]["message"]
        )
