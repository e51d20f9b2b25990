"""`stratabase aws smoke`, against a running instance."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.transfer.client.connection import Connection
from stratabase_aws.deploy.smoke import SMOKE_CHECKS
from tests.console_build import build_console
from tests.members.providers.hostile_provider import running_provider
from tests.service import PASSWORD, RunningService, basic, free_port, running

MODEL = """
extend schema @application(name: "Files") @profile(name: "Administrator", administrator: true)
type Note { text: String small: File @file(maxSize: 10) scan: File @file(extensions: ["pdf"]) }
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    build_console()
    folder = tmp_path_factory.mktemp("instance")
    (folder / "model.graphql").write_text(MODEL)
    with running(folder / "home", model=folder / "model.graphql") as started:
        yield started


@pytest.fixture(autouse=True)
def _settings(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATABASE_PASSWORD", PASSWORD)
    monkeypatch.setenv("STRATABASE_MODEL", str(service.home.parent / "model.graphql"))


def smoke(service: RunningService, *more: str) -> int:
    """Run the command, and return its exit code."""
    return main(["aws", "smoke", f"http://127.0.0.1:{service.port}", "--user", "admin", *more])


def test_all_checks_pass(service: RunningService, capsys: pytest.CaptureFixture[str]) -> None:
    assert smoke(service) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"ok       {name}" for name in SMOKE_CHECKS]
    assert "20 megabytes came back unchanged" in lines[-2]


def test_nothing_stays_after_the_checks(service: RunningService) -> None:
    assert smoke(service) == 0
    headers = {"Authorization": basic("admin", PASSWORD)}
    id_ = service.request("GET", "/auth/administration/member", headers=headers).json()["id"]
    path = f"/auth/administration/members/{id_}/sessions"
    assert service.request("GET", path, headers=headers).json() == []


def test_a_provider_that_is_not_reached_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.graphql").write_text(MODEL)
    document = tmp_path / "providers.json"
    with running_provider() as provider:
        row = {"name": "corp", "label": "Corp", "issuer": provider.issuer, "mayBePrivate": True}
        row |= {"clientId": "hr", "clientSecret": "a secret"}
        document.write_text(json.dumps({"providers": [row]}))
        settings = {"STRATABASE_IDENTITY_PROVIDERS": str(document)}
        with running(tmp_path / "home", model=tmp_path / "model.graphql", settings=settings) as service:
            assert smoke(service) == 0
            assert "ok       sign-in: password, corp" in capsys.readouterr().out
    with running(tmp_path / "home", model=tmp_path / "model.graphql", settings=settings) as service:
        assert smoke(service) == 1
        assert "FAILED   sign-in: GET" in capsys.readouterr().out


def test_a_console_with_another_base_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its links would lead elsewhere. Without a console, there is nothing to check."""
    (tmp_path / "model.graphql").write_text(MODEL)
    given: dict[str, Any] = {"model": tmp_path / "model.graphql"}
    settings = {"STRATABASE_BASE_URL": "https://api.example.com/hr"}
    with running(tmp_path / "home", **given, settings=settings) as service:
        assert smoke(service) == 1
        assert 'FAILED   console: the page lacks <base href="/console/">.' in capsys.readouterr().out
    with running(tmp_path / "home", **given, settings={"STRATABASE_CONSOLE": "off"}) as service:
        assert smoke(service) == 0
        assert "skipped  console: it is switched off." in capsys.readouterr().out


def test_a_file_that_is_not_deleted_is_reported(
    service: RunningService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Connection.send

    def deletes_nothing(connection: Any, method: str, *given: Any, **options: Any) -> Any:
        return send(connection, "OPTIONS" if method == "DELETE" else method, *given, **options)

    monkeypatch.setattr(Connection, "send", deletes_nothing)
    assert smoke(service) == 1
    assert "FAILED   files: the file is still there after it was deleted." in capsys.readouterr().out


def test_each_failure_is_reported_and_the_command_fails(
    service: RunningService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATABASE_PASSWORD", "wrong")
    assert smoke(service) == 1
    output = capsys.readouterr()
    assert "FAILED   tokens: POST" in output.out
    assert "The username or password is incorrect." in output.out
    assert "skipped  GraphQL: there is no token." in output.out
    assert "skipped  files: there is no token." in output.out
    assert output.err == "Failed checks: 1.\n"
    assert "skipped  sign-out: there is no token." in output.out


def test_a_clock_that_differs_is_reported(
    service: RunningService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert smoke(service) == 1
    assert "FAILED   clock: it differs from the clock of this machine by" in capsys.readouterr().out


def test_a_file_that_comes_back_with_other_bytes_is_reported(
    service: RunningService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Connection.read
    monkeypatch.setattr(Connection, "read", lambda *given: [*read(*given), b"more"])
    assert smoke(service) == 1
    assert "FAILED   files: the file came back with other bytes" in capsys.readouterr().out


def test_without_an_instance_one_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    assert main(["aws", "smoke", address, "--user", "admin"]) == 1
    assert capsys.readouterr().out == f"FAILED   health: no connection to {address}: connection refused.\n"


@pytest.mark.parametrize("name", ["Note", "Note.text", "Nobody.scan", "Note.nothing"])
def test_an_attribute_that_takes_no_file_is_refused(
    service: RunningService, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert smoke(service, "--file", name) == 2
    assert f'"{name}" is not a File attribute of the model.' in capsys.readouterr().err


def test_a_file_that_the_attribute_refuses_is_reported(
    service: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    assert smoke(service, "--file", "Note.small") == 1
    assert "FAILED   files: The service refused the request (4" in capsys.readouterr().out
