"""Errors are reported as a person can use them, and lines reach the terminal that is there."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from stratabase.core.model.reading.draft.errors import InvalidModel, ModelError
from stratabase.server.process.console import Console, explain_error
from stratabase.server.process.messages import ReportKind, WorkerReport
from stratabase.terminal.command_error import CommandError


def test_each_model_error_has_its_own_line() -> None:
    errors = [ModelError("model", line, 1, message) for line, message in ((1, "one"), (2, "two"))]
    assert explain_error(InvalidModel(errors)) == ("model:1:1: one", "model:2:1: two")


def test_normal_messages_leave_standard_output_to_the_access_log(capsys: pytest.CaptureFixture[str]) -> None:
    report = WorkerReport(ReportKind.READY, ("Stratabase serves.",), ("A password",), ("To do",))
    Console().show(report)
    assert capsys.readouterr().out == "A password\n\nStratabase serves.\nTo do\n"
    Console(only_errors=True).show(report)
    assert capsys.readouterr() == ("", "A password\n\nStratabase serves.\nTo do\n")


PRINTS_AFTER_THE_TERMINAL_HAS_CLOSED = """
import os, sys
from stratabase.server.process.console import Console
sys.stdin.readline()
Console().say("lost")
Console().warn("lost, too")
os.write(int(sys.argv[1]), b"done")
"""


def test_a_terminal_that_has_closed_is_no_error() -> None:
    ours, theirs = pty.openpty()
    reader, writer = os.pipe()
    code = [sys.executable, "-c", PRINTS_AFTER_THE_TERMINAL_HAS_CLOSED, str(writer)]
    process = subprocess.Popen(
        code, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, pass_fds=[writer], start_new_session=True
    )
    for file in (writer, theirs, ours):
        os.close(file)
    process.communicate(b"\n")
    assert process.returncode == 0
    assert os.read(reader, 10) == b"done"
    os.close(reader)


def test_after_the_reader_of_one_stream_has_gone_the_other_one_goes_on(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        console = Console()
        console.say("lost")
        console.say("lost, too")
        console.warn("seen")
    assert capfd.readouterr().err == "seen\n"


def test_lines_for_a_full_disk_are_lost_and_the_service_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", buffering=1) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        Console().say("lost")
        monkeypatch.undo()
        with suppress(OSError):
            stream.close()  # it tries again to write the line


def test_a_command_error_is_shown_as_it_is() -> None:
    assert explain_error(CommandError("do this instead")) == ("do this instead",)


def test_other_errors_are_reported_with_their_lines_of_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "broken_module.py"
    file.write_text("def broken():\n    return 1 / 0\n\nbroken()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        import_module("broken_module")
    except ZeroDivisionError as error:
        lines = explain_error(error)

    text = "\n".join(lines)
    assert text.endswith("ZeroDivisionError: division by zero")
    assert f'File "{file}", line 4' in text
    assert f'File "{file}", line 2, in broken' in text
    assert "frozen importlib" not in text
