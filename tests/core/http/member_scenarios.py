"""Requests about members and their expected responses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stratabase.members.member import MemberKind

ME = "/auth/administration/member"
ALL = "/auth/administration/members"
ONE = "/auth/administration/members/{id}"
ROOT = "https://api.example.com/prod/auth/administration/members"

ADA = {"username": "ada", "email": "ada@example.com", "profile": "Clerk"}
ROBOT = {"username": "robot", "profile": "Clerk", "kind": "program"}
FORMATS = {"timeFormat": "HH.mm", "dateFormat": "dd.MM.yyyy", "timeZone": "Europe/Rome", "language": "it"}
SHOWN = {
    "anna": {
        "id": "1",
        "username": "anna",
        "email": "anna@example.com",
        "notes": "First line\nand <second>",
        "profile": "Administrator",
        "timeFormat": "HH:mm",
        "dateFormat": "dd/MM/yyyy",
        "timeZone": "UTC",
        "language": "en",
    },
    "bert": {
        "id": "2",
        "username": "bert",
        "email": "bert@example.com",
        "notes": "",
        "profile": "Clerk",
        **FORMATS,
    },
}


Sent = Mapping[str, Any] | None


@dataclass(frozen=True)
class Scenario:
    """A request by a caller, and its expected response in JSON and XML."""

    name: str
    method: str
    resource: str
    status: int
    by: str | None = "anna"
    id: str | None = None
    sent: Sent = None
    answer: Any = None
    """The JSON of the answer, or its text, or words that must be in its detail."""
    members: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What has become of members: fields by id; none: the member is gone."""


def who(name: str, status: int, answer: Any, by: str | None = "anna") -> Scenario:
    return Scenario(name, "GET", ME, status, by, answer=answer)


def listed(name: str, status: int, answer: Any, by: str | None = "anna") -> Scenario:
    return Scenario(name, "GET", ALL, status, by, answer=answer)


def get(name: str, id_: str, status: int, answer: Any, by: str | None = "anna") -> Scenario:
    return Scenario(name, "GET", ONE, status, by, id_, answer=answer)


def post(name: str, status: int, sent: Sent, answer: Any, by: str | None = "anna", **more: Any) -> Scenario:
    return Scenario(name, "POST", ALL, status, by, None, sent, answer, **more)


def put(  # noqa: PLR0917 - a request and its response
    name: str, id_: str, status: int, sent: Sent, answer: Any, by: str | None = "anna", **more: Any
) -> Scenario:
    return Scenario(name, "PUT", ONE, status, by, id_, sent, answer, **more)


def delete(name: str, id_: str, status: int, answer: Any, by: str | None = "anna", **more: Any) -> Scenario:
    return Scenario(name, "DELETE", ONE, status, by, id_, answer=answer, **more)


