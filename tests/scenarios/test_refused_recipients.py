"""Addresses that the mail server takes no mail for, over HTTP: the client learns why, and nothing is left."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.members.mailers.server import Server, serving
from tests.service import PASSWORD, Reply, RunningService, basic, running

MEMBERS = "/auth/administration/members"
NON_ASCII = {"username": "mia", "email": "müller@example.com", "profile": "Member"}
REPLY = "550 5.1.1 User unknown"

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def smtp() -> Iterator[Server]:
    """A mail server that does not support SMTPUTF8."""
    with serving(Server()) as server:
        yield server


@pytest.fixture(scope="module")
def service(smtp: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("refused") / "home"
    settings = {"STRATABASE_MAIL": "smtp", "STRATABASE_SMTP": f"smtp://127.0.0.1:{smtp.port}"}
    with running(home, settings=settings) as started:
        yield started


def ask(service: RunningService, method: str, path: str, body: Any = None, username: str = "admin") -> Reply:
    headers = {"Authorization": basic(username, PASSWORD), "Content-Type": "application/json"}
    text = None if body is None else json.dumps(body)
    return service.request(method, path, headers=headers, body=text)


def test_a_refused_address_is_a_400_with_the_reason(service: RunningService, smtp: Server) -> None:
    refused = ask(service, "POST", MEMBERS, NON_ASCII)
    assert (refused.status, "supports only ASCII characters before the @" in refused.json()["detail"]) == (
        400,
        True,
    )
    assert [member["username"] for member in ask(service, "GET", MEMBERS).json()] == ["admin"]

    id_ = ask(service, "POST", MEMBERS, NON_ASCII | {"email": "mia@example.com"}).json()["id"]
    own = f"{MEMBERS}/{id_}"
    assert ask(service, "PUT", own, {"password": PASSWORD}).status == 200
    changed = ask(service, "PUT", own, {"email": NON_ASCII["email"]}, "mia")
    assert (changed.status, changed.body.startswith(b'No email can be sent to this "email"')) == (400, True)
    assert "pendingEmail" not in ask(service, "GET", own).json()
    smtp.answers = {"RCPT": REPLY}
    reset = ask(service, "GET", f"{own}/resetPassword")
    assert (reset.status, REPLY in reset.json()["detail"]) == (400, True)
    forgot = ask(service, "POST", "/public/administration/forgotPassword", {"username": "mia"})
    assert forgot.status == 202

    smtp.answers = {"RCPT": "451 later"}
    later = ask(service, "GET", f"{own}/resetPassword")
    assert (later.status, later.headers["retry-after"]) == (503, "30")
