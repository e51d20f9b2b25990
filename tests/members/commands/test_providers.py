"""`stratabase providers` lists the identity providers, and says which of them can't be used, and why."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.cli.main import main
from tests.members.providers.hostile_provider import METADATA, HostileProvider, running_provider

MODEL = 'extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)\n'
SECRET = "a secret that no line may show"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def hostile() -> Iterator[HostileProvider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with these providers; return its exit code and what it prints."""
    (tmp_path / "model.graphql").write_text(f"{MODEL}type Note {{ name: String }}\n")
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STRATABASE_IDENTITY_PROVIDERS_SECRET", raising=False)

    def ran(providers: object, *arguments: str) -> tuple[int, str, str]:
        file = tmp_path / "providers.json"
        file.write_text(json.dumps({"providers": providers}))
        monkeypatch.setenv("STRATABASE_IDENTITY_PROVIDERS", "" if providers is None else str(file))
        code = main(["providers", *arguments])
        output, errors = capsys.readouterr()
        assert SECRET not in output + errors
        assert not (tmp_path / "home").exists()
        return code, output, errors

    return ran


def entry(name: str, issuer: str, **more: Any) -> dict[str, Any]:
    fields = {"label": name.title(), "issuer": issuer, "clientId": "hr", "clientSecret": SECRET}
    return {"name": name, **fields, "mayBePrivate": True, **more}


def test_providers_are_listed_without_a_request(run: Run, hostile: HostileProvider) -> None:
    code, output, _ = run([entry("corp", hostile.issuer), entry("b", "https://b.example.com")], "list")
    assert (code, output) == (0, f"corp  Corp  {hostile.issuer}\nb  B  https://b.example.com\n")
    assert hostile.sent == []


def test_no_providers_are_said_to_be_none(run: Run) -> None:
    code, output, _ = run(None, "list")
    assert code == 0
    assert output == "There are no providers. Set STRATABASE_IDENTITY_PROVIDERS to a file that names them.\n"


@pytest.mark.parametrize("action", ["list", "check"])
def test_all_mistakes_of_the_document_are_named(run: Run, action: str) -> None:
    code, output, errors = run([entry("Corp", "id", scopes=[])], action)
    assert (code, output) == (1, "")
    assert "providers.json):" in errors
    for place in ("name", "issuer", "scopes"):
        assert f"providers[0].{place}: " in errors


def test_a_check_reads_the_metadata_and_the_keys(run: Run, hostile: HostileProvider) -> None:
    code, output, _ = run([entry("corp", hostile.issuer)], "check")
    assert (code, output) == (0, "corp: its metadata is right, and it has 1 usable key.\n")
    assert [each.path for each in hostile.sent] == [METADATA, "/keys"]


def test_a_check_names_each_provider_that_can_not_be_used(run: Run, hostile: HostileProvider) -> None:
    with running_provider() as other, running_provider() as third:
        other.metadata["issuer"] = "https://other.example.com"
        third.publish({"kty": "oct", "k": "AAAA"})
        providers = [
            entry("other", other.issuer),
            entry("corp", hostile.issuer),
            entry("third", third.issuer),
        ]
        code, output, errors = run(providers, "check")
        assert (code, output) == (1, "corp: its metadata is right, and it has 1 usable key.\n")
        assert 'openid-configuration: issuer: it is "https://other.example.com"; use exactly' in errors
        assert f"third: {third.issuer}/keys: none of its keys can be used" in errors
        assert run(providers, "check", "corp")[0] == 0


def test_a_check_of_an_unknown_provider_names_the_known_ones(run: Run) -> None:
    code, _, errors = run([entry("corp", "https://id.example.com")], "check", "crop")
    assert code == 1
    assert 'There is no provider "crop". Providers: corp.' in errors
