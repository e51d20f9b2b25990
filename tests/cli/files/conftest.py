"""Fixtures for tests of `stratabase files`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.terminal.progress import TransferBar
from tests.cli.files.instances import MODEL, Files, base_url
from tests.service import PASSWORD, RunningService, running


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A running instance, which tests may kill if they start it again."""
    folder = tmp_path_factory.mktemp("instance")
    (folder / "model.graphql").write_text(MODEL)
    with running(folder / "home", model=folder / "model.graphql") as started:
        yield started


@pytest.fixture(scope="package")
def reader(service: RunningService, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The username of a member without access to photos, with the password of `admin`."""
    typed = tmp_path_factory.mktemp("typed") / "password"
    typed.write_text(f"{PASSWORD}\n")
    with pytest.MonkeyPatch.context() as patch, typed.open() as stream:
        patch.setenv("STRATABASE_HOME", str(service.home))
        patch.setenv("STRATABASE_MODEL", str(service.home.parent / "model.graphql"))
        patch.setattr("sys.stdin", stream)
        command = ["members", "create", "reader", "reader@example.com", "Member", "--ask-password"]
        assert main(command) == 0
    return "reader"


@pytest.fixture
def files(
    service: RunningService,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Files:
    (tmp_path / "work").mkdir()
    return Files(tmp_path / "work", base_url(service), capsys, monkeypatch)


class Progress:
    """Records the progress of transfers, and calls `then` when some bytes are transferred."""

    def __init__(self) -> None:
        self.shown: list[int] = []
        self.then: tuple[int, Callable[[], object]] | None = None
        """How many bytes, and what to call then, once."""

    def show(self, done: int) -> None:
        self.shown.append(done)
        if self.then is not None and done >= self.then[0]:
            action, self.then = self.then[1], None
            action()


@pytest.fixture
def progress(monkeypatch: pytest.MonkeyPatch) -> Progress:
    recorded = Progress()
    monkeypatch.setattr(TransferBar, "show", lambda _bar, done: recorded.show(done))
    return recorded
