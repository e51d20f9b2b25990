"""A service in its own process, started as a user starts it, for tests and benchmarks over HTTP."""

import base64
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import Any, NamedTuple

from stratabase.terminal.processes import tie_to_parent
from tests import ministack
from tests.forked_commands import IS_SUPPORTED, ForkedCommand, start_command
from tests.repository import ROOT
from tests.secrets_watch import MARKERS, SecretsWatch

PASSWORD = "correct horse battery staple"
SAMPLE_MODEL = ROOT / "layers/model/model.graphql"
ON_LAMBDA = os.environ.get("SCENARIOS_ON") == "lambda"
"""Whether services run as Lambda functions over the emulator of AWS (see tests.lambda_stack)."""
_METRICS = re.compile(r"^Metrics: http://([^/\s]+)", re.MULTILINE)
"""The line with the address of the metrics, if the service has any."""
DEADLINE = 120
"""Seconds that a start may take before a test gives up."""


def _emulator() -> dict[str, str]:
    return {"STRATABASE_ENDPOINT": str(ministack.endpoint().url)}


def deployed_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that the template gives the functions. What a stack has is named by its home."""
    name = hashlib.sha256(settings["STRATABASE_HOME"].encode()).hexdigest()[:16]
    return {
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_TABLE": settings.get("STRATABASE_TABLE") or f"stack-{name}",
        "STRATABASE_MEMBERS_TABLE": f"stack-{name}-members",
        "STRATABASE_BUCKET": f"stack-{name}",
        "STRATABASE_SIGNING_KEYS": f"stack-{name}",
        "STRATABASE_MODEL": str(Path(settings["STRATABASE_MODEL"]).resolve()),
        "STRATABASE_BASE_URL": settings.get("STRATABASE_BASE_URL") or f"http://127.0.0.1:{settings['PORT']}",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }


class Reply(NamedTuple):
    """A complete HTTP response; header names are lowercase."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


PORTS = range(11_000, 32_768)
"""The ports of services. Systems choose those of connections from 32768 on, and browsers refuse 10080."""


