"""`stratabase serve`: the output from the first start to the shutdown."""

import base64
import json
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from stratabase.cli.main import main
from tests.cli.terminal import DEADLINE, Project, Terminal, run, serving
from tests.repository import ROOT
from tests.service import RunningService, eventually


def test_the_first_start_creates_an_administrator_and_prints_an_example(
    terminal: Terminal, project: Project
) -> None:
    """The random password is printed once, and the data folder is for this user alone."""
    terminal.wait_for("Created the member admin")
    password = terminal.wait_for(r"^  \S+$").strip()
    terminal.started()

    assert f"-u admin:{password} " in "\n".join(terminal.printed)
    assert stat.S_IMODE(project.home.stat().st_mode) == 0o700

    assert terminal.end() == 0
    again = Terminal(project, "serve").started()
    assert again.end() == 0
    assert not any("Created the member" in line or password in line for line in again.printed)


SAMPLE = {"STRATABASE_MODEL": str(ROOT / "layers/model/model.graphql")}
GIVEN = "correct horse battery staple"
ALONE = "--no-reload"
"""Starts faster, and prints the same."""


def _tried(terminal: Terminal, password: str) -> tuple[int, list[str]]:
    """Send the request of the curl command that the start prints.

    Return the status and the field names of the response. `password` is used if the command has none.
    """
    start = next(n for n, line in enumerate(terminal.printed) if "curl -" in line or "curl http" in line)
    words = shlex.split(" ".join(line.rstrip("\\") for line in terminal.printed[start : start + 3]))
    options = {name: words[words.index(name) + 1] for name in ("-u", "-H", "-d") if name in words}
    headers = dict([options["-H"].split(": ")])
    if "-u" in options:
        credentials = options["-u"] if ":" in options["-u"] else f"{options['-u']}:{password}"
        headers["Authorization"] = "Basic " + base64.b64encode(credentials.encode()).decode()
    address = next(word for word in words if word.startswith("http://"))
    connection = terminal.connection()
    body = options["-d"].replace("YOUR PASSWORD", password)
    connection.request("POST", "/" + address.split("/", 3)[3], body, headers)
    response = connection.getresponse()
    tried = response.status, list(json.loads(response.read()))
    connection.close()
    return tried


@pytest.mark.parametrize("value", [None, GIVEN], ids=["made up", "given"])
def test_the_printed_example_works(tmp_path: Path, value: str | None) -> None:
    """It uses the sample model, at the first start and at the second."""
    project = Project(tmp_path)
    environment = SAMPLE | ({"STRATABASE_ADMIN_PASSWORD": value} if value else {})
    for terminal in serving(project, ALONE, **environment):
        password = value or terminal.wait_for(r"^  \S+$").strip()
        terminal.started()
        assert _tried(terminal, password) == (200, ["data"])
        assert any("curl asks for the password of admin" in line for line in terminal.printed) is bool(value)
    for terminal in serving(project, ALONE, **environment):
        terminal.started()
        assert _tried(terminal, password) == (200, ["data"])


def test_the_printed_example_works_without_basic(tmp_path: Path) -> None:
    """Without HTTP Basic, the example gets a token."""
    environment = SAMPLE | {"STRATABASE_ADMIN_PASSWORD": GIVEN, "STRATABASE_BASIC": "off"}
    for terminal in serving(Project(tmp_path), ALONE, **environment):
        terminal.started()
        assert _tried(terminal, GIVEN) == (200, ["access_token", "token_type", "expires_in"])


def test_a_wrong_password_in_the_settings_is_reported(tmp_path: Path) -> None:
    """A later start cannot set the password: it says so, and what to do, and the line to try still works."""
    project = Project(tmp_path)
    for terminal in serving(project, ALONE, **SAMPLE):
        password = terminal.wait_for(r"^  \S+$").strip()
        terminal.started()
    for terminal in serving(project, ALONE, **SAMPLE, STRATABASE_ADMIN_PASSWORD=GIVEN):
        terminal.started()
        result = terminal.printed[terminal.printed.index(NOT_THEIRS) :]
        (command,) = [line for line in result if line.endswith("members set-password admin")]
        words = shlex.split(command)
        assert f"STRATABASE_MODEL={SAMPLE['STRATABASE_MODEL']}" in words
        assert shutil.which(next(word for word in words if "=" not in word)), "it can be run as it is printed"
        assert not any(GIVEN in line for line in terminal.printed)
        assert _tried(terminal, GIVEN)[0] == 401
        assert _tried(terminal, password) == (200, ["data"])
    for terminal in serving(project, ALONE, **SAMPLE, STRATABASE_ADMIN_PASSWORD=password):
        terminal.started()
        assert NOT_THEIRS not in terminal.printed


