"""Commands in forked processes behave like those that a user starts."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from stratabase import __version__
from tests.cli.terminal import surroundings
from tests.forked_commands import IS_SUPPORTED, start_command
from tests.service import DEADLINE, running

pytestmark = pytest.mark.skipif(not IS_SUPPORTED, reason="needs sockets that only Linux has")


def run(folder: Path, *arguments: str, typed: str = "", **environment: str) -> tuple[int, str]:
    """Return the exit code and the output of a command."""
    with (folder / "output").open("w+") as output:
        code = start_command(arguments, {**surroundings(), **environment}, output, typed).wait(DEADLINE)
        output.seek(0)
        return code, output.read()


def test_a_command_has_its_arguments_its_output_and_its_exit_code(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--version")
    assert (code, output.splitlines()[0]) == (0, f"stratabase {__version__}")
    code, output = run(tmp_path, "nothing")
    assert code == 2
    assert "invalid choice" in output


def test_a_command_has_its_environment_and_its_input(tmp_path: Path) -> None:
    settings = {"STRATABASE_HOME": str(tmp_path / "home"), "STRATABASE_ADMIN_PASSWORD": "correct horse"}
    create = ("members", "create", "ann", "ann@example.com", "Administrator", "--ask-password")
    assert run(tmp_path, *create, typed="correct horse battery\n", **settings)[0] == 0
    code, output = run(tmp_path, "members", "list", **settings)
    assert code == 0
    assert "ann@example.com" in output


@pytest.mark.local
def test_a_service_can_be_killed_and_has_ids_of_its_own(tmp_path: Path) -> None:
    with running(tmp_path / "one") as one, running(tmp_path / "two") as two:
        assert isinstance(one.pid, int)
        ids = {each.request("GET", "/public/health").headers["x-amzn-requestid"][:24] for each in (one, two)}
        assert len(ids) == 2
        first = one.pid
        one.kill()
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)
        assert one.start().pid != first


def test_the_end_of_a_command_is_awaited_and_known(tmp_path: Path) -> None:
    settings = {"PORT": "0", "STRATABASE_HOME": str(tmp_path / "home")}
    with (tmp_path / "output").open("w") as output:
        command = start_command(["serve", "--no-reload"], {**surroundings(), **settings}, output)
        assert command.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            command.wait(0.01)
        command.send_signal(signal.SIGKILL)
        assert command.wait(DEADLINE) == command.poll() == -signal.SIGKILL
        command.send_signal(signal.SIGKILL)  # which nothing gets any more
