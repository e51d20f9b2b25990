"""`stratabase serve` reloads the model and the code, and keeps the last valid version running."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from tests.cli.terminal import Project, Terminal, run, serving
from tests.fakes import ADMINISTRATOR
from tests.service import eventually


def worker(terminal: Terminal) -> int:
    """Return the worker process."""
    return int(terminal.get().split()[1])


@contextmanager
def stuck(terminal: Terminal) -> Iterator[None]:
    """Block the worker with a request that never ends and blocks all threads."""
    connection = terminal.connection()
    connection.request("GET", "/stuck?word=hush")
    eventually(lambda: not answers(terminal))
    yield
    connection.close()


def answers(terminal: Terminal) -> bool:
    """Return whether the service answers within a moment."""
    connection = terminal.connection()
    connection.timeout = 0.2
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def test_a_changed_model_is_served_and_its_differences_are_shown_on_a_change_and_on_a_start(
    terminal: Terminal, project: Project
) -> None:
    """The counts follow while the new model serves. The next start compares with what served last."""
    terminal.started()

    project.edit(project.model, "name: String!", "name: String!  nickname: String")

    terminal.wait_for(r"^Changed: layers/model/model.graphql$")
    terminal.wait_for(r"^  Safe: Pet\.nickname: String added$")
    terminal.wait_for("Serving the new version")
    assert "nickname" in terminal.get()
    assert sum(line.startswith("Changed: ") for line in terminal.printed) == 1

    project.edit(project.model, "nickname: String", "nick: String")

    terminal.wait_for(r"^  Safe: Pet\.nick: String added$")
    terminal.wait_for(r"^  Needs a decision: Pet\.nickname: removed, or renamed to nick\?$")
    terminal.wait_for(r'If it is nick now, write `nick: String @renamed\(from: "nickname"\)`')
    terminal.wait_for("stratabase model diff --previous --data$")
    terminal.wait_for("Serving the new version")
    terminal.wait_for(r"Pet\.nickname: removed, or renamed to nick\? 0 of 0 Pet objects have a value\.$")
    assert terminal.end() == 0

    project.edit(project.model, "  nick: String", "")
    for again in serving(project):
        again.wait_for(r"^  Needs a decision: Pet\.nick: removed$")
        again.wait_for(r"Pet\.nick: removed\. 0 of 0 Pet objects have a value\.$")
        assert again.end() == 0


def test_a_broken_model_is_reported_and_the_last_valid_one_serves(
    terminal: Terminal, project: Project
) -> None:
    terminal.started()
    before = worker(terminal)

    project.edit(project.model, "name: String!", "name: Strin!")

    terminal.wait_for(r'model\.graphql:3:\d+: .*Did you mean "String"\?')
    terminal.wait_for("The last valid version keeps serving")
    assert worker(terminal) == before
    assert "Strin!" not in terminal.get().replace("String!", "")

    project.edit(project.model, "name: Strin!", "name: String!  age: Int")
    terminal.wait_for(r"^  Safe: Pet\.age: Int added$")
    terminal.wait_for("Serving the new version")
    assert "age: Int" in terminal.get()


@pytest.mark.thorough
def test_a_model_without_an_administrator_is_reported_and_the_last_valid_one_serves(
    terminal: Terminal, project: Project
) -> None:
    terminal.started()
    before = worker(terminal)

    project.edit(project.model, '"Administrator"', '"Chief"')

    terminal.wait_for(r"Administrator \(1 member, not in the model\)")
    terminal.wait_for("The last valid version keeps serving")
    assert worker(terminal) == before

    project.edit(project.model, '"Chief"', '"Chief", from: "Administrator"')
    terminal.wait_for("Serving the new version")


def test_broken_code_is_reported_and_the_last_valid_worker_serves(
    terminal: Terminal, project: Project
) -> None:
    terminal.started()

    project.edit(project.code, 'WORD = "first"', 'WORD = "second')

    terminal.wait_for("SyntaxError")
    terminal.wait_for("The last valid version keeps serving")
    assert terminal.get().startswith("first")

    project.edit(project.code, 'WORD = "second', 'os._exit(7)\nWORD = "second"')

    terminal.wait_for("exited with code 7 before it was ready")
    assert terminal.get().startswith("first")

    # If the last valid worker dies, nothing serves until the code is valid again.
    os.kill(worker(terminal), signal.SIGKILL)
    terminal.wait_for("All requests get the status 503 until you fix this error")
    for method, body in (("GET", None), ("HEAD", None), ("POST", b"x" * 10_000_000)):
        connection = terminal.connection()
        connection.request(method, "/", body)
        response = connection.getresponse()
        assert (response.status, response.headers["Retry-After"]) == (503, "5")
        assert response.headers["Content-Type"] == "application/problem+json"
        text = response.read()
        assert method == "HEAD" or json.loads(text)["status"] == 503
        connection.close()
    project.edit(project.code, 'os._exit(7)\nWORD = "second"', 'WORD = "third"')
    terminal.wait_for("Serving the new version")
    assert all(terminal.get().startswith("third") for _ in range(10))
    assert terminal.end() == 0


def test_changed_code_is_served_and_no_request_is_lost(terminal: Terminal, project: Project) -> None:
    terminal.started()
    changed = threading.Event()
    answers: list[str] = []

    def ask() -> None:
        while not changed.is_set():
            answers.append(terminal.get().split()[0])

    thread = threading.Thread(target=ask)
    thread.start()
    project.edit(project.code, '"first"', '"second"')
    terminal.wait_for(r"^Changed: code/app\.py$")
    terminal.wait_for("Serving the new version")
    changed.set()
    thread.join()
    answers.append(terminal.get().split()[0])

    assert answers[-1] == "second"
    assert set(answers) == {"first", "second"}


def test_a_worker_that_is_killed_even_during_start_is_restarted(terminal: Terminal, project: Project) -> None:
    """For example, the system may kill a process because memory is short."""
    terminal.started()
    fatal = 'if Path("fatal").exists():\n    Path("fatal").unlink()\n    os.kill(os.getpid(), 9)\nWORD ='
    project.edit(project.code, "WORD =", fatal)
    terminal.wait_for("Serving the new version")
    (project.folder / "fatal").touch()

    before = worker(terminal)
    os.kill(before, signal.SIGKILL)

    terminal.wait_for(rf"process {before}\) was killed by SIGKILL. Starting another")
    terminal.wait_for("killed by SIGKILL before it was ready. Starting another")
    terminal.wait_for("Another worker serves")
    assert worker(terminal) != before
    assert terminal.get().startswith("first")


def test_a_reload_whose_worker_is_killed_is_tried_again(terminal: Terminal, project: Project) -> None:
    terminal.started()
    fatal = 'if Path("fatal").exists():\n    Path("fatal").unlink()\n    os.kill(os.getpid(), 9)\nWORD ='
    (project.folder / "fatal").touch()

    project.edit(project.code, 'WORD = "first"', f'{fatal} "second"')

    terminal.wait_for("killed by SIGKILL before it was ready. Starting the new version again")
    terminal.wait_for("Serving the new version")
    assert terminal.get().startswith("second")


def test_a_stuck_worker_ends_when_its_supervisor_is_killed(terminal: Terminal) -> None:
    """The port is then free for the next start."""
    terminal.started()
    with stuck(terminal):
        assert terminal.end(signal.SIGKILL) == -signal.SIGKILL

    socket.create_server(("127.0.0.1", terminal.port)).close()


def test_a_stuck_worker_is_replaced_and_its_request_is_reported(project: Project) -> None:
    for terminal in serving(project, STRATABASE_WORKER_TIMEOUT_SECONDS="3"):
        terminal.started()
        before = worker(terminal)
        with stuck(terminal):
            request = r"GET /\{proxy\+\} \(trace id [0-9a-f-]{36}\)"
            terminal.wait_for(rf"process {before}\) has not responded for \d+ s in {request}")
            # Both processes write at the same time.
            terminal.wait_for_all(r'app\.py", line \d+ in respond', "Starting another worker")
            terminal.wait_for(rf"process {before}\) has not responded for \d+ s. Stopping it")
            assert worker(terminal) != before

        assert not any("hush" in line for line in terminal.printed)
        assert terminal.end() == 0


@pytest.mark.thorough
def test_workers_that_get_stuck_in_turn_are_all_replaced(project: Project) -> None:
    for terminal in serving(project, STRATABASE_WORKER_TIMEOUT_SECONDS="3"):
        terminal.started()
        before = worker(terminal)
        with stuck(terminal):
            terminal.wait_for("Starting another worker")
            with stuck(terminal):
                terminal.wait_for(rf"process {before}\) has not responded for \d+ s. Stopping it")
                last = terminal.wait_for("has not responded for .* Stopping it")

        assert f"process {worker(terminal)})" not in last
        assert terminal.end() == 0


def test_a_slow_worker_is_not_ended_and_finishes_its_request(project: Project) -> None:
    os.mkfifo(project.folder / "gate")
    for terminal in serving(project, STRATABASE_WORKER_TIMEOUT_SECONDS="12"):
        terminal.started()
        before = worker(terminal)
        connection = terminal.connection()
        connection.request("GET", "/blocked")
        with (project.folder / "gate").open("w"):  # opens when the endpoint reads
            terminal.wait_for(rf"process {before}\) has not responded for")
            terminal.wait_for("Starting another worker")
            assert worker(terminal) != before

        assert connection.getresponse().read().startswith(f"first {before} ".encode())
        terminal.wait_for(rf"process {before}\) responds again")
        assert terminal.end() == 0
        assert not any("Stopping it" in line for line in terminal.printed)
        connection.close()


def test_shutdown_does_not_wait_for_a_stuck_worker(project: Project) -> None:
    for terminal in serving(project, STRATABASE_WORKER_TIMEOUT_SECONDS="2"):
        terminal.started()
        with stuck(terminal):
            assert terminal.end() == 0


def test_a_second_signal_ends_the_service_immediately(terminal: Terminal, project: Project) -> None:
    terminal.started()
    os.mkfifo(project.folder / "gate")
    connection = terminal.connection()
    connection.request("GET", "/slow")
    writer = os.open(project.folder / "gate", os.O_WRONLY)  # opens when the endpoint reads

    terminal.send(signal.SIGINT)
    terminal.wait_for("Finishing")
    terminal.send(signal.SIGINT)

    assert terminal.exit_code() == 0
    os.close(writer)
    connection.close()


def test_a_model_that_needs_a_decision_waits_until_somebody_decides(project: Project) -> None:
    """A worker that dies meanwhile is replaced by one with the model that serves."""
    project.edit(project.model, "name: String!", "name: String!  nickname: String")
    for terminal in serving(project, "--decide", "keep"):
        terminal.started()
        create_pet(project, nickname="Rex")
        before = worker(terminal)

        project.edit(project.model, "nickname: String", "nick: String")

        terminal.wait_for(r"^  Needs a decision: Pet\.nickname: removed, or renamed to nick\?$")
        terminal.wait_for("run: stratabase model diff --data$")
        terminal.wait_for("The model isn't served, because somebody must decide about these changes first:")
        terminal.wait_for(r"^  Pet\.nickname: removed, or renamed to nick\?$")
        terminal.wait_for("The last valid version keeps serving")
        assert worker(terminal) == before

        os.kill(before, signal.SIGKILL)
        terminal.wait_for("Another worker serves")
        assert "nickname" in terminal.get()

        code, printed = run(project, "model", "diff", "--data")
        assert (code, "1 of 1 Pet objects have a value." in printed) == (1, True)
        assert run(project, "model", "diff", "--data", "--accept")[0] == 0
        terminal.send(signal.SIGHUP)
        terminal.wait_for("Serving the new version")
        assert "nick: String" in terminal.get()
        assert terminal.end() == 0


def test_a_start_with_a_model_that_needs_a_decision_ends(project: Project) -> None:
    project.edit(project.model, "name: String!", "name: String!  nickname: String  age: Int")
    for terminal in serving(project, "--no-reload"):
        terminal.started()
        create_pet(project, nickname="Rex")
        assert terminal.end() == 0
    project.edit(project.model, "nickname: String", "")
    for arguments in ([], ["--no-reload"]):
        for terminal in serving(project, "--decide", "keep", *arguments):
            terminal.wait_for(r"^  Pet\.nickname: removed$")
            assert terminal.exit_code() == 1
    # Nothing is lost with what no object has.
    project.edit(project.model, "age: Int", "nickname: String")
    for terminal in serving(project, "--no-reload", "--decide", "keep"):
        terminal.started()
        assert terminal.end() == 0


def create_pet(project: Project, **values: str) -> None:
    """Create an object of the model of a project."""
    instance = App(Settings(home=project.home, model=project.model))
    data = ", ".join(f"{name}: {json.dumps(value)}" for name, value in {"name": "x", **values}.items())
    mutation = f"mutation {{ Pet___create(data: {{{data}}}) {{ _id }} }}"
    answer = json.loads(instance.executor.execute(mutation, None, None, ADMINISTRATOR, "").body)
    assert not answer.get("errors"), answer
    instance.close()
