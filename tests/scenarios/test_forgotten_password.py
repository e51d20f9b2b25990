"""Forgotten passwords over HTTP: every name gets the same bytes, and the mail arrives a little later."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

FORGOT = "/public/administration/forgotPassword"
SET_PASSWORD = "/public/administration/setPassword"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
NEW = "a password that bert remembers"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with bert."""
    home: Path = tmp_path_factory.mktemp("forgotten") / "home"
    with running(home) as started:
        started.add_member("bert")
        yield started


def links(service: RunningService, to: str = "") -> list[str]:
    """Return the links in the outbox that were mailed to a member, or to all."""
    texts = [file.read_text() for file in sorted((service.home / "outbox").glob("*.eml"))]
    return re.findall(r"http\S+setPassword\S+", "".join(text for text in texts if f"To: {to}" in text))


def forgot(service: RunningService, name: str) -> Reply:
    headers = {**JSON, "X-Forwarded-Host": "evil.test", "Forwarded": "host=evil.test"}
    return service.request("POST", FORGOT, headers=headers, body=json.dumps({"username": name}))


def essence(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    """Return a response without what every response has of its own."""
    own = ("date", "x-amzn-requestid", "x-amz-apigw-id", "x-amzn-trace-id")
    return reply.status, {k: v for k, v in reply.headers.items() if k not in own}, reply.body


def test_a_member_recovers_although_others_flood_the_name(service: RunningService) -> None:
    names = ("bert", "nobody", "bert@example.com", "nobody@example.com", "admin")
    replies = [essence(forgot(service, name)) for name in names]
    page = [
        essence(service.request("POST", FORGOT, headers=FORM, body=f"name={name}")) for name in ("bert", "x")
    ]
    assert replies[0][0] == page[0][0] == 202
    assert all(reply == replies[0] for reply in replies)
    assert page[0] == page[1]
    # Three links to bert, and one to admin.
    eventually(lambda: len(links(service)) == 4)
    flood = [essence(forgot(service, "bert")) for _ in range(20)]
    assert all(reply == replies[0] for reply in flood)

    mailed = links(service)
    assert all(link.startswith(f"http://127.0.0.1:{service.port}{SET_PASSWORD}?token=") for link in mailed)
    own = links(service, "bert@example.com")
    assert len(own) == 3
    body = json.dumps({"token": unquote(own[0].partition("token=")[2]), "password": NEW})
    assert service.request("POST", SET_PASSWORD, headers=JSON, body=body).status == 205
    headers = {"Authorization": basic("bert", NEW)}
    assert service.request("GET", "/auth/administration/member", headers=headers).status == 200
    assert len(links(service)) == 4
    others = [service.request("GET", link.partition(str(service.port))[2]).status for link in mailed]
    assert sorted(others) == [200, 401, 401, 401], "the other links to bert ended, and that to admin did not"
    assert PASSWORD not in service.log()
