"""`stratabase members` hands over objects, and adds member IDs to names that an older version wrote."""

from itertools import count
from pathlib import Path

import orjson
import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.write.commands import Create
from stratabase.core.model.member_names import MEMBER_IDS, NOBODY, member_id
from stratabase.core.operations.write.services import save
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Batch, DeleteItem, Item, Patch
from stratabase.core.store.layout import codec, keys
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.member import Member
from stratabase.members.sign_in.callers import CallerFactory
from stratabase.server.process import service
from stratabase.server.process.messages import ReportKind, WorkerReport
from stratabase.terminal import progress
from tests.cli.members_terminal import PASSWORD, Terminal
from tests.repository import ROOT

MODEL = ROOT / "tests/scenarios/models/office.graphql"


class OwnersTerminal(Terminal):
    """A terminal, and the objects of the same store."""

    def __init__(self, home: Path, *rest: object) -> None:
        super().__init__(home, *rest)  # type: ignore[arg-type]
        self.settings = Settings(home=home, model=MODEL)
        self._numbers = count()

    def member(self, username: str) -> str:
        """Create a member, and return the id."""
        value = (username, f"{username}{next(self._numbers)}@example.com", "Member", "--ask-password")
        return self.done("create", *value, typed=f"{PASSWORD}\n").rsplit(" ", 1)[1].rstrip(".\n")

    def create(self, username: str, *codes: str) -> None:
        """Create projects on behalf of a member."""
        instance = App(self.settings)
        member = instance.part(AuthServices).members.by_username(username)
        assert isinstance(member, Member)
        caller = CallerFactory(instance.model.profiles)(member)
        for code in codes:
            save(instance.services, Create("Project", {"code": code}), caller)
        instance.close()

    def owners(self) -> dict[str, tuple[object, str | None]]:
        """Return the owner of each project, by name and id."""
        instance = App(self.settings)
        states = [codec.raw_state(item) for item in _listed(instance)]
        instance.close()
        return {str(state["code"]): (state["_ownedby"], member_id(state, "_ownedby")) for state in states}

    def forget(self, *, marks: bool = True) -> None:
        """Remove the member ids from objects, as if an older version had written them."""
        instance = App(self.settings)
        for item in _listed(instance):
            state = orjson.loads(item.state or "")
            del state[MEMBER_IDS]
            patch = Patch(item.key, state=orjson.dumps(state).decode())
            instance.engine.commit(Batch(f"forget{item.key}", (patch,)))
        if marks:
            instance.engine.commit(Batch("forget", (DeleteItem(keys.MEMBER_ID_BACKFILL),)))
        instance.close()


def _listed(instance: App) -> list[Item]:
    return [
        item
        for page in instance.engine.range(keys.LISTING, keys.listing_partition("Project"))
        for item in instance.engine.get([each.key for each in page])
        if item is not None
    ]


@pytest.fixture
def terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> OwnersTerminal:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STRATABASE_MODEL", str(MODEL))
    for name in ("STRATABASE_BASE_URL", "STRATABASE_STORE", "STRATABASE_CREATE_TABLES"):
        monkeypatch.delenv(name, raising=False)
    return OwnersTerminal(tmp_path / "home", capsys, monkeypatch)


def test_objects_are_handed_over_by_name(terminal: OwnersTerminal) -> None:
    rosa, otto = terminal.member("rosa"), terminal.member("otto")
    terminal.create("rosa", "a", "b")
    terminal.create("otto", "c")
    assert terminal.done("hand-over", "ROSA", "otto") == 'Transferred 2 objects from "ROSA" to "otto".\n'
    assert terminal.owners() == dict.fromkeys("abc", ("otto", otto))
    assert terminal.done("hand-over", otto, "rosa", "--class", "Project").startswith("Transferred 3 objects")
    assert terminal.owners() == dict.fromkeys("abc", ("rosa", rosa))
    assert terminal.done("hand-over", "otto", "rosa", "--class", "Note").startswith("Transferred 0 objects")


