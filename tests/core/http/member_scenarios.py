"""Requests about members and their expected responses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.in_memory_members import COMMON

ME = "/auth/administration/member"
ALL = "/auth/administration/members"
ONE = "/auth/administration/members/{id}"
ROOT = "https://api.example.com/prod/auth/administration/members"

ADA = {"username": "ada", "email": "ada@example.com", "profile": "Clerk"}
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


@dataclass(frozen=True)
class Scenario:
    """A request by a caller, and its expected response in JSON and XML."""

    name: str
    method: str
    resource: str
    status: int
    by: str | None = "anna"
    id: str | None = None
    sent: Mapping[str, Any] | None = None
    answer: Any = None
    """The JSON of the answer, or its text, or words that must be in its detail."""
    members: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What has become of members: fields by id; none: the member is gone."""


SCENARIOS = [
    Scenario("who am I", "GET", ME, 200, answer=SHOWN["anna"]),
    Scenario("who am I, who am no administrator", "GET", ME, 200, "bert", answer=SHOWN["bert"]),
    Scenario("who am I, nobody", "GET", ME, 401, None, answer="requires exactly one Authorization header"),
    Scenario(
        "who am I, whom somebody has just deleted",
        "GET",
        ME,
        404,
        "carl",
        answer="A member with this ID does not exist",
    ),
    Scenario(
        "all",
        "GET",
        ALL,
        200,
        answer=[
            {"id": "1", "username": "anna", "url": f"{ROOT}/1"},
            {"id": "2", "username": "bert", "url": f"{ROOT}/2"},
        ],
    ),
    Scenario(
        "all, for somebody", "GET", ALL, 403, "bert", answer="Only administrators can list the members."
    ),
    Scenario("all, for nobody", "GET", ALL, 401, None, answer="Authorization"),
    Scenario("a new member", "POST", ALL, 201, sent=ADA, answer={"id": "id1"}, members={"id1": ADA}),
    Scenario(
        "a new member with everything",
        "POST",
        ALL,
        201,
        sent={**ADA, **FORMATS, "notes": "two\nlines"},
        answer={"id": "id1"},
        members={"id1": {"notes": "two\nlines", "password": None, "disabled": False}},
    ),
    Scenario(
        "a new member without a name",
        "POST",
        ALL,
        400,
        sent={"email": "a@b.it"},
        answer='"username" is required',
    ),
    Scenario(
        "a new member with an id",
        "POST",
        ALL,
        400,
        sent={**ADA, "id": "7"},
        answer='The field "id" is not supported',
    ),
    Scenario(
        "a new member with a password",
        "POST",
        ALL,
        400,
        sent={**ADA, "password": "correct horse battery"},
        answer="To set one yourself, send a PUT to the address of the new member.",
    ),
    Scenario(
        "a new member who is disabled", "POST", ALL, 400, sent={**ADA, "disabled": True}, answer='"disabled"'
    ),
    Scenario(
        "a new member of no profile",
        "POST",
        ALL,
        400,
        sent={**ADA, "profile": "King"},
        answer="profile of the model",
    ),
    Scenario(
        "a new member with mistakes",
        "POST",
        ALL,
        400,
        sent={**ADA, "email": "nowhere", "timeZone": "Mars/Olympus"},
        answer='"timeZone" is not valid',
    ),
    Scenario(
        "a new member whose address a mail would read as two",
        "POST",
        ALL,
        400,
        sent={**ADA, "email": "=?utf-8?q?a=40b.it=2C_c?=@example.com"},
        answer='"email" must be an email address',
    ),
    Scenario(
        "a new member with a colon",
        "POST",
        ALL,
        400,
        sent={**ADA, "username": "a:b"},
        answer="must not contain a colon",
    ),
    Scenario(
        "a name that is taken",
        "POST",
        ALL,
        409,
        sent={**ADA, "username": "BERT"},
        answer='Another member already has this "username"',
    ),
    Scenario(
        "an address that is taken",
        "POST",
        ALL,
        409,
        sent={**ADA, "email": "Bert@Example.com"},
        answer='"email"',
    ),
    Scenario(
        "a new member by somebody", "POST", ALL, 403, "bert", sent=ADA, answer="Only administrators can"
    ),
    Scenario("a new member by nobody", "POST", ALL, 401, None, sent=ADA, answer="Authorization"),
    Scenario("no body", "POST", ALL, 400, answer="The request body is empty"),
    Scenario(
        "another",
        "GET",
        ONE,
        200,
        id="2",
        answer={
            "id": "2",
            "username": "bert",
            "email": "bert@example.com",
            "profile": "Clerk",
            "disabled": False,
        },
    ),
    Scenario(
        "oneself",
        "GET",
        ONE,
        200,
        "bert",
        "2",
        answer={
            "id": "2",
            "username": "bert",
            "email": "bert@example.com",
            "profile": "Clerk",
            "disabled": False,
        },
    ),
    Scenario(
        "another, for somebody", "GET", ONE, 403, "bert", "1", answer="Only administrators can see other"
    ),
    Scenario(
        "nobody else is told who is there", "GET", ONE, 403, "bert", "77", answer="Only administrators can"
    ),
    Scenario("no such member", "GET", ONE, 404, id="77", answer="A member with this ID does not exist."),
    Scenario(
        "no such member, far and wide",
        "GET",
        ONE,
        404,
        id="7" * 3000,
        answer="A member with this ID does not exist.",
    ),
    Scenario("one, for nobody", "GET", ONE, 401, None, "1", answer="Authorization"),
    Scenario(
        "a change",
        "PUT",
        ONE,
        200,
        id="2",
        sent={"notes": "promoted", "profile": "Administrator"},
        answer="Update Complete",
        members={"2": {"notes": "promoted", "profile": "Administrator", "email": "bert@example.com"}},
    ),
    Scenario(
        "a change of everything",
        "PUT",
        ONE,
        200,
        id="2",
        sent={**ADA, **FORMATS, "notes": "", "disabled": True, "password": "correct horse battery"},
        answer="Update Complete",
        members={"2": {**ADA, "notes": None, "disabled": True, "password": "hash of correct horse battery"}},
    ),
    Scenario(
        "no change",
        "PUT",
        ONE,
        200,
        id="2",
        sent={},
        answer="Update Complete",
        members={"2": {"username": "bert"}},
    ),
    Scenario(
        "what is null is nothing, or as usual",
        "PUT",
        ONE,
        200,
        id="2",
        sent={"notes": None, "language": None},
        answer="Update Complete",
        members={"2": {"notes": None}},
    ),
    Scenario(
        "a change of oneself",
        "PUT",
        ONE,
        200,
        "bert",
        "2",
        sent={"email": "b@example.com", "password": "correct horse battery"},
        answer="Update Complete",
        members={
            "2": {
                "email": "bert@example.com",
                "pending_email": "b@example.com",
                "password": "hash of correct horse battery",
            }
        },
    ),
    Scenario(
        "what one may not change, as it is",
        "PUT",
        ONE,
        200,
        "bert",
        "2",
        sent={"username": "bert", "profile": "Clerk", "disabled": False, "notes": "me"},
        answer="Update Complete",
        members={"2": {"notes": "me"}},
    ),
    Scenario(
        "what one may not change",
        "PUT",
        ONE,
        403,
        "bert",
        "2",
        sent={"profile": "Administrator", "notes": "me"},
        answer="Only administrators can change profile",
        members={"2": {"profile": "Clerk", "notes": None}},
    ),
    Scenario(
        "a change of another",
        "PUT",
        ONE,
        403,
        "bert",
        "1",
        sent={"notes": "x"},
        answer="Only administrators can",
    ),
    Scenario("a change by nobody", "PUT", ONE, 401, None, "1", sent={"notes": "x"}, answer="Authorization"),
    Scenario(
        "a change of nobody",
        "PUT",
        ONE,
        404,
        id="77",
        sent={"notes": "x"},
        answer="A member with this ID does not exist.",
    ),
    Scenario(
        "a change of the id", "PUT", ONE, 400, id="2", sent={"id": "3"}, answer='"id" can\'t be changed'
    ),
    Scenario(
        "the same id", "PUT", ONE, 200, "bert", "2", sent={"id": "2", "notes": "x"}, answer="Update Complete"
    ),
    Scenario(
        "what may not be changed, before the body is read",
        "PUT",
        ONE,
        403,
        "bert",
        "1",
        answer="Only administrators",
    ),
    Scenario(
        "what may not be made, before the body is read",
        "POST",
        ALL,
        403,
        "bert",
        sent={"bogus": "x"},
        answer="Only administrators can create members.",
    ),
    Scenario("a change that is none", "PUT", ONE, 400, id="2", answer="The request body is empty"),
    Scenario(
        "a bad address",
        "PUT",
        ONE,
        400,
        id="2",
        sent={"email": "nowhere"},
        answer="must be an email address",
    ),
    Scenario(
        "a common password",
        "PUT",
        ONE,
        400,
        id="2",
        sent={"password": COMMON},
        answer="This password is too common",
    ),
    Scenario(
        "a short password",
        "PUT",
        ONE,
        400,
        id="2",
        sent={"password": "short"},
        answer="at least 12 characters",
    ),
    Scenario(
        "a name that another has",
        "PUT",
        ONE,
        409,
        id="2",
        sent={"username": "Anna"},
        answer='Another member already has this "username"',
    ),
    Scenario(
        "the last administrator steps down",
        "PUT",
        ONE,
        409,
        id="1",
        sent={"profile": "Clerk"},
        answer='"anna" is the only active administrator',
        members={"1": {"profile": "Administrator"}},
    ),
    Scenario(
        "the last administrator disables itself",
        "PUT",
        ONE,
        409,
        id="1",
        sent={"disabled": True},
        answer="only active administrator",
        members={"1": {"disabled": False}},
    ),
    Scenario("a deletion", "DELETE", ONE, 200, id="2", answer="Delete completed", members={"2": {}}),
    Scenario(
        "a deletion of nobody", "DELETE", ONE, 500, id="77", answer="A member with this ID does not exist."
    ),
    Scenario(
        "a deletion of the last administrator",
        "DELETE",
        ONE,
        500,
        id="1",
        answer='"anna" is the only active administrator',
        members={"1": {"username": "anna"}},
    ),
    Scenario(
        "a deletion by somebody", "DELETE", ONE, 403, "bert", "1", answer="Only administrators can delete"
    ),
    Scenario(
        "a deletion of oneself", "DELETE", ONE, 403, "bert", "2", answer="Only administrators can delete"
    ),
    Scenario("a deletion by nobody", "DELETE", ONE, 401, None, "2", answer="Authorization"),
    Scenario(
        "a method that there is not", "PATCH", ONE, 405, id="2", answer="The method PATCH is not supported"
    ),
    Scenario("a method that there is not", "DELETE", ALL, 405, answer="Use GET, POST, HEAD, or OPTIONS."),
    Scenario("a method that there is not", "PUT", ME, 405, answer="Use GET, HEAD, or OPTIONS."),
]
