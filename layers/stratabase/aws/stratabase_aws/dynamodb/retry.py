"""Retries failed requests, with exponential backoff and jitter.

Three limits end the retries of a request: its retry policy, the deadline of the current request of a client,
and the budget of retries that all requests of the process share.

Retries help if single requests fail. If a service fails for everybody, they multiply its load. So each retry
takes tokens from the budget, and successful requests give some back. Without tokens, a failed request is not
repeated. The figures are those of the standard mode of the AWS SDKs.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from random import uniform
from threading import Lock
from typing import Any

from stratabase.core.domain.issues.refusals import StoreBusy
from stratabase.core.request_log import current_usage
from stratabase.core.waiting import remaining_seconds
from stratabase.values.frozen import frozen
from stratabase_aws.dynamodb.client import Client, Rejected, Unanswered
from stratabase_aws.dynamodb.errors import (
    RequestError,
    is_conflict,
    is_transient,
    may_have_run,
    permanent_error,
)
from stratabase_aws.tracing import trace_call

CAPACITY = 500
RETRY_COST = 5
TIMEOUT_COST = 10
"""The tokens of a retry after a request without an answer, which has taken long, too."""
REFUND = 1
"""The tokens that a request gives back that succeeds at once."""


class RetryBudget:
    """A bucket of tokens. It is thread-safe."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._tokens = capacity
        self._lock = Lock()

    def take(self, tokens: int) -> bool:
        """Take tokens for a retry; return whether there were enough. Otherwise take none."""
        with self._lock:
            if self._tokens < tokens:
                return False
            self._tokens -= tokens
            return True

    def give_back(self, tokens: int) -> None:
        """Give tokens back after a success, up to the capacity."""
        if self._tokens < self._capacity:
            with self._lock:
                self._tokens = min(self._capacity, self._tokens + tokens)


@frozen
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
    budget: RetryBudget = field(default_factory=RetryBudget, compare=False)
    """The budget that all requests with this policy share."""


DEFAULT_RETRY_POLICY = RetryPolicy()
"""The policy of the process, so that all of its tables share one budget."""


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
        self.writes = writes
        self._deadline = policy.clock() + policy.max_seconds
        self._failed = 0
        self._refund = REFUND
        self.may_have_run = False
        """Whether a failed attempt at a write may have succeeded, and its response was lost."""

    def wait_after(self, error: RequestError) -> None:
        """Pause before another attempt after an error. Raises PermanentRejection, Unavailable."""
        if isinstance(error, Rejected) and not is_transient(error):
            raise PermanentRejection(error, may_have_run=self.may_have_run) from error
        self.may_have_run = self.may_have_run or (self.writes and may_have_run(error))
        self.wait(error)

    def wait(self, cause: RequestError | None = None) -> None:
        """Pause before another attempt. Raises Unavailable if there is no time, attempt or token left.

        Without a cause, the store has answered only a part of a request.
        """
        policy = self._policy
        pause = uniform(0, min(policy.max_pause, policy.first_pause * 2**self._failed))  # noqa: S311 - no secret
        self._failed += 1
        is_late = policy.clock() + pause > self._deadline or pause >= remaining_seconds()
        if is_late or self._failed >= policy.max_attempts or not self._take_tokens(cause):
            raise StoreBusy(may_have_written=self.may_have_run) from cause
        usage = current_usage()
        if usage is not None:
            usage.add_retry(after_conflict=cause is not None and is_conflict(cause))
        policy.sleep(pause)

    def succeed(self) -> None:
        """Give tokens back to the budget after a successful attempt."""
        self._policy.budget.give_back(self._refund)

    def _take_tokens(self, cause: RequestError | None) -> bool:
        # A conflict shows that an item is popular, not that the store is overloaded.
        if cause is not None and is_conflict(cause):
            return True
        self._refund = TIMEOUT_COST if isinstance(cause, Unanswered) else RETRY_COST
        return self._policy.budget.take(self._refund)


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
        usage = current_usage()
        if usage is not None:
            parameters = {**parameters, "ReturnConsumedCapacity": "TOTAL"}
        while True:
            try:
                with trace_call("DynamoDB", operation):
                    answer = self._client.call(operation, parameters)
            except (Rejected, Unanswered) as error:
                attempts.wait_after(error)
            else:
                attempts.succeed()
                if usage is not None:
                    usage.add_capacity(answer.get("ConsumedCapacity") or {}, writes=attempts.writes)
                return answer
