"""Who may use a data folder: nobody while a command fills it, or after a restore was interrupted."""

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from stratabase.cli.main import main
from stratabase.core import data_folder
from stratabase.core.app.app import App
from stratabase.core.data_folder import hold_data_folder
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from tests.cli.terminal import Project
from tests.repository import ROOT
from tests.rows import each_row
from tests.soak import count, seed

COMMANDS = (
    "serve --no-reload",
    "serve",
    "members list",
    "members create ann ann@example.com Administrator",
    "keys list",
    "keys rotate",
    "store show",
    "store adopt --yes",
    "store upgrade --yes",
    "store jobs --retry",
    "backup {folder}/other",
    "export {folder}/other",
    "export {folder}/other.csv --class Pet",
    "import {folder}/export",
    "import {folder}/pets.csv --class Pet",
    "import {folder}/pets.csv --class Pet --dry-run",
    "copy {folder}/moving STRATABASE_HOME={folder}/target",
    "files check",
    "model check --data",
    "model diff",
    "model drop Toy",
    "reindex",
)
"""Commands that use the data folder."""
KILLS = count(2, 100)
FILES = 200
LONGEST_PAUSE = 0.8
"""Seconds from the start of a restore to that of a service, and from there to a kill, at most."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a data folder in `home`, and its backup and export."""
    project = Project(tmp_path / "shop")
    monkeypatch.setattr(data_folder, "_TIMEOUT", 0.01)
    monkeypatch.setenv("STRATABASE_MODEL", str(project.model))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    (tmp_path / "pets.csv").write_text("name\nRex\n")
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
        instance.part(MemberServices).create_first_administrator()
    assert main(["backup", str(tmp_path / "backup")]) == 0
    assert main(["export", str(tmp_path / "export")]) == 0
    capsys.readouterr()
    return tmp_path


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def interrupted(folder: Path) -> Path:
    """The same folder after a restore that was interrupted."""
    home = folder / "home"
    (home / ".restoring").mkdir()
    (home / "objects.db").rename(home / ".restoring/objects.db")
    return folder


@each_row("command", COMMANDS)
def test_no_command_uses_a_folder_with_a_part_of_a_backup(
    interrupted: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = names(interrupted)

    assert main(command.format(folder=interrupted).split()) in {1, 2}

    assert f"A restore into {interrupted / 'home'} was interrupted" in capsys.readouterr().err
    assert names(interrupted) == before


@pytest.mark.skipif(os.name != "posix", reason="Windows can't lock folders")
@each_row("command", COMMANDS)
def test_no_command_uses_a_folder_that_another_one_fills(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = names(folder)
    with hold_data_folder(folder / "home", alone=True):
        assert main(command.format(folder=folder).split()) in {1, 2}

    error = capsys.readouterr().err
    assert "so no other process can use it" in error or "A process serves" in error
    assert "Resource temporarily unavailable" not in error
    assert names(folder) == before


@pytest.mark.skipif(os.name != "posix", reason="Windows can't lock folders")
@pytest.mark.parametrize("command", ["restore {folder}/backup", "import {folder}/export", "copy"])
def test_no_command_fills_a_folder_that_a_process_uses(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = folder / "target"
    copy = "copy {folder}/moving STRATABASE_HOME={folder}/target"
    if command == "copy":
        command = copy
    else:
        monkeypatch.setenv("STRATABASE_HOME", str(target))
    with hold_data_folder(target):
        assert main(command.format(folder=folder).split()) == 1

    assert f"A process serves {target}, or uses its files. Stop it" in capsys.readouterr().err
    assert names(target) == set()
    assert main(command.format(folder=folder).split()) == 0


def test_a_folder_is_complete_although_the_restore_was_killed_at_its_very_end(folder: Path) -> None:
    (folder / "home/.restoring").mkdir()

    assert main(["members", "list"]) == 0


@pytest.mark.parametrize(
    "command", ["restore {folder}/backup", "backup {folder}/disk", "export {folder}/disk"]
)
def test_the_root_of_a_disk_counts_as_empty(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = folder / "disk/lost+found"
    lost.mkdir(parents=True)
    if command.startswith("restore"):
        monkeypatch.setenv("STRATABASE_HOME", str(folder / "disk"))
        (folder / "disk/.restoring").mkdir()

    assert main(command.format(folder=folder).split()) == 0

    assert lost.is_dir()


def test_a_copy_leaves_the_root_of_a_disk(folder: Path) -> None:
    (folder / "disk/lost+found").mkdir(parents=True)

    assert main(["copy", str(folder / "disk"), f"STRATABASE_HOME={folder / 'target'}"]) == 0

    assert names(folder / "disk") == {"lost+found"}


@pytest.mark.skipif(os.name != "posix", reason="Windows can't lock folders")
@pytest.mark.long
@pytest.mark.soak
def test_a_service_beside_a_killed_restore_has_the_whole_backup_or_nothing_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(FolderBlobs(folder / "home/files")) as blobs:
        for number in range(FILES):
            blobs.put(f"files/{number:026}", [b"1"], 1)
    backup = folder / "full"
    assert main(["backup", str(backup)]) == 0
    choice = random.Random(seed())
    for number in range(KILLS):
        home = folder / f"restored{number}"
        monkeypatch.setenv("STRATABASE_HOME", str(home))
        restore = process("restore", str(backup))
        Event().wait(choice.uniform(0, LONGEST_PAUSE))
        serve = process("serve", "--no-reload")
        Event().wait(choice.uniform(0, LONGEST_PAUSE))
        restore.kill()
        said = restore.communicate()[0]
        is_serving = any("Health" in line for line in serve.stdout or ())
        serve.terminate()
        serve.communicate()
        if main(["restore", str(backup)]) == 0:
            assert not is_serving, said
            assert is_whole(home, backup)
        else:
            # Either it was complete before, or the service was faster and has begun without it.
            assert is_whole(home, backup) or not (home / ".restoring").exists(), said


def process(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "stratabase.cli", *arguments]
    pipe, environment = subprocess.PIPE, {**os.environ, "PORT": "0"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
    )


def is_whole(home: Path, backup: Path) -> bool:
    """Return whether a data folder has the instance of a backup. Assert that it then has everything."""
    with (
        closing(sqlite3.connect(home / "members.db")) as found,
        closing(sqlite3.connect(backup / "members.db")) as wanted,
    ):
        marks = [each.execute("SELECT text FROM mark").fetchone() for each in (found, wanted)]
    if marks[0] != marks[1]:
        return False
    assert names(backup / "files/files") <= names(home / "files/files")
    assert (home / "objects.db").exists()
    return True
