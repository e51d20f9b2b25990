"""The queue before a Lambda function, which AWS invokes asynchronously."""

import json
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import forgotten_password
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.mail.lambda_queue import LambdaMailQueue
from tests.lambda_stack.proxy import Answer, ForwardingProxy, serve_proxy

REQUEST = forgotten_password("anna\ud800 <é>", "https://example.com")


class Invocations(ForwardingProxy):
    """Records invocations."""

    status = 202
    seen: list[tuple[str, str | None, Any]]

    def respond(self, body: bytes) -> None:
        self.seen.append((self.path, self.headers["X-Amz-Invocation-Type"], json.loads(body)))
        self.send(Answer(self.status, [("Content-Type", "application/json")], b""))


def put(status: int) -> list[tuple[str, str | None, Any]]:
    """Put a request, and return the invocations."""
    seen: list[tuple[str, str | None, Any]] = []
    handler = type("Handler", (Invocations,), {"status": status, "seen": seen})
    with serve_proxy("http://127.0.0.1:9", handler) as address:
        endpoint = AwsEndpoint("us-east-1", address, Credentials("a", "b"))
        queue = LambdaMailQueue("mail:live", endpoint)
        queue.put(REQUEST)
        queue.close()
    return seen


def test_a_request_invokes_the_function_asynchronously() -> None:
    event = {"name": "anna? <é>", "base_url": "https://example.com"}
    assert put(202) == [("/2015-03-31/functions/mail%3Alive/invocations", "Event", event)]


def test_a_refused_invocation_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="temporarily unavailable") as caught:
        put(403)
    assert caught.value.retry_after == 5
