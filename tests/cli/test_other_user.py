"""Root and the data of another user: no command leaves a file that the service could not use."""

import os
import pwd
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.settings import Settings
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from tests import ministack
from tests.cli.terminal import Project
from tests.cli.test_data_folder import COMMANDS
from tests.repository import ROOT
from tests.rows import each_row

pytestmark = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can do this")
NOBODY = pwd.getpwnam("nobody").pw_uid
AS_NOBODY = """
import os, sys
from pathlib import Path
from stratabase.members.keys.file import FileKeyring
from stratabase.members.mailers.message import parse_sender
from stratabase.members.mailers.outbox import Outbox
from stratabase.core.unusable_store import UnusableStore

os.setresuid({user}, {user}, {user})
home = Path({home!r})
for use in (FileKeyring(home).keys, Outbox(home / "outbox", parse_sender("a@example.com"), print).check):
    try:
        use()
    except UnusableStore as error:
        print(error)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with the data folder of `nobody` in `home`, and an export."""
    project = Project(tmp_path / "shop")
    monkeypatch.setenv("STRATABASE_MODEL", str(project.model))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    (tmp_path / "pets.csv").write_text("name\nRex\n")
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
        instance.part(MemberServices).create_first_administrator()
    assert main(["export", str(tmp_path / "export")]) == 0
    assert main(["backup", str(tmp_path / "backup")]) == 0
    give_to_nobody(tmp_path / "home")
    capsys.readouterr()
    return tmp_path


def give_to_nobody(home: Path) -> None:
    for path in (home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


def states(home: Path) -> dict[str, tuple[int, int]]:
    """Return the owner and the time of each file in a data folder."""
    found = {str(path): path.stat() for path in (home, *home.rglob("*"))}
    return {name: (each.st_uid, each.st_mtime_ns) for name, each in found.items()}


@each_row("command", [*COMMANDS, "restore {folder}/backup"])
def test_root_writes_nothing_to_the_data_of_another_user(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = states(folder / "home")

    assert main(command.format(folder=folder).split()) in {1, 2}

    error = capsys.readouterr().err
    assert f"The data in {folder / 'home'} belongs to the user nobody" in error
    assert "Run the command as this user: sudo -u nobody stratabase" in error
    assert states(folder / "home") == before


def test_root_fills_no_empty_folder_of_another_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = folder / "empty"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    monkeypatch.setenv("STRATABASE_HOME", str(home))

    assert main(["restore", str(folder / "backup")]) == 1
    assert "belongs to the user nobody" in capsys.readouterr().err
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("serve --no-reload", {}),
        ("members create joe joe@example.com Administrator", {}),
        ("import {folder}/export", {}),
        ("import {folder}/pets.csv --class Pet", {}),
        ("restore {folder}/backup", {}),
        (
            "copy {folder}/moving STRATABASE_HOME={folder}/theirs/new/data",
            {"STRATABASE_HOME": "{folder}/own"},
        ),
        ("keys rotate", {"STRATABASE_STORE": "dynamodb"}),
    ],
)
def test_root_creates_no_data_folder_in_the_folder_of_another_user(
    folder: Path,
    command: str,
    settings: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    theirs = folder / "theirs"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    for path in (folder / "home", *(folder / "home").rglob("*")):
        os.chown(path, 0, 0)
    (folder / "home").rename(folder / "own")
    monkeypatch.setenv("STRATABASE_HOME", str(theirs / "new/data"))
    for name, value in settings.items():
        monkeypatch.setenv(name, value.format(folder=folder))

    assert main(command.format(folder=folder).split()) in {1, 2}

    error = capsys.readouterr().err
    assert (
        f"The data folder {theirs / 'new/data'} doesn't exist, and {theirs} belongs to the user nobody"
        in error
    )
    assert "sudo -u nobody stratabase" in error
    assert list(theirs.iterdir()) == []


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """An empty folder of `nobody`, and settings of tables on the emulator that have a member."""
    for name, value in {
        "STRATABASE_MODEL": str(Project(tmp_path / "shop").model),
        "STRATABASE_HOME": str(tmp_path / "theirs"),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
        "STRATABASE_TABLE": "other-user",
        "STRATABASE_MEMBERS_TABLE": "other-user-members",
        "STRATABASE_CREATE_TABLES": "on",
    }.items():
        monkeypatch.setenv(name, value)
    with closing(App(Settings.from_environment(os.environ))) as instance:
        fields = {"username": "rosa", "email": "rosa@example.com", "profile": "Administrator"}
        if instance.part(AuthServices).members.by_username("rosa") is None:
            instance.part(MemberServices).create_silently(CONSOLE, fields)
    (tmp_path / "theirs").mkdir()
    give_to_nobody(tmp_path / "theirs")
    capsys.readouterr()
    return tmp_path / "theirs"


@each_row("home", ["", "new/data"])
@each_row(
    "command",
    [
        "members create ann ann@example.com Administrator",
        "members reset-password rosa",
        "files check",
        "keys rotate",
    ],
)
def test_root_adds_no_mail_file_or_key_to_the_data_of_another_user(
    theirs: Path, home: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(theirs / home))
    main(["members", "list"])
    members = capsys.readouterr().out

    assert main(command.split()) == 1

    assert "belongs to the user nobody" in capsys.readouterr().err
    assert list(theirs.iterdir()) == []
    main(["members", "list"])
    assert capsys.readouterr().out == members


def test_root_prints_the_link_of_a_member_without_a_file(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["members", "reset-password", "rosa", "--print-link"]) == 0
    assert "setPassword?token=" in capsys.readouterr().out
    assert list(theirs.iterdir()) == []


def test_root_creates_its_data_folder_in_a_folder_of_root(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(folder / "new/data"))

    assert main(["members", "create", "joe", "joe@example.com", "Administrator", "--print-link"]) == 0


def test_root_goes_on_with_its_own_data_in_the_folder_of_another_user(folder: Path) -> None:
    for path in (folder / "home").rglob("*"):
        os.chown(path, 0, 0)

    assert main(["members", "list"]) == 0


def test_files_of_root_are_reported_to_the_user_of_the_service() -> None:
    with TemporaryDirectory(dir="/tmp") as folder:
        _check_reports(Path(folder))


def _check_reports(home: Path) -> None:
    os.chown(home, NOBODY, NOBODY)
    (home / "outbox").mkdir(mode=0o700)
    (home / "signing-keys.json").write_text("{}")
    (home / "signing-keys.json").chmod(0o600)
    text = AS_NOBODY.format(user=NOBODY, home=str(home))

    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)

    assert "signing-keys.json cannot be read: Permission denied. Allow the current user" in done.stdout
    assert "outbox can't be written, so no mail could be sent." in done.stdout
