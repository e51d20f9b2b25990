"""Every command ends with a line that says what is wrong and what to do, never with a traceback."""

import errno
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import StoreFull, Unavailable
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Batch
from stratabase.terminal.command_error import as_command_error
from stratabase.transfer.store_state import ImportProgress
from stratabase.values.messages import Message
from stratabase_aws.dynamodb.client import Rejected, Unreached
from tests.forked_commands import run_command
from tests.rows import each_row

MODEL = 'extend schema @application(name: "Shop")\ntype Pet { name: String! }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store has no objects yet."""
    (tmp_path / "model.graphql").write_text(MODEL)
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text("name\nRex\n")
    assert main(["import", "pets.csv", "--class", "Pet"]) == 0
    return tmp_path


def _raising(error: BaseException) -> Callable[..., object]:
    def run(*_: object, **__: object) -> object:
        raise error

    return run


@pytest.mark.parametrize(
    "command",
    [
        "export all",
        "export all.csv --class Pet",
        "import pets.csv --class Pet",
        "backup copy",
        "copy moving STRATABASE_HOME=other",
    ],
)
def test_an_interrupted_command_says_how_to_go_on(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    capsys.readouterr()
    monkeypatch.setattr(App, "engine", property(_raising(KeyboardInterrupt())))
    assert main(command.split()) == 130
    assert capsys.readouterr().err == "Interrupted. To go on, run the same command again.\n"
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("STRATABASE_MODEL", str(folder / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(folder / "data"))
    assert main(command.split()) == 0


def test_an_interrupted_command_that_does_not_go_on_says_only_that(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(App, "part", _raising(KeyboardInterrupt()))
    assert main(["members", "list"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.EACCES, "Permission denied. Run the command as the user who owns the file or folder"),
        (errno.EROFS, "Read-only file system. Use a folder that you can write to."),
        (errno.ENOSPC, "No space left on device. Make room, and try again."),
    ],
)
def test_an_error_of_the_disk_names_the_file_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, code: int, advice: str
) -> None:
    error = OSError(code, os.strerror(code), "/srv/data/objects.db")
    monkeypatch.setattr(App, "part", _raising(error))
    assert main(["members", "list"]) == 1
    assert f"/srv/data/objects.db: {advice}" in capsys.readouterr().err


def test_an_error_that_nobody_expects_keeps_its_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert as_command_error(ValueError("a bug")) is None
    monkeypatch.setattr(App, "part", _raising(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        main(["members", "list"])


def test_a_full_store_is_named_for_the_operator_only() -> None:
    error = StoreFull("/srv/data/objects.db")
    assert (
        str(as_command_error(error))
        == "/srv/data/objects.db: database or disk is full. Make room, and try again."
    )
    assert "/srv" not in str(error.message)


def test_a_wrong_sender_of_mail_is_one_line_of_serve(folder: Path) -> None:
    settings = {"PORT": "0", "STRATABASE_MAIL_FROM": "nobody"}
    code, printed = run_command(["serve", "--no-reload"], {**os.environ, **settings})
    assert code == 1
    assert printed == (
        'STRATABASE_MAIL_FROM: "nobody" is not valid. Use the address of a sender, such as Hr '
        "<no-reply@example.com>.\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "export all",
        "export all.csv --class Pet",
        "backup all",
        "copy all STRATABASE_HOME=other",
    ],
)
def test_a_store_with_a_part_of_an_export_is_not_copied(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(home=folder / "data", model=folder / "model.graphql")
    with closing(App(settings)) as instance:
        instance.engine.commit(Batch("c", (ImportProgress("digest", "Pet", "p1").put(),)))
    assert main(command.split()) == 1
    assert "An import into this store was interrupted" in capsys.readouterr().err
    assert not (folder / "all.csv").exists()
    assert not (folder / "all" / "manifest.json").exists()


@each_row(
    ("cause", "text"),
    [
        (Rejected("NoCredentialsError", 0, "no keys"), "The AWS credentials are missing. Set AWS_PROFILE, "),
        (
            Rejected("UnrecognizedClientException", 400, "bad"),
            "AWS refuses the credentials. Check AWS_PROFILE, ",
        ),
        (Rejected("AccessDeniedException", 400, "no"), "The AWS credentials don't allow this. "),
        (Rejected("ResourceNotFoundException", 400, "no"), "The table doesn't exist. Check the names of the"),
        (Unreached("refused"), "DynamoDB doesn't respond. Check AWS_REGION, STRATABASE_ENDPOINT and the"),
    ],
)
def test_what_aws_lacks_is_named_for_the_operator_only(cause: Exception, text: str) -> None:
    error = Unavailable(Message("The store is temporarily unavailable. Try again later."))
    error.__cause__ = cause
    explained = as_command_error(error)
    assert explained is not None
    assert str(explained).startswith(text)
    assert str(explained).endswith(")")
    assert "AWS" not in str(error)
    # A command that opens the table itself gets the cause as it is.
    assert str(as_command_error(cause)) == str(explained)


@each_row(
    ("command", "creates"),
    [
        (["serve", "--no-reload"], "on"),
        (["serve", "--no-reload"], "off"),
        (["reindex"], "off"),
        (["members", "list"], "off"),
    ],
)
def test_a_command_without_aws_says_what_is_missing(folder: Path, command: list[str], creates: str) -> None:
    missing = {"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
    settings = {
        "PORT": "0",
        "HOME": str(folder),
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_CREATE_TABLES": creates,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    others = {name: value for name, value in os.environ.items() if name not in missing}
    code, printed = run_command(command, {**others, **settings})
    assert code == 1
    assert printed.startswith("The AWS credentials are missing. ")
    assert "For an emulator, set STRATABASE_ENDPOINT, AWS_ACCESS_KEY_ID=local and AWS_SECRET" in printed
    assert printed.count("\n") == 1
