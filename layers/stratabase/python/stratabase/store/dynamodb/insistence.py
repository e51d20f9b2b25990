"""Asking again: how often, after how long, and when to give up."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import uniform
from typing import Any

from stratabase.store.dynamodb.client import Client, Rejected, Unanswered
from stratabase.store.dynamodb.fault import busy, fault, is_doubtful, is_passing


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try. Pauses are random, lest callers march in step; their limit doubles."""

    attempts: int = 12
    seconds: float = 8.0
    first_pause: float = 0.02
    longest_pause: float = 1.0
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic


class Refused(Exception):
    """DynamoDB refuses for good. `doubtful`: an earlier attempt may have gone well, its answer lost."""

    def __init__(self, rejected: Rejected, *, doubtful: bool) -> None:
        super().__init__(rejected, doubtful)
        self.rejected = rejected
        self.doubtful = doubtful


class Attempts:
    """The attempts at one thing."""

    def __init__(self, patience: Patience, *, writing: bool = False) -> None:
        self._patience = patience
        self._writing = writing
        self._deadline = patience.now() + patience.seconds
        self._count = 0
        self.doubtful = False
        """Whether one of them may have been carried out."""

    def failed(self, trouble: Rejected | Unanswered) -> None:
        """Return when it is time for another attempt. Raises Refused, Unavailable."""
        if isinstance(trouble, Rejected) and not is_passing(trouble):
            raise Refused(trouble, doubtful=self.doubtful) from trouble
        self.doubtful = self.doubtful or (self._writing and is_doubtful(trouble))
        self.again(trouble)

    def again(self, cause: Exception | None = None) -> None:
        """Pause before another attempt. Raises Unavailable when there have been enough."""
        patience = self._patience
        pause = uniform(0, min(patience.longest_pause, patience.first_pause * 2**self._count))  # noqa: S311 - no secret
        self._count += 1
        if self._count >= patience.attempts or patience.now() + pause > self._deadline:
            raise busy(doubtful=self.doubtful) from cause
        patience.pause(pause)


class Insistent:
    """Calls a client, and again while that may help."""

    def __init__(self, client: Client, patience: Patience) -> None:
        self._client = client
        self._patience = patience

    def read(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer. Raises Unavailable; ValueError for what cannot be asked."""
        try:
            return self._call(operation, parameters, self.attempts())
        except Refused as refused:
            raise fault(refused.rejected) from refused

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
                attempts.failed(trouble)
