"""No password, token, hash or link secret is in any log line, even at the most verbose level."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.repository import ROOT
from tests.service import PASSWORD, RunningService, basic, running

JSON = {"Content-Type": "application/json"}
MEMBERS = "/auth/administration/members"
SET_PASSWORD = "/public/administration/setPassword"
PLANTED = ["planted-wrong-password", "planted-new-password-1", "planted-new-password-2", "planted-weak"]
ASTRAY = [
    ("/public/token/getJwtToken", "{planted-in-json"),
    (
        "/public/token/getJwtToken",
        '{"username": ["planted-in-a-list"], "password": {"planted-in-an-object": 1}}',
    ),
    (
        "/public/token/getJwtToken?format=xml",
        "<credentials><password>planted-in-xml</password><b></credentials>",
    ),
    (SET_PASSWORD, "token=planted-in-a-form&password=planted-in-a-form-2&repeat=planted-in-a-form-3"),
    (SET_PASSWORD, "token=planted-in-a-form&password=%ff-planted-in-a-form-4"),
]
"""Secrets where they are not read, or not understood."""


def token(service: RunningService, username: str, password: str) -> str:
    reply = service.request(
        "POST",
        "/public/token/getJwtToken",
        headers=JSON,
        body=json.dumps({"username": username, "password": password}),
    )
    return str(reply.json().get("access_token", ""))


def mailed_token(service: RunningService) -> str:
    """Return the secret of the last link in the outbox."""
    mail = max((service.home / "outbox").glob("*.eml"))
    (link,) = re.findall(r"http://\S+", mail.read_text())
    return str(parse_qs(urlsplit(link).query)["token"][0])


def use_secrets(service: RunningService) -> list[str]:
    """Send valid and invalid secrets to every endpoint that accepts them, and return all secrets."""
    administrator = {"Authorization": basic("admin", PASSWORD)}
    good = token(service, "admin", PASSWORD)
    token(service, "admin", PLANTED[0])
    refreshed = service.request(
        "GET", "/auth/token/refreshJwtToken", headers={"Authorization": f"Bearer {good}"}
    ).json()["access_token"]
    for header in (basic("admin", PLANTED[0]), f"Bearer {good[:-4]}AAAA", f"Bearer {PLANTED[0]}", good):
        service.request("GET", MEMBERS, headers={"Authorization": header})
    body = json.dumps({"username": "rosa", "email": "rosa@example.com", "profile": "Member"})
    member = service.request("POST", MEMBERS, headers=administrator | JSON, body=body).json()["id"]
    link = mailed_token(service)
    service.request("GET", f"{SET_PASSWORD}?token={link}")
    for password in (PLANTED[3], PLANTED[1], PLANTED[1]):
        body = json.dumps({"token": link, "password": password})
        service.request("POST", SET_PASSWORD, headers=JSON, body=body)
    body = json.dumps({"password": PLANTED[2], "profile": "Nobody"})
    service.request("PUT", f"{MEMBERS}/{member}", headers=administrator | JSON, body=body)
    service.request("PUT", f"{MEMBERS}/{member}", headers=administrator | JSON, body=body[:-20])
    for path, body in ASTRAY:
        for media_type in ("", "application/x-www-form-urlencoded"):
            service.request("POST", path, headers={"Content-Type": media_type}, body=body)
    return [PASSWORD, basic("admin", PASSWORD)[6:], good, refreshed, link.partition(".")[2], *PLANTED]


def export(service: RunningService, folder: Path) -> None:
    """Write the objects and the members of a service to a folder."""
    command = [sys.executable, "-m", "stratabase.cli", "export", str(folder), "--members"]
    subprocess.run(command, cwd=ROOT, env=service.settings, check=True, capture_output=True)
    assert "rosa@example.com" in "".join(file.read_text() for file in folder.rglob("*.jsonl"))


@pytest.mark.local
def test_no_secret_is_logged_or_exported(tmp_path: Path) -> None:
    """The watch over secrets searches the answers, the metrics and the emails, as in each scenario.

    Only the outbox shows a link: on a laptop the console is the mailbox.
    """
    settings = {"STRATABASE_LOG_LEVEL": "DEBUG", "STRATABASE_ACCESS_LOG": "json"}
    arguments = ["--metrics=127.0.0.1:0"]
    with running(tmp_path / "home", settings=settings, arguments=arguments) as service:
        secrets = use_secrets(service)
        export(service, tmp_path / "export")
        keys = json.loads((service.home / "signing-keys.json").read_text())["keys"]
    lines = service.log().splitlines()
    assert len([line for line in lines if line.startswith("{")]) > 5
    result = "\n".join(line for line in lines if not line.startswith("  http://"))
    looked_for = [*secrets, *(key["secret"] for key in keys), "planted", "$argon2", "Traceback"]
    assert [secret for secret in looked_for if secret in result] == []
    assert "the metrics" in service.secrets.searched
    assert service.secrets.search_files(tmp_path / "export") == []
