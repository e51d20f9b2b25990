"""The metrics server sums what the workers count, also while one of them creates its files."""

import urllib.request
from pathlib import Path

import pytest

from stratabase.server.process.metrics import MetricsServer
from stratabase.terminal.command_error import CommandError
from tests.rows import each_row


def test_a_file_that_is_not_complete_yet_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with MetricsServer(("127.0.0.1", 0), lambda: 3) as server:
        file = server.folder / "counter_0.db"
        file.touch()
        pauses: list[float] = []

        def complete(seconds: float) -> None:
            pauses.append(seconds)
            file.write_bytes(bytes(1024))

        monkeypatch.setattr("stratabase.server.process.metrics.time.sleep", complete)
        with urllib.request.urlopen(server.url) as response:
            assert b"stratabase_workers 3.0" in response.read()
        assert len(pauses) == 1


def test_the_files_are_deleted_at_the_end() -> None:
    with MetricsServer(("127.0.0.1", 0), lambda: 0) as server:
        folder = server.folder
        assert folder.stat().st_mode & 0o077 == 0
    assert not Path(folder).exists()


@each_row("host", ["a..b", "name.invalid"])
def test_a_host_that_does_not_exist_is_named(host: str) -> None:
    with (
        pytest.raises(CommandError, match=f"--metrics: {host}:9464 cannot be used"),
        MetricsServer((host, 9464), lambda: 0),
    ):
        pass