SCENARIOS = [
    who("who am I", 200, SHOWN["anna"]),
    who("who am I, who am no administrator", 200, SHOWN["bert"], by="bert"),
    who("who am I, nobody", 401, "requires exactly one Authorization header", by=None),
    who("who am I, whom somebody has just deleted", 404, "A member with this ID does not exist", by="carl"),
    listed(
        "all",
        200,
        [
            {"id": "1", "username": "anna", "url": f"{ROOT}/1"},
            {"id": "2", "username": "bert", "url": f"{ROOT}/2"},
        ],
    ),
    listed("all, for somebody", 403, "Only administrators can list the members.", by="bert"),
    listed("all, for nobody", 401, "Authorization", by=None),
    post("a new member", 201, ADA, {"id": "id1"}, members={"id1": ADA}),
    post(
        "a new member with everything",
        201,
        {**ADA, **FORMATS, "notes": "two\nlines"},
        {"id": "id1"},
        members={"id1": {"notes": "two\nlines", "password": None, "disabled": False}},
    ),
    post(
        "a new program",
        201,
        ROBOT,
        {"id": "id1"},
        members={"id1": {"kind": MemberKind.PROGRAM, "email": "", "password": None}},
    ),
    post("a new program with an email address", 400, {**ROBOT, "email": "r@b.it"}, "a program has none"),
    post("a new person without an email address", 400, {**ROBOT, "kind": "person"}, '"email" is required'),
    post("a new member of another kind", 400, {**ROBOT, "kind": "Program"}, '"kind" must be person or progr'),
    post("a new member without a name", 400, {"email": "a@b.it"}, '"username" is required'),
    post("a new member with an id", 400, {**ADA, "id": "7"}, 'The field "id" is not supported'),
    post(
        "a new member with a password",
        400,
        {**ADA, "password": "correct horse battery"},
        "To set one yourself, send a PUT to the address of the new member.",
    ),
    post("a new member who is disabled", 400, {**ADA, "disabled": True}, '"disabled"'),
    post(
        "a name that is taken", 409, {**ADA, "username": "BERT"}, 'Another member already has this "username"'
    ),
    post("an address that is taken", 409, {**ADA, "email": "Bert@Example.com"}, '"email"'),
    post("a new member by somebody", 403, ADA, "Only administrators can", by="bert"),
    post("a new member by nobody", 401, ADA, "Authorization", by=None),
    post("no body", 400, None, "The request body is empty"),
    get(
        "another",
        "2",
        200,
        {
            "id": "2",
            "username": "bert",
            "email": "bert@example.com",
            "profile": "Clerk",
            "disabled": False,
        },
    ),
    get(
        "oneself",
        "2",
        200,
        {
            "id": "2",
            "username": "bert",
            "email": "bert@example.com",
            "profile": "Clerk",
            "disabled": False,
        },
        by="bert",
    ),
    get("another, for somebody", "1", 403, "Only administrators can see other", by="bert"),
    get("nobody else is told who is there", "77", 403, "Only administrators can", by="bert"),
    get("no such member", "77", 404, "A member with this ID does not exist."),
    get("no such member, far and wide", "7" * 3000, 404, "A member with this ID does not exist."),
    get("one, for nobody", "1", 401, "Authorization", by=None),
    put(
        "a change",
        "2",
        200,
        {"notes": "promoted", "profile": "Administrator"},
        "Update Complete",
        members={"2": {"notes": "promoted", "profile": "Administrator", "email": "bert@example.com"}},
    ),
    put(
        "a change of everything",
        "2",
        200,
        {**ADA, **FORMATS, "notes": "", "disabled": True, "password": "correct horse battery"},
        "Update Complete",
        members={"2": {**ADA, "notes": None, "disabled": True, "password": "hash of correct horse battery"}},
    ),
    put("no change", "2", 200, {}, "Update Complete", members={"2": {"username": "bert"}}),
    put(
        "what is null is nothing, or as usual",
        "2",
        200,
        {"notes": None, "language": None},
        "Update Complete",
        members={"2": {"notes": None}},
    ),
    put(
        "a change of oneself",
        "2",
        200,
        {"email": "b@example.com", "password": "correct horse battery"},
        "Update Complete",
        by="bert",
        members={
            "2": {
                "email": "bert@example.com",
                "pending_email": "b@example.com",
                "password": "hash of correct horse battery",
            }
        },
    ),
    put(
        "what one may not change, as it is",
        "2",
        200,
        {"username": "bert", "profile": "Clerk", "disabled": False, "notes": "me"},
        "Update Complete",
        by="bert",
        members={"2": {"notes": "me"}},
    ),
    put(
        "what one may not change",
        "2",
        403,
        {"profile": "Administrator", "notes": "me"},
        "Only administrators can change profile",
        by="bert",
        members={"2": {"profile": "Clerk", "notes": None}},
    ),
    put("a change of another", "1", 403, {"notes": "x"}, "Only administrators can", by="bert"),
    put("a change by nobody", "1", 401, {"notes": "x"}, "Authorization", by=None),
    put("a change of nobody", "77", 404, {"notes": "x"}, "A member with this ID does not exist."),
    put("a change of the id", "2", 400, {"id": "3"}, '"id" can\'t be changed'),
    put("a change of the kind", "2", 400, {"kind": "program"}, '"kind" can\'t be changed. Create another'),
    put("the same kind", "2", 200, {"kind": "person", "notes": "x"}, "Update Complete", by="bert"),
    put("the same id", "2", 200, {"id": "2", "notes": "x"}, "Update Complete", by="bert"),
    put("what may not be changed, before the body is read", "1", 403, None, "Only administrators", by="bert"),
    post(
        "what may not be made, before the body is read",
        403,
        {"bogus": "x"},
        "Only administrators can create members.",
        by="bert",
    ),
    put("a change that is none", "2", 400, None, "The request body is empty"),
    put(
        "a name that another has",
        "2",
        409,
        {"username": "Anna"},
        'Another member already has this "username"',
    ),
    put(
        "the last administrator steps down",
        "1",
        409,
        {"profile": "Clerk"},
        '"anna" is the only active administrator',
        members={"1": {"profile": "Administrator"}},
    ),
    put(
        "the last administrator disables itself",
        "1",
        409,
        {"disabled": True},
        "only active administrator",
        members={"1": {"disabled": False}},
    ),
    delete("a deletion", "2", 200, "Delete completed", members={"2": {}}),
    delete("a deletion of nobody", "77", 500, "A member with this ID does not exist."),
    delete(
        "a deletion of the last administrator",
        "1",
        500,
        '"anna" is the only active administrator',
        members={"1": {"username": "anna"}},
    ),
    delete("a deletion by somebody", "1", 403, "Only administrators can delete", by="bert"),
    delete("a deletion of oneself", "2", 403, "Only administrators can delete", by="bert"),
    delete("a deletion by nobody", "2", 401, "Authorization", by=None),
    Scenario(
        "a method that there is not", "PATCH", ONE, 405, id="2", answer="The method PATCH is not supported"
    ),
    Scenario("a method that there is not", "DELETE", ALL, 405, answer="Use GET, POST, HEAD, or OPTIONS."),
    Scenario("a method that there is not", "PUT", ME, 405, answer="Use GET, HEAD, or OPTIONS."),
]