NOT_THEIRS = "STRATABASE_ADMIN_PASSWORD has no effect: admin has a different password."


def test_a_given_password_is_not_printed(project: Project) -> None:
    for terminal in serving(project, ALONE, STRATABASE_ADMIN_PASSWORD=GIVEN):
        terminal.started()
        assert not any("correct horse" in line or "only once" in line for line in terminal.printed)
        assert any("curl -u admin http://" in line for line in terminal.printed)


@pytest.mark.parametrize("arguments", [(), ("--no-reload",)], ids=["supervised", "alone"])
def test_a_broken_model_stops_the_first_start(project: Project, arguments: tuple[str]) -> None:
    project.edit(project.model, "name: String!", "name: Strin!  age: Integr")

    code, printed = run(project, "serve", *arguments)

    assert code == 1
    assert re.search(r"model\.graphql:3:\d+: .*Strin", printed)
    assert re.search(r"model\.graphql:3:\d+: .*Integr", printed)
    assert "Traceback" not in printed


@pytest.mark.parametrize("arguments", [(), ("--no-reload",)], ids=["supervised", "alone"])
def test_broken_code_stops_the_first_start_and_shows_where(project: Project, arguments: tuple[str]) -> None:
    project.edit(project.code, "import os", "import oss")

    code, printed = run(project, "serve", *arguments)

    assert code == 1
    assert "No module named 'oss'" in printed
    assert 'app.py", line 3' in printed
    assert "server/http" not in printed


@pytest.mark.parametrize("arguments", [(), ("--no-reload",)], ids=["supervised", "alone"])
def test_a_port_in_use_is_named_and_another_is_suggested(project: Project, arguments: tuple[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, printed = run(project, "serve", *arguments, PORT=str(port))

    assert code == 1
    assert printed.startswith(f"PORT: {port} is in use")
    assert f"PORT={port + 1}" in printed


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "http"), ("PORT", "65536"), ("STRATABASE_INTROSPECTION", "yes"), ("STRATABASE_BASE_URL", "x")],
)
def test_an_invalid_setting_is_named(project: Project, name: str, value: str) -> None:
    code, printed = run(project, "serve", ALONE, **{name: value})

    assert code == 2
    assert printed.startswith(f'{name}: "{value}" is not valid')


def test_a_host_that_is_not_local_is_named(project: Project) -> None:
    code, printed = run(project, "serve", ALONE, HOST="no.such.host.invalid")

    assert code == 1
    assert printed.startswith("HOST: ")


def test_an_invalid_data_folder_is_named(project: Project) -> None:
    code, printed = run(project, "serve", ALONE, STRATABASE_HOME=str(project.code / "home"))

    assert code == 1
    assert printed.startswith("STRATABASE_HOME: ")


def test_an_unusable_store_is_reported_without_a_traceback(project: Project) -> None:
    project.home.mkdir()
    (project.home / "members.db").write_text("no database " * 100)

    code, printed = run(project, "serve", "--no-reload")

    assert code == 1
    assert "members.db is damaged or not a Stratabase database" in printed
    assert "Restore a backup" in printed
    assert "Traceback" not in printed


def test_a_folder_without_a_model_is_reported_and_gets_no_data(project: Project) -> None:
    project.model.unlink()

    code, printed = run(project, "serve", ALONE, STRATABASE_MODEL="")

    assert code == 1
    assert "The model model.graphql doesn't exist." in printed
    assert "stratabase init" in printed
    assert not project.home.exists()


