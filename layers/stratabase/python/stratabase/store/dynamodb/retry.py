"""Asking again: how often, after how long, and when to give up."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import uniform
from typing import Any

from stratabase.store.dynamodb.client import Client, Rejected, Unanswered
from stratabase.store.dynamodb.errors import busy_error, is_transient, may_have_run, permanent_error


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to try. Pauses are random, lest callers march in step; their limit doubles."""

    max_attempts: int = 12
    max_seconds: float = 8.0
    first_pause: float = 0.02
    max_pause: float = 1.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class PermanentRejection(Exception):
    """DynamoDB refuses for good. `doubtful`: an earlier attempt may have gone well, its answer lost."""

    def __init__(self, rejected: Rejected, *, doubtful: bool) -> None:
        super().__init__(rejected, doubtful)
        self.rejected = rejected
        self.may_have_run = doubtful


class Attempts:
    """The attempts at one thing."""

    def __init__(self, patience: RetryPolicy, *, writing: bool = False) -> None:
        self._patience = patience
        self._writing = writing
        self._deadline = patience.clock() + patience.max_seconds
        self._count = 0
        self.may_have_run = False
        """Whether one of them may have been carried out."""

    def wait_after(self, trouble: Rejected | Unanswered) -> None:
        """Return when it is time for another attempt. Raises Refused, Unavailable."""
        if isinstance(trouble, Rejected) and not is_transient(trouble):
            raise PermanentRejection(trouble, doubtful=self.may_have_run) from trouble
        self.may_have_run = self.may_have_run or (self._writing and may_have_run(trouble))
        self.wait(trouble)

    def wait(self, cause: Exception | None = None) -> None:
        """Pause before another attempt. Raises Unavailable when there have been enough."""
        patience = self._patience
        pause = uniform(0, min(patience.max_pause, patience.first_pause * 2**self._count))  # noqa: S311 - no secret
        self._count += 1
        if self._count >= patience.max_attempts or patience.clock() + pause > self._deadline:
            raise busy_error(doubtful=self.may_have_run) from cause
        patience.sleep(pause)


class RetryingClient:
    """Calls a client, and again while that may help."""

    def __init__(self, client: Client, patience: RetryPolicy) -> None:
        self._client = client
        self._patience = patience

    def read(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer. Raises Unavailable; ValueError for what cannot be asked."""
        try:
            return self._call(operation, parameters, self.attempts())
        except PermanentRejection as refused:
            raise permanent_error(refused.rejected) from refused

    def write(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer. Raises Refused, Unavailable."""
        return self._call(operation, parameters, Attempts(self._patience, writing=True))

    def attempts(self) -> Attempts:
        """Return fresh attempts, also for what an answer itself says to be unfinished."""
        return Attempts(self._patience)

    def _call(self, operation: str, parameters: Mapping[str, Any], attempts: Attempts) -> Mapping[str, Any]:
        while True:
            try:
                return self._client.call(operation, parameters)
            except (Rejected, Unanswered) as trouble:
                attempts.wait_after(trouble)
