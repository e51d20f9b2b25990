"""Runs `stratabase members`, and reads its output and mails."""

import io
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from stratabase.cli.main import main

PASSWORD = "correct horse battery"


class Terminal:
    """Runs commands in its own data folder."""

    def __init__(
        self, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.home = home
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str, typed: str = "") -> tuple[int, str, str]:
        """Run a command, and return the exit code, the output and the error output."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main(["members", *arguments])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def done(self, *arguments: str, typed: str = "") -> str:
        """Return the output of a successful command."""
        code, out, _ = self.run(*arguments, typed=typed)
        assert code == 0
        return out

    def refused(self, *arguments: str, typed: str = "") -> str:
        """Return the error output of a refused command."""
        code, out, err = self.run(*arguments, typed=typed)
        assert (code, out) == (1, "")
        return err

    def mails(self) -> list[str]:
        """Return the recipients of the mails in the outbox."""
        files = sorted((self.home / "outbox").glob("*.eml"))
        return [str(message_from_bytes(file.read_bytes(), policy=policy.SMTP)["To"]) for file in files]
