"""Ends the calls of botocore's clients at the deadline of the current request."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from botocore.exceptions import BotoCoreError

from stratabase.core.waiting import remaining_seconds


class DeadlineOver(BotoCoreError):  # type: ignore[misc] # botocore has no types
    """A request was not sent, because the deadline is over.

    Botocore does not repeat the request. It would after the errors of connections, and pause before.
    """

    fmt = "The deadline of the current request is over."


def bound_by_deadline(client: Any) -> None:
    """Make a botocore client wait at most until the deadline of the request, and send nothing after it.

    Otherwise the client raises DeadlineOver.
    """
    client.meta.events.register("before-send", _bound_request)


def _bound_request(request: Any, **_: Any) -> None:
    seconds = remaining_seconds()
    if seconds <= 0:
        raise DeadlineOver
    configured = request.context["client_config"].read_timeout
    # Set it in any case: a retry has the same context.
    request.context["read_timeout"] = min(seconds, configured)


class DeadlineExecutor(ThreadPoolExecutor):
    """A thread pool whose tasks have the deadline of the code that submits them."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run a function in a thread, in a copy of the current context."""
        return super().submit(copy_context().run, fn, *args, **kwargs)
