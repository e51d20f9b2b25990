"""The functions in this process, called as API Gateway and the schedules call them.

Each function has a recorder of its calls between it and the emulator.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email import message_from_bytes, policy
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stratabase.core.app.app import App
from stratabase_aws.functions import handlers
from stratabase_aws.functions.handler import StreamedResponse
from tests.lambda_stack.functions import Event, FunctionContext, Handler, LambdaFunction, load_function
from tests.lambda_stack.gateway import FunctionRoutes
from tests.lambda_stack.recorder import Recorder
from tests.lambda_stack.template import FunctionDeclaration
from tests.service import PASSWORD, Reply, basic

ADMINISTRATOR = basic("admin", PASSWORD)
HOUR = 3_600_000
"""Milliseconds."""
JSON = "application/json"
GRAPHQL = "/auth/api/graphql/Hr"


def start_function(declared: FunctionDeclaration, instance: App) -> LambdaFunction:
    """Return a function with an instance of its own."""
    with _serving(instance):
        loaded = load_function(declared)
    return loaded._replace(handler=_handler_of(loaded, instance))


@contextmanager
def _serving(instance: App) -> Iterator[None]:
    """Make an instance that of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handlers, "app", lambda: instance)
        yield


def _handler_of(loaded: LambdaFunction, instance: App) -> Handler:
    """Return the handler of a function, which is called as if its instance were the only one."""

    def handler(event: Event, context: Any) -> Any:
        with _serving(instance):
            return loaded.handler(event, context)

    return handler


class MovableClock:
    """The clock of the machine, which `wait` moves. Each reading moves it by `step`. All in milliseconds."""

    def __init__(self) -> None:
        self.step = 0
        self._shift = 0

    def now(self) -> int:
        """Return the instant."""
        self.wait(self.step)
        return time.time_ns() // 1_000_000 + self._shift

    def wait(self, milliseconds: int) -> None:
        """Move the clock forward."""
        self._shift += milliseconds

    def sleep(self, seconds: float) -> None:
        """Move the clock forward, in place of a pause."""
        self.wait(round(seconds * 1000))


class Stack:
    """The functions of the template by name, with their recorders. `wait` moves the clock.

    `start` starts all functions. `lose_files` removes all bytes from the bucket.
    """

    def __init__(
        self,
        start: Callable[[], Mapping[str, LambdaFunction]],
        recorders: Mapping[str, Recorder],
        routes: FunctionRoutes,
        clock: "MovableClock",
        lose_files: Callable[[], None],
    ) -> None:
        self._start = start
        self._functions = start()
        self.recorders = recorders
        self._routes = routes
        self.clock = clock
        self.lose_files = lose_files
        self.wait = clock.wait

    def request(
        self,
        method: str,
        address: str,
        body: object = None,
        *,
        authorization: str | None = ADMINISTRATOR,
        headers: Mapping[str, str] | None = None,
        expected: int | None = None,
    ) -> Reply:
        """Send a request to the function of its route. A body that is not bytes is sent as JSON.

        `expected` is the status of the answer, None for any success.
        """
        url = urlsplit(address)
        match = self._routes.match(method, url.path)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        all_headers = {"Content-Type": JSON, "Host": "api.example.com", **(headers or {})}
        all_headers |= {"Authorization": authorization} if authorization else {}
        event = {
            "resource": match.resource,
            "path": url.path,
            "httpMethod": method,
            "headers": all_headers,
            "multiValueHeaders": {name: [value] for name, value in all_headers.items()},
            "multiValueQueryStringParameters": parse_qs(url.query) or None,
            "pathParameters": match.parameters,
            "requestContext": {
                "requestId": "00000000-0000-4000-a000-000000000000",
                "stage": "live",
                "path": f"/live{url.path}",
                "domainName": "api.example.com",
                "identity": {"sourceIp": "192.0.2.7"},
            },
            "body": None if body is None else base64.b64encode(content).decode(),
            "isBase64Encoded": body is not None,
        }
        reply = _reply(self.invoke(match.function, event))
        assert reply.status == expected or (expected is None and reply.status < 400), (method, address, reply)
        return reply

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """Return the result of a function."""
        loaded = self._functions[function]
        return loaded.handler(dict(event), FunctionContext(loaded.declaration))

    def replay(self, event: Mapping[str, Any]) -> None:
        """Send the event of a file to its function."""
        match = self._routes.match(event["httpMethod"], event["path"])
        _reply(self.invoke(match.function, event))

    def ask(self, query: str, authorization: str = ADMINISTRATOR, **variables: Any) -> Any:
        """Return the value of the last field of a GraphQL response without errors."""
        reply = self.request(
            "POST", GRAPHQL, {"query": query, "variables": variables}, authorization=authorization
        ).json()
        assert "errors" not in reply, reply
        return [*reply["data"].values()][-1]

    def restart(self) -> None:
        """Start all functions anew, as Lambda does."""
        self._functions = self._start()

    def create(self, class_name: str, selection: str = "_id", **data: Any) -> Any:
        """Create an object, and return what is selected of it."""
        return self.write(class_name, "create", data, selection)

    def update(self, class_name: str, **data: Any) -> None:
        """Update an object."""
        self.write(class_name, "update", data)

    def write(
        self,
        class_name: str,
        service: str,
        data: Mapping[str, Any],
        selection: str = "__typename",
        authorization: str = ADMINISTRATOR,
    ) -> Any:
        """Call a service that takes the data of an object, and return what is selected of the result."""
        type_ = f"{class_name}{service.capitalize()}"
        call = f"{class_name}___{service}(data: $data)"
        query = f"mutation($data: {type_}!) {{ {call} {{ {selection} }} }}"
        return self.ask(query, authorization, data=data)

    def page(self, class_name: str, selection: str, **options: Any) -> Any:
        """Return the objects of a page."""
        query = f"query($o: {class_name}PageOptions) {{ {class_name}___getPage(options: $o) "
        return self.ask(f"{query} {{ totalCount items {{ {selection} }} }} }}", o=options)["items"]

    def deliver_events(self) -> None:
        """Invoke the function mail with the events that wait for it."""
        events = self.recorders["MembersFunction"].events
        while events:
            self.invoke("MailFunction", events.pop(0))

    def mailed_token(self, function: str = "MembersFunction") -> str:
        """Return the token of the last link that a function has emailed."""
        mails = self.recorders[function].mails
        texts = (message_from_bytes(mail, policy=policy.default).get_content() for mail in mails)
        tokens: list[str] = re.findall(r"token=(\S+)", "".join(texts))
        return tokens[-1]

    def sweep(self) -> None:
        """Run the sweep as often as the removal of a file needs."""
        for _ in range(3):
            self.invoke("SweepFunction", {"source": "aws.events"})
            self.wait(HOUR)


def _reply(result: Any) -> Reply:
    if isinstance(result, StreamedResponse):
        headers = {name.lower(): values[-1] for name, values in result.headers.items()}
        return Reply(result.status, headers, b"".join(result.body))
    headers = {name.lower(): values[-1] for name, values in result["multiValueHeaders"].items()}
    body = result["body"] or ""
    return Reply(
        result["statusCode"],
        headers,
        base64.b64decode(body) if result.get("isBase64Encoded") else body.encode(),
    )
