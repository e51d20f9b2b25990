"""What goes wrong between this machine and AWS is one line, whichever command meets it."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stratabase.cli.main import main
from tests.repository import ROOT

PAGE = ("text/html; charset=UTF-8", b"<html><body>Please sign in</body></html>")
COMMANDS = (
    ("configure", "dev", "--region", "eu-central-1", "--administrator", "rosa@example.com"),
    ("settings", "dev"),
    ("protect", "dev"),
    ("destroy", "dev", "--yes"),
)


@contextmanager
def web_server(status: int, kind: str, body: bytes) -> Iterator[str]:
    """Run a server that answers every request in the same way, and yield its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project on a machine with credentials, and without other settings of AWS."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "template.yaml", tmp_path)
    text = (ROOT / "samconfig.toml").read_text()
    (tmp_path / "samconfig.toml").write_text(
        text.replace('"stratabase-dev"', '"stratabase-dev"\nregion = "eu-central-1"')
    )


def fail(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that fails, and return the last line of its errors."""
    assert main(["aws", *arguments]) == 1
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_unknown_profile_is_named(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    assert fail(capsys, *command) == (
        "AWS: The config profile (nobody) could not be found. Set AWS_PROFILE, or `profile` in "
        "samconfig.toml, to one that `aws configure list-profiles` lists."
    )


@pytest.mark.parametrize(
    "response",
    [
        (200, *PAGE),
        (403, *PAGE),
        (302, "text/html", b"moved"),
        (200, "text/html", b"<p>Please<br>sign in"),
        (200, "text/xml", b""),
        (200, "application/json", b"{}"),
    ],
)
def test_a_response_that_is_none_of_aws_is_reported(
    response: tuple[int, str, bytes], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with web_server(*response) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        line = fail(capsys, "settings", "dev")
    assert line.startswith("AWS: the response isn't one of AWS. A proxy or the sign-in page")


def test_a_server_that_fails_is_reported_as_such(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with web_server(502, *PAGE) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        line = fail(capsys, "settings", "dev")
    assert line.startswith("AWS: An error occurred (502)")