def test_objects_of_a_deleted_member_are_handed_over_by_name_or_id(terminal: OwnersTerminal) -> None:
    first, otto = terminal.member("rosa"), terminal.member("otto")
    terminal.create("rosa", "a")
    terminal.done("delete", "rosa")
    second = terminal.member("rosa")
    terminal.create("rosa", "b")

    assert (
        terminal.done("hand-over", "rosa", "otto", "--former")
        == 'Transferred 1 object from "rosa" to "otto".\n'
    )
    assert terminal.owners() == {"a": ("otto", otto), "b": ("rosa", second)}
    terminal.create("rosa", "c")
    terminal.done("delete", "rosa")
    assert terminal.done("hand-over", second, "otto").startswith("Transferred 2 objects")
    assert "No member and no owner of an object has the ID" in terminal.refused("hand-over", first, "otto")
    none = terminal.done("hand-over", "nobody", "otto")
    assert none.startswith("Transferred 0 objects")
    assert 'Member "nobody" does not exist.' in none


def test_an_invalid_handover_is_refused(terminal: OwnersTerminal) -> None:
    terminal.member("rosa")
    terminal.member("otto")
    assert 'Member "nobody" does not exist' in terminal.refused("hand-over", "rosa", "nobody")
    assert "is the current owner of the objects" in terminal.refused("hand-over", "rosa", "rosa")
    assert "Use Project or Note." in terminal.refused("hand-over", "rosa", "otto", "--class", "Task")


def test_names_written_by_an_older_version_get_ids_once(terminal: OwnersTerminal) -> None:
    rosa = terminal.member("rosa")
    terminal.member("otto")
    terminal.create("rosa", "a")
    terminal.create("otto", "b")
    terminal.done("delete", "otto")
    terminal.member("otto")
    terminal.forget()

    assert terminal.done("resolve-owners").splitlines() == [
        "Project: replaced 3 usernames with member IDs.",
        "Project: kept 3 usernames because the member is newer than the object.",
    ]
    assert terminal.owners() == {"a": ("rosa", rosa), "b": ("otto", NOBODY)}
    assert terminal.done("resolve-owners").startswith("All owners in objects already have")


def test_names_that_an_older_version_writes_later_get_ids_on_the_next_scan(
    terminal: OwnersTerminal,
) -> None:
    rosa = terminal.member("rosa")
    terminal.create("rosa", "a")
    terminal.done("resolve-owners")
    terminal.forget(marks=False)
    assert terminal.done("resolve-owners").startswith("All owners")
    assert terminal.done("resolve-owners", "--again").startswith("Project: replaced 3 usernames")
    assert terminal.owners() == {"a": ("rosa", rosa)}


def test_an_import_into_a_store_that_has_served_adds_ids_to_names(
    terminal: OwnersTerminal,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rosa = terminal.member("rosa")
    terminal.create("rosa", "a")
    terminal.forget()
    assert main(["export", str(tmp_path / "export"), "--members"]) == 0
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "other"))
    other = OwnersTerminal(tmp_path / "other", capsys, monkeypatch)
    instance = App(other.settings)
    assert service._resolve_owners(instance, list[WorkerReport]().append) == ()
    instance.close()

    assert main(["import", str(tmp_path / "export")]) == 0

    assert "Project: replaced 3 usernames with member IDs.\n" in capsys.readouterr().out
    assert other.owners() == {"a": ("rosa", rosa)}


def test_a_start_reports_progress_of_the_names(
    terminal: OwnersTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    terminal.member("rosa")
    terminal.create("rosa", "a", "b")
    terminal.forget()
    instance, result = App(terminal.settings), list[WorkerReport]()
    left = service._resolve_owners(instance, result.append)
    assert left == ("Project: replaced 6 usernames with member IDs.",)
    assert {report.kind for report in result} == {ReportKind.PROGRESS}
    assert [line for report in result for line in report.lines] == [
        "Resolving the owners of Project: 2 objects to check before Stratabase serves the model.",
        "Resolving the owners of Project: 100% (2 of 2 objects)",
    ]
    result.clear()
    assert service._resolve_owners(instance, result.append) == ()
    assert not result
    instance.close()
