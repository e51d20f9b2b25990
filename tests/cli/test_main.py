"""The command `stratabase` finds its subcommands, and reports invalid arguments."""

import pytest

from stratabase.cli.main import COMMANDS, main


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["model"], ["model", "nothing"], ["serve", "--what"]])
def test_invalid_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)

    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("usage: stratabase")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])

    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in (*COMMANDS, "--version"))


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])

    assert capsys.readouterr().out.startswith("stratabase 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_describes_its_arguments(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])

    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: stratabase {command} ")
