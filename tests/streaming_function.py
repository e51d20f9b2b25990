"""A function that streams, for the tests of the runtime: the event says what it does."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple


class Streamed(NamedTuple):
    """A streamed response."""

    status: int
    headers: dict[str, list[str]]
    body: Any


def handler(event: Any, context: Any) -> Streamed:
    """Answer an event."""
    if event.get("fails"):
        raise RuntimeError("a bug")
    texts = [
        context.aws_request_id,
        context.invoked_function_arn,
        str(0 < context.get_remaining_time_in_millis() <= 60_000),
        os.environ["_X_AMZN_TRACE_ID"],
    ]
    headers = {"Content-Type": ["video/mp4"], "X-Context": texts}
    return Streamed(
        200, headers, _chunks(event.get("chunks", 1), event.get("size", 1), event.get("fails_at"))
    )


def _chunks(count: int, size: int, fails_at: int | None) -> Iterator[bytes]:
    for number in range(count):
        if number == fails_at:
            raise OSError("the disk is gone")
        yield bytes([number % 256]) * size
