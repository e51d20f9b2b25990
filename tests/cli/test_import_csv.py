"""`stratabase import FILE --class CLASS` reports what it does, and what is wrong with the file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.members.backfill import MemberBackfill
from tests.rows import each_row
from tests.soak import count

MODEL = """
extend schema @application(name: "Shop")
type Pet @class(platform: [CREATED_BY]) @unique(attributes: ["tag"]) { name: String! tag: String born: Date }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.graphql").write_text(MODEL)
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _states() -> list[str]:
    instance = App(Settings.from_environment(os.environ))
    found = [item.state or "" for page in listed_objects(instance.engine, "Pet") for item in page]
    instance.close()
    return found


def test_rows_become_objects_of_the_console(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pets.csv").write_text("Nome;tag\nRex;1\nKit;2\n")
    assert main(["import", "pets.csv", "--class", "Pet", "--map", "Nome=name"]) == 0
    assert capsys.readouterr().out == "pets.csv: 2 created.\n"
    assert [('"name":"Rex"' in state, '"_createdby":"console"' in state) for state in _states()] == [
        (True, True),
        (False, True),
    ]
    assert main(["import", "pets.csv", "--class", "Pet", "--map", "Nome=name"]) == 0
    assert "was imported at" in capsys.readouterr().out
    assert len(_states()) == 2


def test_each_process_knows_what_another_imported(folder: Path) -> None:
    """Sets have another order in each process."""
    (folder / "pets.csv").write_text("name;born\nRex;31.12.2020\n")
    formats = ("--date-format", "dd.MM.yyyy", "--time-format", "HH.mm", "--decimal", ",")
    command = [sys.executable, "-m", "stratabase.cli", "import", "pets.csv", "--class", "Pet", *formats]
    printed = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == "pets.csv: 1 created.\n"
    assert "was imported at" in printed[1]
    assert len(_states()) == 1


def test_a_role_finds_members_by_their_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.graphql").write_text(MODEL.replace("born: Date", "vet: _User"))
    assert main(["members", "create", "ada", "ada@example.com", "Administrator", "--print-link"]) == 0
    (folder / "pets.csv").write_text("name,vet.username\nRex,Ada\nKit,\n")
    assert main(["import", "pets.csv", "--class", "Pet"]) == 0
    (folder / "more.csv").write_text("name,vet.username\nPip,bob\n")
    assert main(["import", "more.csv", "--class", "Pet"]) == 1
    assert 'There is no _User with username "bob".' in capsys.readouterr().err
    assert main(["export", "all.csv", "--class", "Pet", "--columns", "name,vet.username,vet.email"]) == 0
    lines = (folder / "all.csv").read_text().splitlines()
    assert lines == ["name,vet.username,vet.email", "Rex,ada,ada@example.com", "Kit,,"]


def test_invalid_rows_are_left_out_in_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pets.csv").write_text("name,tag\nRex,1\n,2\nKit,1\n")
    assert main(["import", "pets.csv", "--class", "Pet", "--skip-invalid"]) == 0
    assert "pets.refused.csv: 2 rows with the reasons." in capsys.readouterr().out
    refused = folder / "pets.refused.csv"
    assert refused.read_text().splitlines() == [
        "_line,_reason,name,tag",
        "3,name: Pet.name is required.,,2",
        "4,tag: Line 2 has the same value of tag.,Kit,1",
    ]
    assert refused.stat().st_mode & 0o777 == 0o600


def test_no_start_of_the_service_reads_all_imported_objects(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pets.csv").write_text("name\nRex\n")
    assert main(["import", "pets.csv", "--class", "Pet"]) == 0
    assert _pending_owners() == ()
    assert main(["export", "all"]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "other"))
    assert main(["import", "all"]) == 0
    assert _pending_owners() == ()


def _pending_owners() -> tuple[str, ...]:
    instance = App(Settings.from_environment(os.environ))
    pending = MemberBackfill(instance.engine, instance.model).pending()
    instance.close()
    return pending


def test_a_folder_has_no_class(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "all").mkdir()
    assert main(["import", "all", "--class", "Pet"]) == 2
    assert "all is a folder. To import an export, leave out --class" in capsys.readouterr().err


def test_nothing_is_written_if_the_refused_rows_cannot_be(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pets.csv").write_text("name,tag\nRex,1\n,2\n")
    command = ["import", "pets.csv", "--class", "Pet", "--skip-invalid", "--refused"]
    assert main([*command, "nowhere/refused.csv"]) == 1
    assert "nowhere/refused.csv can't be written (No such file or directory)." in capsys.readouterr().err
    assert main([*command, "pets.csv"]) == 1
    assert "pets.csv exists already. Move it, or name another file" in capsys.readouterr().err
    assert (folder / "pets.csv").read_text() == "name,tag\nRex,1\n,2\n"
    assert _states() == []
    assert main([*command, "refused.csv"]) == 0
    assert sorted(each.name for each in folder.iterdir()) == [
        "data",
        "model.graphql",
        "pets.csv",
        "refused.csv",
    ]


def test_a_repetition_can_write_the_refused_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pets.csv").write_text("name,tag\nRex,1\n,2\n")
    command = ["import", "pets.csv", "--class", "Pet", "--skip-invalid"]
    assert main(command) == 0
    written = (folder / "pets.refused.csv").read_text()
    assert main(command) == 0
    assert "pets.refused.csv exists already, so the rows that were left out aren't" in capsys.readouterr().out
    (folder / "pets.refused.csv").unlink()
    assert main(command) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert (folder / "pets.refused.csv").read_text() == written
    assert len(_states()) == 1


def test_a_dry_run_creates_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pets.csv").write_text("name\nRex\n")
    assert main(["import", "pets.csv", "--class", "Pet", "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert "1 row can be imported. Nothing was written." in printed.out
    assert f"{folder / 'data'} doesn't exist yet, so the store counts as empty." in printed.err
    assert not (folder / "data").exists()
    (folder / "data").mkdir()
    assert main(["import", "pets.csv", "--class", "Pet", "--dry-run"]) == 0
    assert "1 row can be imported. Nothing was written." in capsys.readouterr().out
    assert _states() == []


@each_row(
    ("arguments", "message"),
    [
        (["--class", "Pte"], '--class: the model has no class "Pte". Did you mean "Pet"?'),
        ([], "name the class of its objects with --class."),
        (["--class", "Pet", "--map", "name"], '--map: "name" has no equals sign'),
        (["--class", "Pet", "--date-format", "qq"], "--date-format: "),
        (["--class", "Pet", "--delimiter", "::"], '--delimiter: "::" is not a single character'),
        (["--class", "Pet", "--decimal", ",", "--thousands", ","], "two different characters"),
        (["--class", "Pet", "--encoding", "x"], 'The encoding "x" does not exist'),
        (["--class", "Pet", "--update-by", "name"], "Pet has no @unique of exactly name"),
    ],
)
def test_a_wrong_option_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "pets.csv").write_text("name\nRex\n")
    assert main(["import", "pets.csv", *arguments]) in {1, 2}
    assert message in capsys.readouterr().err
    assert not (folder / "data").exists()


KILLED = """
import os, signal, sys
from stratabase.cli.main import main
from stratabase.core.store.sqlite.writer import Writer
commit, left = Writer._commit_group, [int(sys.argv[1])]
def stop(writer, group):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    commit(writer, group)
Writer._commit_group = stop
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.soak
def test_an_import_goes_on_after_it_was_killed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = 400
    (folder / "pets.csv").write_text("\n".join(["name", *(f"n{row}" for row in range(rows))]))
    ends = []
    for commits in [9, 12, *range(count(0, 20))]:
        command = [sys.executable, "-c", KILLED, str(commits), "import", "pets.csv", "--class", "Pet"]
        ends.append(subprocess.run(command, check=False, capture_output=True).returncode)
    assert -signal.SIGKILL in ends
    capsys.readouterr()
    assert main(["import", "pets.csv", "--class", "Pet"]) == 0
    assert f"{rows} created" in capsys.readouterr().out
    assert len(_states()) == rows
    assert {f'"name":"n{row}"' for row in range(rows)} == {
        '"name":"' + state.split('"name":"')[1].split('"')[0] + '"' for state in _states()
    }


@each_row(
    ("arguments", "message"),
    [
        (["out.csv"], "name the class of its objects with --class."),
        (["out.csv", "--class", "Pet", "--columns", "nmae"], 'Did you mean "name"?'),
        (["out.csv", "--class", "Pet", "--encoding", "x"], 'The encoding "x" does not exist'),
        (["model.graphql", "--class", "Pet"], "exists already"),
        (["no/out.csv", "--class", "Pet"], "can't be written"),
    ],
)
def test_a_wrong_export_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "pets.csv").write_text("name\nRex\n")
    assert main(["import", "pets.csv", "--class", "Pet"]) == 0
    assert main(["export", *arguments]) in {1, 2}
    assert message in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_a_warning_of_the_model_names_the_option_that_ignores_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = 'type Pet @warning(name: "w", condition: "isNull(tag)", message: "No tag.")'
    (folder / "model.graphql").write_text(MODEL.replace("type Pet", warning))
    (folder / "pets.csv").write_text("name,tag\nRex,\nKit,1\n")
    command = ["import", "pets.csv", "--class", "Pet"]
    assert main(command) == 1
    assert capsys.readouterr().err.splitlines() == [
        "pets.csv, line 2: Warning: No tag.",
        "1 row of 2 can't be imported. Nothing was written.",
        "To write in spite of warnings, use --force-warnings.",
        "To import the other rows, use --skip-invalid.",
    ]
    assert main([*command, "--force-warnings"]) == 0


def test_a_missing_file_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "pets.csv"]) == 1
    assert "pets.csv doesn't exist. Name a folder or a CSV file." in capsys.readouterr().err


def test_rows_that_only_together_break_a_rule_are_not_said_to_be_wrong_by_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.graphql").write_text("""
extend schema @application(name: "Bank")
type Account @unique(attributes: ["name"])
  @warning(name: "w", condition: "balance < 0", message: "Overdrawn.", blocking: true) {
  name: String!
  balance: Int @derived(path: "bookings.amount", aggregate: SUM)
  bookings: [Booking!] @association(opposite: "account")
}
type Booking { amount: Int!  account: Account @association(opposite: "bookings") }
""")
    for name, class_name, text in (
        ("accounts", "Account", "name\nA1\n"),
        ("opening", "Booking", "amount,account.name\n50,A1\n"),
    ):
        (folder / f"{name}.csv").write_text(text)
        assert main(["import", f"{name}.csv", "--class", class_name]) == 0
    (folder / "bookings.csv").write_text("amount,account.name\n-5,A1\n-46,A1\n")
    command = ["import", "bookings.csv", "--class", "Booking"]
    assert main([*command, "--dry-run"]) == 0
    capsys.readouterr()

    assert main(command) == 1

    message = capsys.readouterr().err
    assert "Overdrawn." in message
    assert "It is refused together with what was written since: other rows of the file" in message
    assert main([*command, "--skip-invalid"]) == 0
    assert "1 created" in capsys.readouterr().out
