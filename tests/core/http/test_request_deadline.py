"""The deadline of a request, by the setting and by the remaining time of the invocation."""

from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import HttpHandler
from stratabase.core.waiting import remaining_seconds
from stratabase_aws.functions.handler import LambdaHandler
from tests.http_fixtures import make_event
from tests.rows import each_row


class Invocation(NamedTuple):
    """The context of an invocation."""

    milliseconds: int

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@each_row(
    ("setting", "context", "seconds"),
    [
        (27, None, 27),
        (27, object(), 27),
        (27, Invocation(900_000), 27),
        (27, Invocation(30_000), 27),
        (27, Invocation(12_000), 10),
        (3, Invocation(30_000), 3),
        (27, Invocation(1_000), -1),
    ],
)
@each_row("streams", [False, True])
def test_the_deadline_is_the_earliest_limit(
    setting: float, context: Any, seconds: float, *, streams: bool
) -> None:
    seen: list[float] = []

    def respond(_request: Request, _caller: Caller | None) -> Response:
        seen.append(remaining_seconds())
        return Response(204)

    operation = Operation(respond, "look", "Look.", {204: ResponseSpec("Done.")})
    handler = LambdaHandler(
        HttpHandler({"/time": Endpoint({"GET": operation})}, Authentication({}), request_seconds=setting)
    )
    (handler.stream if streams else handler)(make_event("GET", "/time"), context)

    assert seen == [pytest.approx(seconds, abs=5)]
    assert seen[0] <= seconds
    assert remaining_seconds() == float("inf")