def test_a_folder_with_only_a_model_is_served(project: Project) -> None:
    project.model.rename(project.folder / "model.graphql")

    for terminal in serving(project, ALONE, STRATABASE_MODEL=""):
        terminal.started()
        assert json.loads(terminal.get("/public/health"))["store"] == "reachable"
        assert "serves the application Shop" in "\n".join(terminal.printed)


def test_the_service_without_a_supervisor_is_one_process(project: Project) -> None:
    for terminal in serving(project, "--no-reload"):
        terminal.started()
        assert terminal.get().split()[:2] == ["first", str(terminal.pid)]
        assert terminal.end() == 0


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        pytest.param((), signal.SIGTERM, id="supervised-SIGTERM"),
        pytest.param(("--no-reload",), signal.SIGINT, id="alone-SIGINT"),
        pytest.param((), signal.SIGINT, id="supervised-SIGINT", marks=pytest.mark.thorough),
        pytest.param(("--no-reload",), signal.SIGTERM, id="alone-SIGTERM", marks=pytest.mark.thorough),
    ],
)
def test_shutdown_first_finishes_the_current_requests(
    project: Project, arguments: tuple[str], number: signal.Signals
) -> None:
    gate = project.folder / "gate"
    for terminal in serving(project, *arguments):
        terminal.started()
        connection = terminal.connection()
        os.mkfifo(gate)
        connection.request("GET", "/slow")
        with gate.open("w"):  # opens when the endpoint reads
            terminal.send(number)
        response = connection.getresponse()

        assert response.read().startswith(b"first")
        assert terminal.exit_code() == 0
        connection.close()


def test_a_variable_that_is_almost_a_setting_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_ACCESSLOG", "json")
    monkeypatch.setenv("STRATABASE_PORT", "8080")
    for name in ("STRATABASE_PASSWORD", "STRATABASE_TOKEN", "STRATABASE_SOMETHING_OF_MY_OWN"):
        monkeypatch.setenv(name, "x")

    assert main(["serve"]) == 1
    *warnings, error = capsys.readouterr().err.splitlines()
    assert warnings == [
        "STRATABASE_ACCESSLOG is not a setting, so it has no effect. Did you mean STRATABASE_ACCESS_LOG?",
        "STRATABASE_PORT is not a setting, so it has no effect. Did you mean PORT?",
    ]
    assert "doesn't exist" in error


def test_a_reload_goes_on_after_the_reader_of_the_output_has_gone(tmp_path: Path) -> None:
    """A log collector may end, such as when it is upgraded."""
    service = RunningService(tmp_path / "home", arguments=["--workers", "1"])
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "stratabase.cli", "serve", "--no-reload", "--workers", "1"],
        env=service.settings,
        stdout=writer,
        stderr=writer,
        start_new_session=True,  # without a terminal, as systemd starts it
    )
    os.close(writer)

    def workers() -> set[int]:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return {int(each) for each in children}

    def is_served() -> bool:
        try:
            return service.request("GET", "/public/health").status == 200
        except OSError:
            return False

    eventually(is_served)
    before = workers()
    os.close(reader)
    process.send_signal(signal.SIGHUP)
    eventually(lambda: bool(workers()) and not workers() & before)
    assert is_served()
    process.terminate()
    assert process.wait(DEADLINE) == 0


def test_a_data_folder_that_cannot_be_one_is_named(project: Project) -> None:
    (project.folder / "dangling").symlink_to("nowhere")
    (project.folder / "loop").symlink_to("loop")
    (project.folder / "file").touch()
    expected = {
        "dangling": "dangling is a link to nowhere, which doesn't exist. Create this folder, or change",
        "dangling/sub": "dangling is a link to nowhere, which doesn't exist.",
        "loop": "loop is a link to loop, which doesn't exist.",
        "file": "file is a file. Set STRATABASE_HOME to the path of a folder.",
        "~/data": f"Use the whole path, such as {Path.home()}/data.",
    }
    for home, message in expected.items():
        code, printed = run(project, "members", "list", STRATABASE_HOME=home)
        assert code in {1, 2}
        assert message in printed
        assert "\n" not in printed
    code, printed = run(project, "serve", ALONE, STRATABASE_HOME="dangling")
    assert (code, expected["dangling"] in printed) == (1, True)
    assert not (project.folder / "~").exists()
