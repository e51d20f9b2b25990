"""A Lambda function in its own process, as on AWS: its cold start, or one in the runtime that streams."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import cpu, memory
from benchmarks.runtime_api import RuntimeApi, StreamedAnswer, runtime_api

ROOT = Path(__file__).parent.parent
FUNCTIONS = ROOT / "functions"
SERVICE = (ROOT / "layers/stratabase/python", ROOT / "layers/stratabase/aws")
WRAPPER = FUNCTIONS / "download/stream"
"""The script that starts the runtime that streams."""


class Start(NamedTuple):
    """The figures of a cold start, from the start of the process to the first response."""

    seconds: float
    cpu: float
    megabytes: float
    """The peak memory of the process."""
    repeat_cpu: float
    """The CPU seconds of a second, identical request."""
    answer: Any

    @property
    def status(self) -> int | None:
        """The status of the response, None if the function does not answer HTTP requests."""
        if isinstance(self.answer, StreamedAnswer):
            return int(self.answer.prelude["statusCode"])
        return self.answer["statusCode"] if self.answer and "statusCode" in self.answer else None

    @property
    def body(self) -> Any:
        """The parsed JSON body of the response."""
        return json.loads(self.answer["body"])


def cold_start(
    command: Sequence[str], folder: Path, event: Mapping[str, Any], environment: Mapping[str, str]
) -> Start:
    """Start a function with a command in its folder, and send it the same event twice."""
    with runtime_api() as api:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "AWS_LAMBDA_RUNTIME_API": api.address},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            answer = api.answer(event)
            seconds, spent = time.perf_counter() - began, cpu.seconds(process.pid)
            api.answer(event)
            again = cpu.seconds(process.pid) - spent
            return Start(seconds, spent, memory.megabytes(process.pid), again, answer)
        finally:
            process.kill()
            process.wait()


@contextmanager
def streaming_function(
    folder: Path, handler: str, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[RuntimeApi, "subprocess.Popen[str]"]]:
    """Run a function in the runtime that streams. Yields the Runtime API, and the process of the function."""
    with runtime_api() as api:
        lambda_environment = {
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "_HANDLER": handler,
            "LAMBDA_TASK_ROOT": str(folder),
            "LAMBDA_RUNTIME_DIR": ":".join(map(str, SERVICE)),
        }
        process = subprocess.Popen(
            [WRAPPER, sys.executable, "/var/runtime/bootstrap.py"],
            cwd=folder,
            env={**os.environ, **lambda_environment, **(environment or {})},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield api, process
        finally:
            process.kill()
            process.communicate()


def proxy_event(method: str, path: str, resource: str, token: str | None, body: object) -> dict[str, Any]:
    """Return the event of API Gateway for a request."""
    headers = {"Content-Type": "application/json", "Accept": "application/json", "Host": "api.example.com"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    return {
        "resource": resource,
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": {"application": path.rsplit("/", 1)[-1]},
        "stageVariables": None,
        "requestContext": {
            "requestId": "00000000-0000-4000-a000-000000000000",
            "stage": "live",
            "path": f"/live{path}",
            "domainName": "api.example.com",
            "identity": {"sourceIp": "192.0.2.7"},
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }
