"""`stratabase keys` lists and rotates the signing keys."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from moto import mock_aws

from stratabase.cli.main import main
from stratabase.members.keys.document import LAYOUT, decode_keys
from stratabase.members.keys.file import KEYS_FILE
from stratabase.members.keys.key_rotation import GRACE, PREPARATION
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from tests.contract.keyring.keyrings import client

INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
Run = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with data and without keys, without other settings."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/objects.db").touch()
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STRATABASE_SIGNING_KEYS", raising=False)
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a successful command, and return its output."""

    def ran(*arguments: str) -> str:
        assert main(["keys", *arguments]) == 0
        return capsys.readouterr().out

    return ran


def stored(home: Path) -> Any:
    return json.loads((home / KEYS_FILE).read_text())["keys"]


def age(home: Path, milliseconds: int) -> None:
    """Make all keys older by a duration."""
    keys = [{**key, "since": key["since"] - milliseconds} for key in stored(home)]
    (home / KEYS_FILE).write_text(json.dumps({"layout": LAYOUT, "keys": keys}))


def test_no_key_exists_before_the_first_token(run: Run, home: Path) -> None:
    assert run("list") == "No keys exist. Stratabase creates one with the first token.\n"
    assert [file.name for file in home.iterdir()] == ["objects.db"]


def test_a_rotation_creates_the_first_key(run: Run, home: Path) -> None:
    printed = run("rotate")
    (key,) = stored(home)
    assert re.fullmatch(
        rf"Key {key['id']} signs tokens from {INSTANT}\.\nExisting tokens stay valid\.\n", printed
    )


def test_keys_are_listed_with_their_state(run: Run, home: Path) -> None:
    run("rotate")
    age(home, PREPARATION)
    run("rotate")
    age(home, PREPARATION)
    run("rotate")
    ids = [key["id"] for key in stored(home)]
    assert [re.sub(INSTANT, "…", line) for line in run("list").splitlines()] == [
        f"{ids[0]}  since …  retired, its tokens are valid until …",
        f"{ids[1]}  since …  signing",
        f"{ids[2]}  since …  waiting",
    ]


def test_no_secret_is_printed(run: Run, home: Path) -> None:
    printed = run("rotate") + run("list") + run("rotate", "--at-once") + run("list")
    (key,) = stored(home)
    assert key["id"] in printed
    assert key["secret"].rstrip("=") not in printed


def test_a_rotation_too_soon_after_another_creates_no_key(run: Run, home: Path) -> None:
    run("rotate")
    age(home, 1)
    run("rotate")
    assert re.match(
        rf"A new key is already waiting: key {stored(home)[1]['id']} signs tokens from", run("rotate")
    )
    assert len(stored(home)) == 2


def test_unused_keys_are_removed_and_reported(run: Run, home: Path) -> None:
    run("rotate")
    age(home, PREPARATION)
    run("rotate")
    age(home, PREPARATION + 1_800_000 + GRACE)
    old, young = (key["id"] for key in stored(home))
    lines = run("rotate").splitlines()
    assert lines[2] == f"Removed, because all tokens that they signed have expired: {old}."
    assert stored(home)[0]["id"] == young


def test_stolen_keys_can_be_removed_immediately(run: Run, home: Path) -> None:
    run("rotate")
    (before,) = stored(home)
    printed = run("rotate", "--at-once")
    (key,) = stored(home)
    assert key["id"] != before["id"]
    assert printed.startswith(
        f"Key {key['id']} signs tokens now. Other keys removed: 1.\nEarlier tokens become invalid"
    )


@pytest.mark.parametrize("action", ["list", "rotate"])
def test_a_damaged_file_is_reported_and_kept(
    action: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / KEYS_FILE).write_text("{")
    assert main(["keys", action]) == 1
    assert f"{KEYS_FILE} is damaged: it is not JSON. Restore a backup" in capsys.readouterr().err
    assert (home / KEYS_FILE).read_text() == "{"


def test_the_keys_command_needs_a_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["keys"])
    assert caught.value.code == 2


@pytest.fixture
def secret(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A secret as the template creates it, named in the settings, and a client that can read it."""
    with mock_aws():
        aws = client(AwsEndpoint("eu-south-1", credentials=Credentials("test", "test")))
        aws.create_secret(Name="keys-of-hr", SecretString=json.dumps({"first": "R" * 64}))
        monkeypatch.setenv("STRATABASE_SIGNING_KEYS", "keys-of-hr")
        monkeypatch.setenv("AWS_REGION", "eu-south-1")
        yield aws


def test_the_keys_in_secrets_manager_are_rotated_too(secret: Any, run: Run, home: Path) -> None:
    assert run("list") == "first                       since the beginning             signing\n"
    run("rotate")
    kept = secret.get_secret_value(SecretId="keys-of-hr", VersionStage="AWSCURRENT")
    keys = decode_keys(kept["SecretString"])
    assert [key.id for key in keys] == ["first", run("list").splitlines()[1].split()[0]]
    assert not (home / KEYS_FILE).exists()


def test_a_missing_secret_is_reported(
    secret: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_SIGNING_KEYS", "another")
    assert main(["keys", "list"]) == 1
    assert "The secret another with the token signing keys cannot be used" in capsys.readouterr().err
