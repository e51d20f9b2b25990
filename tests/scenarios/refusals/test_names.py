"""Wrong IDs of objects: missing or impossible IDs, and client IDs."""

from collections.abc import Callable
from typing import Any

from tests.rows import each_row
from tests.scenarios.refusals.case import IN_BULK, KEY, Asked, Case, changing, filling, loosely, making
from tests.scenarios.refusals.issue import Issue, entity, missing, one_required, role
from tests.scenarios.refusals.needs import PERSON
from tests.scenarios.refusals.service_client import ServiceClient, error

LONG = "x" * 5000
LONGEST = 255
"""Characters of an id that is told back."""
SHOWN = {
    "": '""',
    " ": '" "',
    "none": '"none"',
    "V#~": '"V#~"',
    "a\x00b": r'"a\u0000b"',
    "é": '"é"',
    "日本": '"日本"',
    "\U0001f600": '"\U0001f600"',
    "'": '"\'"',
    '"': r'"\""',
    LONG: f'"{LONG[:60]}…"',
}
"""Ids that no object has, and how a message shows them."""


def nobody(class_name: str, id_: str, at: str = "data._id", client_id: str | None = None) -> Issue:
    text = f"{class_name} {SHOWN[id_]} does not exist."
    return Issue("ENTITY_NOT_FOUND", text, at, "ENTITY", class_name, id_[:LONGEST], client_id)


def also_with_roles(class_name: str, id_: str, change: dict[str, Any]) -> Case:
    return changing(
        f"{class_name} {id_[:6]!r} {sorted(change)}",
        class_name,
        {"_id": id_, **change},
        nobody(class_name, id_),
        without=IN_BULK,
    )


OBJECTS = [
    *(also_with_roles("Sheet", id_, {"title": "new"}) for id_ in SHOWN),
    *(also_with_roles("Person", id_, {"last_name": "new", "team": {"set": "<blue>"}}) for id_ in SHOWN),
    *(also_with_roles("Person", id_, {"phones": {"create": [{"digits": "1"}]}}) for id_ in ("none", "é")),
    Case(
        "one that the client calls something",
        [
            Asked(
                "Sheet",
                verb,
                {"data": {"_id": "none", "_clientId": "S"}},
                [nobody("Sheet", "none", client_id="S")],
                told,
            )
            for verb, told in (("save", False), ("preview", False), ("validate", True))
        ],
    ),
    Case(
        "a form that has been kept",
        [
            Asked(
                "Complaint",
                "preview",
                {"data": {"_id": "1", "text": "t"}},
                [
                    entity("ENTITY_NOT_FOUND", "Complaint", 'Complaint "1" does not exist.', "data._id").of(
                        "1"
                    )
                ],
            )
        ],
    ),
]


def told_missing(name: str, target: str, id_: str, at: str | None = None) -> Issue:
    return role("ENTITY_NOT_FOUND", name, f"{target} {SHOWN[id_]} does not exist.", at)


TARGETS = [
    *(
        making(
            f"{id_[:6]!r}",
            "Person",
            {
                **PERSON,
                "team": id_,
                "leads": id_,
                "skills": ["<sing>", id_],
                "projects": [id_],
                "pupils": [id_],
            },
            told_missing("Person.team", "Team", id_),
            told_missing("Person.leads", "Team", id_),
            told_missing("Person.skills", "Skill", id_),
            told_missing("Person.projects", "Project", id_),
            told_missing("Person.pupils", "Person", id_),
        )
        for id_ in SHOWN
    ),
    *(
        changing(
            f"{id_[:6]!r} of a part",
            "Person",
            {
                "_id": "<ann>",
                "phones": {"delete": [id_]},
                "addresses": {"update": [{"_id": id_, "street": "t"}]},
            },
            role(
                "ENTITY_NOT_FOUND",
                "Person.phones",
                f"Phone {SHOWN[id_]} does not exist in this role.",
                "data.phones.delete",
            ).of("<ann>"),
            role(
                "ENTITY_NOT_FOUND",
                "Person.addresses",
                f"Address {SHOWN[id_]} does not exist in this role.",
                "data.addresses.update.0._id",
            ).of("<ann>"),
        )
        for id_ in SHOWN
    ),
]


