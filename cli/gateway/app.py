"""The gateway as an ASGI application."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from cli.gateway import limits
from cli.gateway.answer import to_reply
from cli.gateway.body import Gone, read_body
from cli.gateway.context import Context
from cli.gateway.event import Event, check_size, make_event, new_request_id, raw_path
from cli.gateway.functions import Function
from cli.gateway.greenlets import Greenlets, TookTooLong
from cli.gateway.head import Head, asks_for_web_socket, is_host, read_head
from cli.gateway.refusals import Kind, Refusals, Refused
from cli.gateway.reply import Reply
from cli.gateway.routes import Routes

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

log = logging.getLogger(__name__)


class Gateway:
    """Answers HTTP requests with what the functions answer to their events."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        routes: Routes,
        refusals: Refusals,
        greenlets: Greenlets,
        patience: float = limits.TIMEOUT,
    ) -> None:
        self._functions = functions
        self._routes = routes
        self._refusals = refusals
        self._greenlets = greenlets
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request_id = new_request_id()
        head = read_head(scope["headers"])
        try:
            reply = await self._reply(scope, head, receive, request_id)
        except Refused as refused:
            reply = self._refusals.reply(refused, request_id)
            if head.expects_continue or refused.kind is Kind.BAD_REQUEST:
                # A client that was told no may leave its body away, and nobody knows what comes next.
                reply.headers.append((b"Connection", b"close"))
        except Gone:
            return
        await _send(send, reply, request_id)

    async def _reply(self, scope: Scope, head: Head, receive: Receive, request_id: str) -> Reply:
        method, path = scope["method"], raw_path(scope)
        _check_head(scope, head)
        match = self._routes.match(method, path)
        body = b"" if head.content_length == 0 else await read_body(receive, head.content_length)
        event = make_event(scope, head, match, body, request_id)
        check_size(event)
        name = f"{method} {match.resource} (trace id {request_id})".encode()
        return to_reply(await self._answer(self._functions[match.function], event, name), method)

    async def _answer(self, function: Function, event: Event, name: bytes) -> Any:
        """Return what the function answers to the request of that name, in time."""
        context, own = Context(function.declared), function.declared.timeout
        patience = min(self._patience, own)
        try:
            return await self._greenlets.run(lambda: function.handler(event, context), patience, name)
        except TookTooLong:
            kind = Kind.FAILED if own < self._patience else Kind.TIMEOUT
            raise Refused(kind, f"The function took longer than {patience:g} s.") from None
        except (Exception, SystemExit):
            log.exception("%s failed at %s", function.declared.name, event["path"])
            raise Refused(Kind.FAILED, "Internal server error") from None


def _check_head(scope: Scope, head: Head) -> None:
    """Refuse a head that is no good HTTP, or that API Gateway does not take."""
    if len(head.hosts) != 1 and (head.hosts or scope["http_version"] != "1.0"):
        number = f"{len(head.hosts)} Host headers" if head.hosts else "no Host header"
        text = f"The request has {number}; HTTP/1.1 requires exactly one."
        raise Refused(Kind.BAD_REQUEST, text)
    if head.hosts and not is_host(head.hosts[0]):
        raise Refused(Kind.BAD_REQUEST, "The Host header is not a valid host name.")
    if asks_for_web_socket(scope["headers"]):
        raise Refused(Kind.BAD_REQUEST, "WebSocket is not served here; send plain HTTP requests.")
    line = len(scope["method"]) + len(scope["raw_path"]) + len(scope["query_string"]) + len("  HTTP/1.1\r\n")
    size = line + head.size + bool(scope["query_string"])
    if size > limits.HEAD:
        text = f"Request line and headers have {size} bytes; at most {limits.HEAD} are allowed."
        raise Refused(Kind.HEAD_TOO_LARGE, text)


async def _send(send: Send, reply: Reply, request_id: str) -> None:
    headers = [*reply.headers, (b"x-amzn-RequestId", request_id.encode("ascii"))]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
