"""Members who have one email address in two spellings: no command loses or refuses one of them."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.member import Member
from tests import ministack
from tests.cli.terminal import Project

ANN = Member("1", "ann", "a@bücher.example", "Administrator", password="phc-hash")
BOB = Member("2", "bob", "a@xn--bcher-kva.example", "Administrator", password="phc-hash")
REPORT = "The members ann and bob have one email address, a@xn--bcher-kva.example, in two spellings. Change"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a data folder in `home` that has both members, as an earlier version stored them."""
    monkeypatch.setenv("STRATABASE_MODEL", str(Project(tmp_path / "shop").model))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
        for member in (ANN, BOB):
            instance.part(AuthServices).members.add(member, is_moved=True)
    return tmp_path


def check_members(**changed: str) -> None:
    """Check that the instance of the environment, with some settings changed, has both members."""
    with closing(App(Settings.from_environment({**os.environ, **changed}))) as instance:
        members = instance.part(AuthServices).members
        assert [members.by_email(each.email) for each in (ANN, BOB)] == [ANN, BOB]
        assert [members.by_username(each.username) for each in (ANN, BOB)] == [ANN, BOB]


def test_the_list_of_members_reports_them(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["members", "list"]) == 0

    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 2
    assert printed.err.startswith(REPORT)
    assert main(["members", "set-email", "bob", "bob@example.com"]) == 0
    capsys.readouterr()
    assert main(["members", "list"]) == 0
    assert capsys.readouterr().err == ""


def test_a_restore_keeps_both(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["backup", str(shop / "backup")]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(shop / "restored"))

    assert main(["restore", str(shop / "backup")]) == 0
    check_members()


def test_an_import_keeps_both_and_reports_them(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(shop / "export"), "--members", "--with-password-hashes"]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(shop / "imported"))
    capsys.readouterr()

    assert main(["import", str(shop / "export")]) == 0
    assert REPORT in capsys.readouterr().out
    check_members()


def test_a_copy_to_the_other_engine_keeps_both_and_reports_them(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = {
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
        "STRATABASE_TABLE": "shared-addresses",
        "STRATABASE_MEMBERS_TABLE": "shared-addresses-members",
        "STRATABASE_BUCKET": "shared-addresses",
        "STRATABASE_CREATE_TABLES": "on",
    }

    arguments = [f"{name}={value}" for name, value in target.items()]
    assert main(["copy", str(shop / "moving"), *arguments]) == 0
    assert REPORT in capsys.readouterr().out
    check_members(**target)