def named_again(client_id: str, at: str) -> Issue:
    """Return the issue of a phone whose client id another phone before has."""
    message = (
        f'Another Phone in the request already has the _clientId "{client_id}". '
        "Each _clientId must be unique within a request."
    )
    return entity("MALFORMED_REQUEST", "Phone", message, at).called(client_id)


CALLED = [
    making(
        "by a name that nothing has",
        "Person",
        {**PERSON, "_clientId": "P", "team": "T"},
        missing("Person.team", "Team", "T").called("P"),
    ),
    making(
        "by the name of an object of another class",
        "Person",
        {**PERSON, "_clientId": "P", "team": "P", "mentor": "P"},
        missing("Person.team", "Team", "P").called("P"),
    ),
    making(
        "two with one name",
        "Person",
        {**PERSON, "phones": [{"_clientId": "X", "digits": "1"}, {"_clientId": "X", "digits": "2"}]},
        named_again("X", "data.phones.1._clientId"),
    ),
    making(
        "three with one name",
        "Person",
        {**PERSON, "phones": [{"_clientId": "", "digits": str(number)} for number in range(3)]},
        named_again("", "data.phones.1._clientId"),
        named_again("", "data.phones.2._clientId"),
    ),
    changing(
        "a new part with the name of another new part",
        "Person",
        {
            "_id": "<ann>",
            "phones": {"create": [{"_clientId": "X", "digits": "1"}, {"_clientId": "X", "digits": "2"}]},
        },
        named_again("X", "data.phones.create.1._clientId"),
    ),
    filling(
        "a form by its own name",
        {"_clientId": "C", "text": "t", "by": "C"},
        missing("Complaint.by", "Person", "C").called("C"),
    ),
    loosely(
        "nothing by null",
        "Person",
        {**PERSON, "_clientId": None, "team": None},
        one_required("Person.team", "Team"),
    ),
]


@each_row("case", OBJECTS)
def test_a_missing_object_cannot_be_changed(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", TARGETS)
def test_roles_cannot_lead_to_impossible_ids(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", CALLED)
def test_issues_name_objects_by_their_client_id(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("id_", SHOWN)
def test_an_impossible_id_reads_deletes_and_finds_nothing(client: ServiceClient, id_: str) -> None:
    """That is no error: there is just nothing."""
    before = client.store.rows()
    for class_name in ("Sheet", "Person"):
        get = f"query($id: ID!) {{ {class_name}___get(_id: $id) {{ _id }} }}"
        judge = f"query($id: ID!) {{ {class_name}___validateDelete(_id: $id) {{ isValid }} }}"
        end = f"mutation($id: ID!) {{ {class_name}___delete(_id: $id) {{ deleted }} }}"
        options = "{filter: {_id___eq: $id}}"
        page = f"query($id: ID!) {{ {class_name}___getPage(options: {options}) {{ totalCount }} }}"
        assert client.ask(get, id=id_) is None
        assert client.ask(judge, id=id_) == {"isValid": True}
        assert client.ask(end, id=id_) == {"deleted": False}
        assert client.ask(page, id=id_) == {"totalCount": 0}
    assert client.store.rows() == before


def test_a_client_id_is_unknown_in_later_requests(client: ServiceClient) -> None:
    created = client.create("Team", _clientId="later", name="later")

    answer = client.answer(
        'mutation {\n  it: Team___update(data: {_id: "later", name: "changed"}) { _id }\n}'
    )

    issue = nobody("Team", "none").of("later").shown(KEY, answer.trace_id)
    issue["userMessage"] = 'Team "later" does not exist.'
    assert answer.body == {"data": {KEY: None}, "errors": [error(issue)]}
    delete = f'mutation {{ Team___delete(_id: "{created["_id"]}") {{ deleted }} }}'
    assert client.ask(delete) == {"deleted": True}
