"""Instances for tests of `stratabase files`: a real one with files, and one that misbehaves."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from stratabase.cli.main import main
from tests.service import PASSWORD, RunningService

MODEL = """
extend schema
  @application(name: "Hr")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Member")
type Employee @class(versioned: true) @grant(profile: "Member", allow: [READ, CREATE, EDIT, DELETE]) {
  name: String!
  photo: File @file(extensions: ["png"], maxSize: 1000) @grant(profile: "Member", allow: [])
  document: File
}
"""
PNG = b"\x89PNG\r\n\x1a\n" + bytes(90)
MEGABYTE = 1024 * 1024


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Files:
    """Runs `stratabase files` in a folder of its own, as a member of an instance."""

    def __init__(
        self,
        folder: Path,
        url: str,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.folder = folder
        self.url = url
        self._capsys = capsys
        monkeypatch.chdir(folder)
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent / f"{folder.name}-cache"))
        monkeypatch.setenv("STRATABASE_PASSWORD", PASSWORD)
        monkeypatch.delenv("STRATABASE_TOKEN", raising=False)

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run(self, *arguments: str, user: str | None = "admin", url: str | None = None) -> Outcome:
        """Run a command, and return its outcome, which never shows the password."""
        self._capsys.readouterr()
        member = () if user is None else ("--user", user)
        code = main(["files", *arguments, *member, "--url", url or self.url])
        printed = self._capsys.readouterr()
        assert PASSWORD not in printed.out + printed.err
        return Outcome(code, printed.out, printed.err)

    def done(self, *arguments: str, user: str | None = "admin") -> str:
        """Return the output of a successful command."""
        outcome = self.run(*arguments, user=user)
        assert outcome.code == 0, outcome.err
        return outcome.out.rstrip("\n")

    def refused(self, *arguments: str, user: str | None = "admin", code: int = 1) -> str:
        """Return the error output of a refused command, which is one line."""
        outcome = self.run(*arguments, user=user)
        assert (outcome.code, outcome.out) == (code, "")
        assert outcome.err.count("\n") == 1
        return outcome.err.rstrip("\n")


def create_employee(service: RunningService) -> str:
    """Create an object, and return its ID."""
    created = service.graphql('mutation { Employee___create(data: {name: "Ada"}) { _id } }')
    return str(created["data"]["Employee___create"]["_id"])


def base_url(service: RunningService) -> str:
    return f"http://127.0.0.1:{service.port}"


class Answer(NamedTuple):
    """A response of an instance that misbehaves."""

    status: int = 200
    headers: Mapping[str, str] = {}
    body: bytes = b""
    length: int | None = None
    """The declared size. The connection closes after the body."""


class Asked(NamedTuple):
    """A request that the instance received; header names are lowercase."""

    method: str
    path: str
    headers: Mapping[str, str]


Script = Callable[[Asked], Answer]


class FakeInstance:
    """An HTTP server that gives the answers of a script, and tokens named `token-1`, `token-2` and so on."""

    def __init__(self, port: int, asked: list[Asked]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.asked = asked


@contextmanager
def fake_instance(script: Script) -> Iterator[FakeInstance]:
    """Run an instance that answers as a script says."""
    asked: list[Asked] = []
    tokens = iter(range(1, 100))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Asked(self.command, self.path, headers)
            if self.path.endswith("/getJwtToken"):
                answer = Answer(body=b'{"access_token": "token-%d"}' % next(tokens))
            else:
                asked.append(request)
                answer = script(request)
            self.send_response(answer.status)
            length = len(answer.body) if answer.length is None else answer.length
            for name, value in ({"Content-Length": str(length)} | dict(answer.headers)).items():
                self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_POST = do_HEAD = do_PATCH = do_GET  # noqa: N815 - the names of the base class

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield FakeInstance(server.server_address[1], asked)
        finally:
            server.shutdown()
            thread.join()
