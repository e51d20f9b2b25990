"""The execution environments of one function: processes that each handle one event at a time."""

import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from queue import Empty
from threading import Lock
from typing import Any

from benchmarks.runtime_api import FunctionFailed, RuntimeApi, StreamedAnswer, runtime_api
from stratabase.core.http.base.messages import BodyStream
from stratabase_aws.functions.handler import StreamedResponse
from tests.lambda_stack.template import FunctionDeclaration

GRACE = 5.0
"""Seconds beyond the timeout of a function until its process is killed, as Lambda does at once."""


class ExecutionEnvironment:
    """A process of a function with its Runtime API."""

    def __init__(
        self, command: list[str], folder: Path, environment: Mapping[str, str], seconds: float
    ) -> None:
        self._stack = ExitStack()
        self._api: RuntimeApi = self._stack.enter_context(runtime_api(seconds + GRACE, keeps_bodies=True))
        environment = {**environment, "AWS_LAMBDA_RUNTIME_API": self._api.address}
        self._process = subprocess.Popen(command, cwd=folder, env=environment)
        self.process_id = self._process.pid

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Return the result of the function. Raises FunctionFailed, TimeoutError."""
        try:
            return self._api.answer(event)
        except Empty:
            raise TimeoutError from None

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        self._stack.close()


class FunctionPool:
    """The execution environments of a function. One that is busy is not used, so another one starts."""

    def __init__(self, function: FunctionDeclaration, start: Callable[[], ExecutionEnvironment]) -> None:
        self.function = function
        self._start = start
        self._idle: list[ExecutionEnvironment] = []
        self._all: set[ExecutionEnvironment] = set()
        self._lock = Lock()

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Return the result of the function, a StreamedResponse if it streams.

        Raises FunctionFailed, TimeoutError. Then the process ends, as on Lambda.
        """
        environment = self._take()
        try:
            result = environment.invoke(event)
        except (FunctionFailed, TimeoutError):
            self._drop(environment)
            raise
        with self._lock:
            self._idle.append(environment)
        return _streamed(result) if isinstance(result, StreamedAnswer) else result

    def _take(self) -> ExecutionEnvironment:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        started = self._start()
        with self._lock:
            self._all.add(started)
        return started

    def _drop(self, environment: ExecutionEnvironment) -> None:
        with self._lock:
            self._all.discard(environment)
        environment.end()

    @property
    def process_ids(self) -> list[int]:
        """Return the IDs of the processes."""
        with self._lock:
            return [environment.process_id for environment in self._all]

    def end(self) -> None:
        """Kill all processes."""
        with self._lock:
            everyone, self._all, self._idle = self._all, set(), []
        for environment in everyone:
            environment.end()


def _streamed(answer: StreamedAnswer) -> StreamedResponse:
    prelude = answer.prelude
    headers = {name: [value] for name, value in prelude.get("headers", {}).items()}
    headers |= prelude.get("multiValueHeaders", {})
    return StreamedResponse(prelude["statusCode"], headers, BodyStream(iter((answer.head,)), answer.size))
