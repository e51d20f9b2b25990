"""Commands refuse a store whose layout this version does not know, before they read or write it."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.domain.store_mark import StoreKind, StoreMark, StoreRefused
from stratabase.core.settings import Settings
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase.transfer.commands.restore import check_layouts
from tests.cli.terminal import Project

CREATE = "members create ann ann@example.com Administrator"
READ_AND_WRITE, WRITE = (2, 2), (1, 2)
"""The least reader and the least writer of a newer layout."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with the data folder of an instance in `home`."""
    project = Project(tmp_path / "shop")
    monkeypatch.setenv("STRATABASE_MODEL", str(project.model))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    with closing(App(Settings.from_environment(os.environ))) as instance:
        instance.mark_stores()
        instance.part(MemberServices).create_first_administrator()
    capsys.readouterr()
    return tmp_path


def raise_layout(kind: StoreKind, least: tuple[int, int]) -> None:
    def raised(mark: StoreMark) -> StoreMark:
        return replace(mark, layout=2, least_reader=least[0], least_writer=least[1])

    with open_marked_stores(Settings.from_environment(os.environ), [kind]) as (marked,):
        before = marked.store.read_mark()
        assert before is not None
        assert marked.store.write_mark(raised(before), before)


def members(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "home/members.db")) as connection:
        (number,) = connection.execute("SELECT count(*) FROM members").fetchone()
        return int(number)


@pytest.mark.parametrize(
    ("command", "least"),
    [
        (CREATE, WRITE),
        ("members set-email admin new@example.com", WRITE),
        ("members list", READ_AND_WRITE),
        ("backup {folder}/backup", READ_AND_WRITE),
        ("export --members {folder}/export", READ_AND_WRITE),
    ],
)
def test_a_newer_store_of_members_is_refused(
    folder: Path, command: str, least: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    raise_layout(StoreKind.MEMBERS, least)

    assert main(command.format(folder=folder).split()) == 1

    error = capsys.readouterr().err
    assert "The store of members has layout 2." in error
    assert "this version knows layout 1. Use a later version of Stratabase." in error
    assert members(folder) == 1
    assert not (folder / "export").exists()
    assert not (folder / "backup").exists()


def test_a_store_of_members_that_this_version_can_read_is_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raise_layout(StoreKind.MEMBERS, WRITE)

    assert main(["members", "list"]) == 0
    assert "admin" in capsys.readouterr().out
    assert main(["store", "show"]) == 0


def test_a_running_process_writes_no_more_members_after_the_layout_was_raised(folder: Path) -> None:
    with closing(App(Settings.from_environment(os.environ))) as instance:
        assert instance.part(AuthServices).members.any()
        raise_layout(StoreKind.MEMBERS, WRITE)
        (admin,) = instance.part(AuthServices).members.roster().members

        with pytest.raises(StoreRefused, match="To write to it, a version of Stratabase must know layout 2"):
            instance.part(AuthServices).members.remove(admin)
    assert members(folder) == 1


def test_a_newer_backup_is_not_restored(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raise_layout(StoreKind.MEMBERS, WRITE)
    assert main(["backup", str(folder / "backup")]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(folder / "restored"))

    assert main(["restore", str(folder / "backup")]) == 1

    assert "The store of members has layout 2." in capsys.readouterr().err
    assert list((folder / "restored").iterdir()) == []


@pytest.mark.parametrize("kind", list(StoreKind))
def test_a_restore_checks_the_layout_of_each_store(folder: Path, kind: StoreKind) -> None:
    settings = Settings.from_environment(os.environ)
    check_layouts(settings, folder / "home")
    raise_layout(kind, WRITE)

    with pytest.raises(StoreRefused, match=f"The store of {kind.value} has layout 2"):
        check_layouts(settings, folder / "home")
