"""`stratabase audit` writes the audit trail to a CSV file that a spreadsheet can open without harm."""

import csv
import shutil
import stat
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.store.ids import TimeOrderedIds, least_id
from stratabase.core.waiting import system_now
from stratabase.members.audit_entry import DAY, MAX_PAGE, AuditEntry, AuditKind
from stratabase.members.endpoints.audit import AUDIT_ENTRY
from stratabase.members.member import Member
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.repository import ROOT
from tests.rows import each_row

FORMULA = '=HYPERLINK("https://evil.example")'
ANNA, BERT = (TimeOrderedIds().new() for _ in range(2))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model, and the data of two members with 450 entries and an old one."""
    monkeypatch.chdir(tmp_path)
    for name in ("STRATABASE_STORE", "STRATABASE_HOME", "STRATABASE_AUDIT_DAYS"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(ROOT / "layers/model/model.graphql", tmp_path)
    now, ids = system_now(), TimeOrderedIds()
    with closing(SqliteMembers(tmp_path / ".stratabase/members.db")) as members:
        for id_, name in ((ANNA, "anna"), (BERT, "bert")):
            members.add(Member(id_, name, f"{name}@example.com", "Administrator"))
        trail = SqliteAuditTrail(members.file)
        old = AuditEntry(least_id(now - 91 * DAY), now - 91 * DAY, AuditKind.SIGNED_IN, ANNA)
        many = [AuditEntry(ids.new(), now, AuditKind.SIGNED_IN, ANNA, ANNA) for _ in range(2 * MAX_PAGE + 49)]
        key = AuditEntry(ids.new(), now, AuditKind.KEY_CREATED, BERT, ANNA, detail={"name": FORMULA})
        trail.append([old, *many, key])
    return tmp_path


def rows(file: Path, encoding: str = "utf-8", delimiter: str = ",") -> list[dict[str, str]]:
    with file.open(encoding=encoding, newline="") as opened:
        return [*csv.DictReader(opened, delimiter=delimiter)]


def test_the_file_has_what_is_not_too_old_newest_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "trail.csv"]) == 0
    assert capsys.readouterr().out == "trail.csv: 450 rows.\n"
    found = rows(folder / "trail.csv")
    assert len(found) == 450
    assert [*found[0]] == [*AUDIT_ENTRY.fields]
    assert [each["id"] for each in found] == sorted((each["id"] for each in found), reverse=True)
    assert (found[0]["kind"], found[0]["username"], found[0]["actorUsername"]) == (
        "keyCreated",
        "bert",
        "anna",
    )
    assert (found[1]["kind"], found[1]["count"], found[1]["name"]) == ("signedIn", "", "")
    assert stat.S_IMODE((folder / "trail.csv").stat().st_mode) == 0o600


def test_a_spreadsheet_runs_no_text_as_a_formula(folder: Path) -> None:
    assert main(["audit", "trail.csv"]) == 0
    assert rows(folder / "trail.csv")[0]["name"] == f"'{FORMULA}"


@each_row("name", ["BERT", BERT])
def test_the_entries_of_one_member_are_found_by_username_and_id(name: str, folder: Path) -> None:
    assert (
        main(["audit", f"{name}.csv", "--member", name, "--delimiter", ";", "--encoding", "utf-8-sig"]) == 0
    )
    (row,) = rows(folder / f"{name}.csv", "utf-8-sig", ";")
    assert row["member"] == BERT


@each_row(
    ("arguments", "said"),
    [
        (["x.csv", "--member", "nobody"], 'Member "nobody" does not exist'),
        (["x.csv", "--encoding", "klingon"], 'The encoding "klingon" does not exist'),
        (["x.csv", "--delimiter", ",,"], "is not a single character"),
        (["model.graphql"], "exists already"),
        (["missing/x.csv"], "can't be written"),
    ],
)
def test_a_mistake_is_refused_and_leaves_no_file(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *arguments]) != 0
    assert said in capsys.readouterr().err
    assert not (folder / "x.csv").exists()
