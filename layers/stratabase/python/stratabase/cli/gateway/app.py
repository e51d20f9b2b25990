"""The gateway as an ASGI application."""

import logging
from collections.abc import Mapping
from typing import Any

from stratabase.cli.gateway.errors import (
    CONNECTION_ERRORS,
    INTEGRATION_TIMEOUT,
    MAX_HEAD,
    ErrorType,
    GatewayError,
)
from stratabase.cli.gateway.event import (
    AsgiScope,
    Event,
    check_event_size,
    make_event,
    new_request_id,
    raw_path,
)
from stratabase.cli.gateway.greenlets import CallTimeout, Greenlets
from stratabase.cli.gateway.lambda_functions import FunctionContext, Handler, LambdaFunction
from stratabase.cli.gateway.request import (
    ClientDisconnected,
    Head,
    Receive,
    asks_for_web_socket,
    is_host,
    read_head,
    receive_body,
)
from stratabase.cli.gateway.responses import (
    ErrorResponses,
    HttpResponse,
    function_response,
    streaming_response,
)
from stratabase.cli.gateway.routes import Routes
from stratabase.cli.gateway.streams import Send, send_stream
from stratabase.http_api.http.api_gateway import StreamedResponse

log = logging.getLogger(__name__)


class Gateway:
    """The ASGI application, which answers each HTTP request by a call of a Lambda function.

    `time_limit` is the gateway's limit for a call, in seconds. A function can declare a lower timeout. If the
    function streams its response, the limit applies until the body begins.
    """

    def __init__(
        self,
        functions: Mapping[str, LambdaFunction],
        routes: Routes,
        error_responses: ErrorResponses,
        greenlets: Greenlets,
        time_limit: float = INTEGRATION_TIMEOUT,
    ) -> None:
        self._functions = functions
        self._routes = routes
        self._error_responses = error_responses
        self._greenlets = greenlets
        self._time_limit = time_limit

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        request_id = new_request_id()
        head = read_head(scope["headers"])
        try:
            response = await self._respond(scope, head, receive, request_id)
        except GatewayError as error:
            response = self._error_responses.response(error, request_id)
            if head.expects_continue or error.error_type in CONNECTION_ERRORS:
                # The client may now omit the body that it announced, or send the rest of it later, or the
                # request was not valid HTTP. So the next bytes on this connection cannot be interpreted.
                response.headers.append((b"Connection", b"close"))
        except ClientDisconnected:
            return
        await _send(send, receive, response, request_id)

    async def _respond(self, scope: AsgiScope, head: Head, receive: Receive, request_id: str) -> HttpResponse:
        """Return the response to a request. Raises GatewayError and ClientDisconnected."""
        method, path = scope["method"], raw_path(scope)
        _check_head(scope, head)
        match = self._routes.match(method, path)
        body = b"" if head.content_length == 0 else await receive_body(receive, head.content_length)
        event = make_event(scope, head, match, body, request_id)
        check_event_size(event)
        name = f"{method} {match.resource} (trace id {request_id})".encode()
        result = await self._call(self._functions[match.function], event, name)
        return (
            streaming_response(result)
            if isinstance(result, StreamedResponse)
            else function_response(result, method)
        )

    async def _call(self, function: LambdaFunction, event: Event, name: bytes) -> Any:
        """Return the result of a function for the request with a name. Raises GatewayError if it fails."""
        context, function_timeout = FunctionContext(function.declaration), function.declaration.timeout
        time_limit = min(self._time_limit, function_timeout)
        call = _HandlerCall(function.handler, event, context)
        try:
            return await self._greenlets.run(call.run, time_limit, name)
        except CallTimeout:
            call.abandon()
            # On AWS, a function that exceeds its own timeout fails (502). The gateway's limit gives 504.
            error_type = ErrorType.FAILED if function_timeout < self._time_limit else ErrorType.TIMEOUT
            raise GatewayError(error_type, f"The function took longer than {time_limit:g} s.") from None
        except (Exception, SystemExit):
            log.exception("Function %s failed at %s", function.declaration.name, event["path"])
            raise GatewayError(ErrorType.FAILED, "Internal server error") from None


class _HandlerCall:
    """A call of a handler, whose result nobody may be waiting for any more."""

    def __init__(self, handler: Handler, event: Event, context: FunctionContext) -> None:
        self._handler = handler
        self._event = event
        self._context = context
        self._is_abandoned = False

    def run(self) -> Any:
        """Return the result of the handler."""
        result = self._handler(self._event, self._context)
        if self._is_abandoned and isinstance(result, StreamedResponse):
            result.body.close()
        return result

    def abandon(self) -> None:
        """Close the body of the result, if there is one later."""
        self._is_abandoned = True


def _check_head(scope: AsgiScope, head: Head) -> None:
    """Raise GatewayError for a head that is invalid HTTP or that API Gateway rejects."""
    if len(head.hosts) != 1 and (head.hosts or scope["http_version"] != "1.0"):
        number = f"{len(head.hosts)} Host headers" if head.hosts else "no Host header"
        text = f"The request has {number}; HTTP/1.1 requires exactly one."
        raise GatewayError(ErrorType.BAD_REQUEST, text)
    if head.hosts and not is_host(head.hosts[0]):
        raise GatewayError(ErrorType.BAD_REQUEST, "The Host header is not a valid host name.")
    if asks_for_web_socket(scope["headers"]):
        raise GatewayError(ErrorType.BAD_REQUEST, "WebSocket is not served here; send plain HTTP requests.")
    line = len(scope["method"]) + len(scope["raw_path"]) + len(scope["query_string"]) + len("  HTTP/1.1\r\n")
    size = line + head.size + bool(scope["query_string"])
    if size > MAX_HEAD:
        text = f"Request line and headers have {size} bytes; at most {MAX_HEAD} are allowed."
        raise GatewayError(ErrorType.HEAD_TOO_LARGE, text)


async def _send(send: Send, receive: Receive, response: HttpResponse, request_id: str) -> None:
    headers = [*response.headers, (b"x-amzn-RequestId", request_id.encode("ascii"))]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if response.stream is None:
        await send({"type": "http.response.body", "body": response.body})
    else:
        await send_stream(send, receive, response.stream, request_id)
