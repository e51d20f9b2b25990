"""PostGraphile over a PostgreSQL server."""

import http.client
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import cpu
from benchmarks.peer.postgresql import PostgreSQL
from tests.repository import ROOT
from tests.service import DEADLINE, free_port

FOLDER = ROOT / "benchmarks" / "peer"
INSTALLED = ROOT / ".node-peer"


class PostGraphile(NamedTuple):
    """A running server."""

    pid: int
    port: int

    def cpu_seconds(self) -> float:
        """Return the CPU seconds of its process so far."""
        return cpu.seconds(self.pid)

    def request(self, query: str, variables: Mapping[str, Any] | None = None) -> bytes:
        """Return the bytes of a request."""
        body = json.dumps({"query": query, "variables": variables or {}}).encode()
        head = (
            f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def ask(self, query: str, variables: Mapping[str, Any] | None = None) -> Any:
        """Return the data of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        body = json.dumps({"query": query, "variables": variables})
        connection.request("POST", "/graphql", body, {"Content-Type": "application/json"})
        answer = json.load(connection.getresponse())
        connection.close()
        assert "errors" not in answer, answer
        return answer["data"]


@contextmanager
def postgraphile(database: PostgreSQL, log: Path) -> Iterator[PostGraphile]:
    """Run a server with one process of Node."""
    assert (INSTALLED / "node_modules").exists(), "install PostGraphile with `make .node-peer/.done`"
    shutil.copy(FOLDER / "server.mjs", INSTALLED)
    port = free_port()
    settings = {**os.environ, "NODE_ENV": "production", "GRAPHILE_ENV": "production"}
    with log.open("wb") as output:
        command = [node(), "server.mjs", str(port), database.url]
        process = subprocess.Popen(command, cwd=INSTALLED, env=settings, stdout=output, stderr=output)
    try:
        server = PostGraphile(process.pid, port)
        until = time.monotonic() + DEADLINE
        while True:
            try:
                server.ask("{ __typename }")
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until, "PostGraphile does not answer"
                time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        process.wait()


def versions() -> str:
    """Return the versions of PostGraphile and of Node."""
    package = json.loads((INSTALLED / "node_modules/postgraphile/package.json").read_text())
    version = subprocess.run([node(), "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return f"PostGraphile {package['version']}, Node {version.removeprefix('v')}"


def node() -> str:
    """Return the Node that npm has installed with PostGraphile (on Linux), or else that on the PATH.

    PostGraphile needs version 22 or later.
    """
    return str(next(INSTALLED.glob("node_modules/node-*/bin/node"), "node"))