def free_port() -> int:
    """Return a free port. No connection takes it, also while a service that was killed is started again."""
    while True:
        # Not seeded: processes of tests that run at the same time must not choose the same ports.
        port = SystemRandom().choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def basic(username: str, password: str) -> str:
    """Return the value of an Authorization header."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


class RunningService:
    """A service with its own data folder, which can be killed and restarted."""

    def __init__(
        self,
        home: Path,
        *,
        model: Path = SAMPLE_MODEL,
        application: str = "Hr",
        reload: bool = False,
        arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
        on_lambda: bool = ON_LAMBDA,
        forked: bool = True,
    ) -> None:
        """Without `forked`, the service starts with its imports, as it does for a user."""
        self.home = home
        self.port = free_port()
        self._application = application
        self._arguments = ["serve", *([] if reload else ["--no-reload"]), *arguments]
        on_functions = tie_to_parent([sys.executable, "-m", "tests.lambda_stack"], signal.SIGTERM)
        alone = [sys.executable, "-m", "stratabase.cli", *self._arguments]
        self._command = on_functions if on_lambda else alone
        # Workers and metrics need processes that choose by their environment what they import. Benchmarks
        # measure the service as users start it.
        is_plain = not (on_lambda or reload or arguments)
        self._is_forked = IS_SUPPORTED and forked and is_plain and "PYTEST_CURRENT_TEST" in os.environ
        self._environment = {
            **MARKERS,
            **os.environ,
            "PORT": str(self.port),
            "STRATABASE_HOME": str(home),
            "STRATABASE_MODEL": str(model),
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            **(settings or {}),
            **(_emulator() if on_lambda else {}),
        }
        self._process: subprocess.Popen[bytes] | ForkedCommand | None = None
        self.settings: Mapping[str, str] = {
            **self._environment,
            **(deployed_settings(self._environment) if on_lambda else {}),
        }
        """The settings with which a command uses the stores of the service."""
        self.secrets = SecretsWatch(self.settings)
        """Finds secrets in what the service says. When the service ends, none may be there."""

    @property
    def pid(self) -> int:
        """The id of the process that was started."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> "RunningService":
        """Start the service, and return when it responds."""
        with (self.home.parent / f"{self.home.name}.log").open("ab") as log:
            self._process = (
                start_command(self._arguments, self._environment, log)
                if self._is_forked
                else subprocess.Popen(
                    self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=subprocess.STDOUT
                )
            )
        self._wait_until_it_answers()
        return self

    def kill(self) -> None:
        """Kill the service at once, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the service after it finished its requests."""
        self._end(signal.SIGTERM)

    def log(self) -> str:
        """Return the output of the service."""
        return (self.home.parent / f"{self.home.name}.log").read_text()

    def connection(self) -> http.client.HTTPConnection:
        """Return a new connection to the service."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> Reply:
        """Send one request and return the reply."""
        own = connection or self.connection()
        try:
            own.request(method, path, body=body, headers=dict(headers or {}))
            response = own.getresponse()
            reply = Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
            self.secrets.note((method, path, headers or {}, body), reply.status, reply.headers, reply.body)
            return reply
        finally:
            if connection is None:
                own.close()

    def graphql(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        username: str = "admin",
        connection: http.client.HTTPConnection | None = None,
    ) -> Any:
        """Send a GraphQL request of a member, and return the response's JSON."""
        reply = self.request(
            "POST",
            f"/auth/api/graphql/{self._application}",
            headers={"Content-Type": "application/json", "Authorization": basic(username, PASSWORD)},
            body=json.dumps({"query": query, "variables": variables}),
            connection=connection,
        )
        return reply.json()

    def join(self, username: str, profile: str = "Administrator", **more: str) -> str:
        """Add a member with the password of `admin` by REST, and return the id."""
        path = "/auth/administration/members"
        headers = {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)}
        member = {"username": username, "email": f"{username}@example.com", "profile": profile, **more}
        created = self.request("POST", path, headers=headers, body=json.dumps(member))
        assert created.status == 201, created.body
        id_ = str(created.json()["id"])
        password = json.dumps({"password": PASSWORD})
        assert self.request("PUT", f"{path}/{id_}", headers=headers, body=password).status == 200
        return id_

    def add_member(self, username: str, profile: str = "Administrator") -> None:
        """Add a member with the password of `admin` directly to the store."""
        command = ["members", "create", username, f"{username}@example.com", profile, "--ask-password"]
        typed = f"{PASSWORD}\n"
        if IS_SUPPORTED:
            with Path(os.devnull).open("w") as nowhere:
                assert start_command(command, self.settings, nowhere, typed).wait(DEADLINE) == 0
        else:
            line = [sys.executable, "-m", "stratabase.cli", *command]
            subprocess.run(line, cwd=ROOT, env=self.settings, input=typed, text=True, check=True)

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            assert self._process is not None
            assert self._process.poll() is None, f"the service ended:\n{self.log()}"
            try:
                if self.request("GET", "/public/health").status == 200:
                    return
            except OSError:
                time.sleep(0.01)
        raise AssertionError(f"the service does not answer:\n{self.log()}")

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            if how is signal.SIGTERM and (metrics := _METRICS.search(self.log())):
                connection = http.client.HTTPConnection(metrics[1], timeout=DEADLINE)
                connection.request("GET", "/metrics")
                self.secrets.search(connection.getresponse().read().decode(), "the metrics")
                connection.close()
            self._process.send_signal(how)
            self._process.wait(DEADLINE)
            self._process = None
            leaks = self.secrets.leaks(self.home, self.log())
            assert leaks == [], "\n".join(map(str, leaks))


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds, and return."""
    deadline = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.01)


@contextmanager
def running(home: Path, **options: Any) -> Iterator[RunningService]:
    """Run a service for a while."""
    service = RunningService(home, **options).start()
    try:
        yield service
    finally:
        service.stop()
