"""A member changes their own email address over HTTP; grants use it only after the confirmation."""

import json
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.scenarios.graph_client import over_dynamodb
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running
from tests.soak import FULL

MODEL = """\
extend schema
  @application(name: "Clinic")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Patient")

type Report @grant(profile: "Patient", allow: [READ], where: "patient_email == caller.email") {
  patient_email: String!
  text: String!
}
"""
MEMBERS = "/auth/administration/members"
CONFIRM = "/public/administration/confirmEmail"
OLD, NEW = "rosa@example.com", "victim@example.com"


class EmailService:
    """A service with a report about the owner of the address NEW, and the member rosa, who has OLD."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        member = {"username": "rosa", "email": OLD, "profile": "Patient", "language": "it"}
        self.id = self.rest("POST", MEMBERS, member, "admin").json()["id"]
        assert self.put({"password": PASSWORD}, "admin").status == 200
        create = f'mutation {{ Report___create(data: {{patient_email: "{NEW}", text: "secret"}}) {{ _id }} }}'
        assert self.ask(create, "admin")["Report___create"]

    def rest(self, method: str, path: str, body: Any = None, username: str = "rosa") -> Reply:
        headers = {"Content-Type": "application/json", "Authorization": basic(username, PASSWORD)}
        text = None if body is None else json.dumps(body)
        return self.service.request(method, path, headers=headers, body=text)

    def put(self, fields: Any, username: str = "rosa") -> Reply:
        return self.rest("PUT", f"{MEMBERS}/{self.id}", fields, username)

    def shown(self, username: str = "rosa") -> Any:
        return self.rest("GET", f"{MEMBERS}/{self.id}", username=username).json()

    def ask(self, query: str, username: str = "rosa") -> Any:
        return self.rest("POST", "/auth/api/graphql/Clinic", {"query": query}, username).json()["data"]

    def reports(self) -> int:
        """Return how many reports rosa sees."""
        return int(self.ask("{ Report___getPage { totalCount } }")["Report___getPage"]["totalCount"])

    def mails(self) -> list[EmailMessage]:
        """Return the mails that were sent, in order."""
        files = sorted((self.service.home / "outbox").glob("*.eml"))
        return [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]

    def link(self, to: str) -> str:
        """Return the path and query of the last link that was mailed to an address."""
        mail = [mail for mail in self.mails() if mail["To"] == to][-1]
        (link,) = re.findall(r"http://\S+", mail.get_content())
        assert link.startswith(f"http://127.0.0.1:{self.service.port}{CONFIRM}?token=")
        parts = urlsplit(link)
        return f"{parts.path}?{parts.query}"

    def press(self, link: str) -> Reply:
        """Press the button on the page of a link."""
        page = self.service.request("GET", link).body.decode()
        token = re.findall(r'name="token" value="([^"]+)"', page)[0]
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.service.request("POST", CONFIRM, headers=headers, body=f"token={token}")


STORES = {"sqlite": dict, "dynamodb": over_dynamodb("clinic")} if FULL else {"sqlite": dict}


@pytest.fixture(scope="module", params=STORES)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmailService]:
    folder: Path = tmp_path_factory.mktemp("clinic")
    model = folder / "clinic.graphql"
    model.write_text(MODEL)
    settings = STORES[request.param]()
    with running(folder / "home", model=model, application="Clinic", settings=settings) as service:
        yield EmailService(service)


@pytest.fixture
def email_service(opened: EmailService) -> EmailService:
    """The clinic, in which rosa has the address OLD and no unconfirmed address."""
    assert opened.put({"email": OLD, "pendingEmail": None}, "admin").status == 200
    return opened


pytestmark = pytest.mark.soak


def test_an_unconfirmed_address_grants_no_access(email_service: EmailService) -> None:
    assert (email_service.put({"email": NEW, "notes": "mine"}).body, email_service.reports()) == (
        b"Update Complete",
        0,
    )
    token = email_service.service.request(
        "POST",
        "/public/token/getJwtToken",
        headers={"Content-Type": "application/json"},
        body=json.dumps({"username": "rosa", "password": PASSWORD}),
    ).json()["access_token"]
    current = email_service.service.request(
        "GET", "/auth/administration/member", headers={"Authorization": f"Bearer {token}"}
    ).json()
    assert (current["email"], current["pendingEmail"], current["notes"]) == (OLD, NEW, "mine")
    assert email_service.shown("admin")["pendingEmail"] == NEW
    assert [mail["To"] for mail in email_service.mails()[-2:]] == [NEW, OLD]
    for fields in (current, email_service.shown()):
        assert email_service.put(fields).status == 200
    assert email_service.shown()["pendingEmail"] == NEW

    reply = email_service.press(email_service.link(NEW))
    root = f"http://127.0.0.1:{email_service.service.port}"
    assert (reply.status, reply.headers["location"]) == (303, f"{root}{CONFIRM}?result=done&language=it")
    assert email_service.shown() == {
        "id": email_service.id,
        "username": "rosa",
        "email": NEW,
        "profile": "Patient",
        "disabled": False,
    }
    eventually(lambda: email_service.reports() == 1)
    assert email_service.mails()[-1]["To"] == OLD
    used = email_service.service.request("GET", email_service.link(NEW), headers={"Accept-Language": "en"})
    assert (used.status, "Questo link non funziona" in used.body.decode()) == (401, True)
