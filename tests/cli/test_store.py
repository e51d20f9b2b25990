"""`stratabase store` shows the marks of the stores, and adopts restored ones."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.domain.store_mark import StoreKind, StoreMark
from stratabase.core.jobs.job import NEVER
from stratabase.core.settings import Settings
from stratabase.core.store.layout import file_entries
from tests import ministack
from tests.contract.engine.engine_calls import commit

Run = Callable[..., tuple[int, str]]
_numbers = count(1)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command, and return its exit code and all of its output."""

    def ran(*arguments: str) -> tuple[int, str]:
        code = main(["store", *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return ran


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of an instance over the emulator, which has started once."""
    number = next(_numbers)
    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "STRATABASE_HOME": str(tmp_path),
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
        "STRATABASE_TABLE": f"cli-{number}",
        "STRATABASE_MEMBERS_TABLE": f"cli-members-{number}",
        "STRATABASE_BUCKET": f"cli-{number}",
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_INSTANCE": "prod",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings.from_environment(environment)
    start(settings)
    return settings


def start(settings: Settings) -> None:
    with closing(App(settings)) as instance:
        instance.mark_stores()


def mark(settings: Settings, kind: StoreKind = StoreKind.OBJECTS) -> StoreMark | None:
    with open_marked_stores(settings, [kind]) as (marked,):
        return marked.store.read_mark()


def copy_mark(settings: Settings, table: str) -> Settings:
    """Make a table that is a copy of that of the settings, as a restore does. Return its settings."""
    copied, original = replace(settings, table=table), mark(settings)
    assert original is not None
    with open_marked_stores(copied, [StoreKind.OBJECTS]) as (marked,):
        assert marked.store.write_mark(original, None)
    return copied


def test_show_prints_the_marks(settings: Settings, run: Run) -> None:
    code, printed = run("show")
    assert code == 0
    assert f"objects {settings.table}:\n  instance prod\n  layout 1 (this version knows 1 to 1)\n" in printed
    assert "  least reader: layout 1, least writer: layout 1\n" in printed
    assert f"members {settings.members_table}:" in printed
    assert f"files {settings.bucket}:" in printed


def test_show_of_new_stores_creates_no_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path))
    monkeypatch.delenv("STRATABASE_STORE", raising=False)
    (tmp_path / "objects.db").touch()
    for _ in range(2):
        code, printed = run("show")
        assert code == 0
        assert "objects: no mark. The next start of the service adds it." in printed


def test_show_fails_if_the_service_would_not_start(
    settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = copy_mark(settings, f"{settings.table}-restored")
    monkeypatch.setenv("STRATABASE_TABLE", copied.table)
    code, printed = run("show")
    assert code == 1
    assert f"a copy of {settings.table}" in printed
    assert "run `stratabase store adopt` to use the copy." in printed


def test_adopt_asks_and_changes_nothing_without_an_answer(
    settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = copy_mark(settings, f"{settings.table}-restored")
    monkeypatch.setenv("STRATABASE_TABLE", copied.table)
    code, printed = run("adopt")
    assert code == 2
    assert "To begin without a question, add --yes." in printed
    assert mark(copied) == mark(settings)


def test_a_restored_table_is_adopted_and_the_original_is_retired(
    settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = copy_mark(settings, f"{settings.table}-restored")
    monkeypatch.setenv("STRATABASE_TABLE", copied.table)

    code, printed = run("adopt", "--retire", "--yes")

    assert code == 0, printed
    assert f"is a copy of '{settings.table}', and will count as a store of its own" in printed
    assert f"{settings.table} is marked as replaced by {copied.table}." in printed
    start(copied)
    found = mark(settings)
    assert found is not None
    assert found.replaced_by == copied.table
    assert run("adopt") == (0, "All stores belong to this instance already.\n")
    # Going back to the original is an adoption too.
    monkeypatch.setenv("STRATABASE_TABLE", settings.table)
    code, printed = run("adopt", "--yes")
    assert code == 0
    assert f"was replaced by '{copied.table}', and will be in use again" in printed
    start(settings)


def test_stores_are_given_to_another_instance(
    settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATABASE_INSTANCE", "staging")
    code, printed = run("adopt", "--only", "members", "--yes")
    assert code == 0
    assert "belongs to the instance prod, and will belong to staging" in printed
    owners = [(found := mark(settings, kind)) and found.instance for kind in StoreKind]
    assert owners == ["prod", "staging", "prod"]


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of an instance in a folder, which has started once."""
    model = tmp_path / "model.graphql"
    model.write_text(
        'extend schema @application(name: "A") @profile(name: "B", administrator: true)\ntype C { d: Int }'
    )
    environment = {"STRATABASE_HOME": str(tmp_path), "STRATABASE_MODEL": str(model)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings.from_environment(environment)
    start(settings)
    return settings


def test_jobs_lists_what_is_set_aside_and_makes_it_due_again(local: Settings, run: Run) -> None:
    assert run("jobs") == (0, "No job is set aside.\n")
    with closing(App(local)) as instance:
        commit(instance.engine, *map(file_entries.release, ("one", "two", "three")))
        released = instance.files.ledger.released
        for job in list(released.due(1)):
            if job.key != "three":
                present = released.read(job.key)
                assert present is not None
                released.move(present, NEVER, 11)

    code, printed = run("jobs")
    assert code == 0
    assert printed.splitlines()[0] == "Set aside after too many failures (2 jobs):"
    assert sorted(printed.splitlines()[1:3]) == ["files: one", "files: two"]
    code, printed = run("jobs", "--retry")
    assert printed.splitlines()[-1] == "2 jobs will run again within 5 minutes."

    assert run("jobs") == (0, "No job is set aside.\n")
    with closing(App(local)) as instance:
        due = {job.key for job in instance.files.ledger.released.due(instance.clock.now())}
    assert due == {"one", "two", "three"}
