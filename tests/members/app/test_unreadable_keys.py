"""If the keys of tokens can't be read, requests that need them get 503, and the service is not healthy."""

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from stratabase_aws.functions import http_handler
from tests.cli.terminal import Project, run
from tests.service import PASSWORD

MODEL = 'extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)\n'


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[App]:
    """An instance with an administrator."""
    (tmp_path / "model.graphql").write_text(f"{MODEL}type Note {{ name: String }}\n")
    settings = Settings(home=tmp_path, model=tmp_path / "model.graphql", admin_password=PASSWORD)
    with closing(App(settings)) as instance:
        instance.part(MemberServices).create_first_administrator()
        yield instance


def send(instance: App, function: str, method: str, path: str, body: str | None = None) -> Any:
    event = {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"Content-Type": "application/json"},
        "requestContext": {"requestId": "r", "path": path},
        "body": body,
    }
    return http_handler(function, instance)(event)


@pytest.mark.parametrize("damage", ["a folder", "no JSON"])
def test_requests_for_tokens_and_the_health_are_503(
    instance: App, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    keys = instance.settings.home / "signing-keys.json"
    if damage == "a folder":
        keys.mkdir()
    else:
        keys.write_text("{")

    # Loggers of the same name share a level, also that of an earlier test.
    caplog.set_level(logging.INFO, logger="stratabase")

    body = json.dumps({"username": "admin", "password": PASSWORD})
    answer = send(instance, "tokens", "POST", "/public/token/getJwtToken", body)
    health = send(instance, "graphql", "GET", "/public/health")

    assert answer["statusCode"] == health["statusCode"] == 503
    assert all("Retry-After" in str(each["multiValueHeaders"]) for each in (answer, health))
    assert "signing-keys" not in answer["body"]
    found = json.loads(health["body"])
    assert (found["store"], found["keys"]) == ("reachable", "unreadable")
    assert "signing-keys.json" in str(vars(caplog.records[0]).get("reason"))


def test_the_health_is_200_before_the_first_token(instance: App) -> None:
    assert send(instance, "graphql", "GET", "/public/health")["statusCode"] == 200


def test_a_service_does_not_start(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "home/signing-keys.json").mkdir(parents=True)

    code, printed = run(project, "serve", "--no-reload", STRATABASE_HOME=str(tmp_path / "home"))

    assert code == 1
    assert "signing-keys.json cannot be read: Is a directory. Allow the current user to read" in printed
