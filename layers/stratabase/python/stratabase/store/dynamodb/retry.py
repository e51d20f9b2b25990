"""Retries failed requests, with exponential backoff and jitter."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import uniform
from typing import Any

from stratabase.store.dynamodb.client import Client, Rejected, Unanswered
from stratabase.store.dynamodb.errors import (
    RequestError,
    busy_error,
    is_transient,
    may_have_run,
    permanent_error,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to retry. Pauses are random, up to a limit that doubles after each attempt."""

    max_attempts: int = 12
    max_seconds: float = 8.0
    """The maximum duration of all attempts."""
    first_pause: float = 0.02
    """The upper limit of the first pause, in seconds."""
    max_pause: float = 1.0
    """The upper limit of all pauses, in seconds."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class PermanentRejection(Exception):
    """DynamoDB rejects a request, and a retry would not help.

    `may_have_run`: an earlier attempt at the same write may have succeeded, and its response was lost.
    """

    def __init__(self, rejected: Rejected, *, may_have_run: bool) -> None:
        super().__init__(rejected, may_have_run)
        self.rejected = rejected
        self.may_have_run = may_have_run


class RetryState:
    """The attempts to send one request."""

    def __init__(self, policy: RetryPolicy, *, writes: bool = False) -> None:
        self._policy = policy
        self._writes = writes
        self._deadline = policy.clock() + policy.max_seconds
        self._failed = 0
        self.may_have_run = False
        """Whether a failed attempt at a write may have succeeded, and its response was lost."""

    def wait_after(self, error: RequestError) -> None:
        """Pause before another attempt after an error. Raises PermanentRejection, Unavailable."""
        if isinstance(error, Rejected) and not is_transient(error):
            raise PermanentRejection(error, may_have_run=self.may_have_run) from error
        self.may_have_run = self.may_have_run or (self._writes and may_have_run(error))
        self.wait(error)

    def wait(self, cause: Exception | None = None) -> None:
        """Pause before another attempt. Raises Unavailable after too many attempts or too much time."""
        policy = self._policy
        pause = uniform(0, min(policy.max_pause, policy.first_pause * 2**self._failed))  # noqa: S311 - no secret
        self._failed += 1
        if self._failed >= policy.max_attempts or policy.clock() + pause > self._deadline:
            raise busy_error(may_have_written=self.may_have_run) from cause
        policy.sleep(pause)


class RetryingClient:
    """A client that retries requests."""

    def __init__(self, client: Client, policy: RetryPolicy) -> None:
        self._client = client
        self._policy = policy

    def read(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a read request; return the response. Raises Unavailable; ValueError for an invalid request."""
        try:
            return self._call(operation, parameters, self.attempts())
        except PermanentRejection as error:
            raise permanent_error(error.rejected) from error

    def write(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a write request; return the response. Raises PermanentRejection, Unavailable."""
        return self._call(operation, parameters, RetryState(self._policy, writes=True))

    def attempts(self) -> RetryState:
        """Return a new retry state, for a read whose response says that it is incomplete."""
        return RetryState(self._policy)

    def _call(self, operation: str, parameters: Mapping[str, Any], attempts: RetryState) -> Mapping[str, Any]:
        while True:
            try:
                return self._client.call(operation, parameters)
            except (Rejected, Unanswered) as error:
                attempts.wait_after(error)
