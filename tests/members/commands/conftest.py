"""A terminal in which `stratabase members` runs."""

from pathlib import Path

import pytest

from tests.cli.members_terminal import PASSWORD, Terminal
from tests.repository import ROOT


@pytest.fixture
def terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STRATABASE_MODEL", str(ROOT / "layers/model/model.graphql"))
    for name in ("STRATABASE_BASE_URL", "STRATABASE_STORE", "STRATABASE_CREATE_TABLES"):
        monkeypatch.delenv(name, raising=False)
    return Terminal(tmp_path / "home", capsys, monkeypatch)


@pytest.fixture
def ada(terminal: Terminal) -> Terminal:
    """A terminal with Ada as the only administrator."""
    terminal.done(
        "create", "ada", "ada@example.com", "Administrator", "--ask-password", typed=f"{PASSWORD}\n"
    )
    return terminal
