"""The command `stratabase` finds its subcommands, and reports invalid arguments."""

from pathlib import Path

import pytest

from stratabase import MODEL_LANGUAGE, __version__
from stratabase.cli.main import COMMANDS, main
from stratabase.core.domain.store_mark import KNOWN_LAYOUTS
from tests.rows import each_row


@each_row("arguments", [[], ["nothing"], ["model"], ["model", "nothing"], ["serve", "--what"]])
def test_invalid_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)

    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("usage: stratabase")


def refusal(arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error of a command, without the usage, of which only the command stays."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments.split())
    assert stopped.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@each_row(
    ("arguments", "prog", "hint"),
    [
        ("inti my-app", "stratabase", "Did you mean init?"),
        ("model chek", "stratabase model", "Did you mean check?"),
        ("members lst", "stratabase members", "Did you mean list?"),
        ("help inti", "stratabase", "Did you mean init?"),
        ("init --asw my-app", "stratabase init", "unrecognized arguments: --asw. Did you mean --aws?"),
        ("model diff --jsn=1", "stratabase model diff", "Did you mean --json?"),
        ("serve -x", "stratabase serve", "unrecognized arguments: -x"),
        ("serve --port 9000", "stratabase serve", "This is a setting: set the environment variable PORT."),
        ("serve --store=dynamodb", "stratabase serve", "the environment variable STRATABASE_STORE."),
    ],
)
def test_a_wrong_argument_says_what_was_probably_meant(
    arguments: str, prog: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refusal(arguments, capsys)
    assert error.startswith(f"{prog}: error: ")
    assert error.endswith(hint)


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, usage in (("help", "stratabase "), ("help members create", "stratabase members create ")):
        with pytest.raises(SystemExit) as stopped:
            main(arguments.split())
        assert stopped.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: {usage}")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])

    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in (*COMMANDS, "--version"))


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])

    product, language, layout = capsys.readouterr().out.splitlines()
    assert product == f"stratabase {__version__}"
    assert language == f"model language {MODEL_LANGUAGE}"
    newest = {kind.value: known.newest for kind, known in KNOWN_LAYOUTS.items()}
    assert layout == f"store layout: {', '.join(f'{kind} {number}' for kind, number in newest.items())}"


@each_row("command", COMMANDS)
def test_each_command_describes_its_arguments(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])

    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: stratabase {command} ")


@pytest.mark.parametrize(
    ("command", "exit_code"),
    [
        ("model diff", 2),
        ("model diff --previous", 2),
        ("model diff model.graphql", 2),
        ("model diff model.graphql model.graphql --data", 2),
        ("model check --data", 1),
        ("model drop Pet.nickname --yes", 1),
        ("model convert --yes", 1),
        ("reindex", 1),
        ("keys list", 1),
        ("keys rotate", 1),
        ("members list", 1),
        ("members resolve-owners", 1),
        ("members delete rosa", 1),
        ("store show", 1),
        ("store adopt --yes", 1),
        ("store upgrade --yes", 1),
        ("store jobs", 1),
        ("files check", 1),
    ],
)
def test_commands_that_read_stored_objects_do_not_create_a_store(
    command: str,
    exit_code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "model.graphql").write_text('extend schema @application(name: "A") type Pet { name: String }')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("STRATABASE_MODEL", "model.graphql")
    assert main(command.split()) == exit_code
    error = capsys.readouterr().err
    assert f"The data folder {tmp_path / 'nowhere'} doesn't exist." in error or "The store knows no" in error
    assert [each.name for each in tmp_path.iterdir()] == ["model.graphql"]

    (tmp_path / "nowhere").mkdir()
    assert main(command.split()) == exit_code
    assert not list((tmp_path / "nowhere").iterdir())


def test_a_package_in_the_wrong_version_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: str) -> None:
        raise ImportError("cannot import name 'validate_input_value'", name="graphql.utilities")

    monkeypatch.setattr("stratabase.cli.main.import_module", fail)
    with pytest.raises(ImportError):  # the version is right, so something else is wrong
        main(["keys"])

    monkeypatch.setattr("stratabase.terminal.wrong_package.version", lambda _: "3.2.14")
    assert main(["keys"]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("Stratabase needs graphql-core ")
    assert "but this environment has 3.2.14. Install Stratabase in an environment of its own" in printed
