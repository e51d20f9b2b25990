"""The handler of the Lambda functions that API Gateway calls: from an event to a proxy response."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf

from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.response_size import ProxyResponse, proxy_response
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import invocation
from stratabase_aws.functions.events import (
    ProxyEvent,
    StreamedResponse,
    decode_event_body,
    request_from_event,
    streamed_response,
)
from stratabase_aws.functions.request_log import RequestLine, RequestLog


class LambdaHandler:
    """Answers events of API Gateway by the handler of HTTP requests."""

    def __init__(self, http: HttpHandler, request_log: RequestLog | None = None) -> None:
        """`request_log`: gets a line for each request."""
        self.http = http
        self._request_log = request_log

    def __call__(self, event: ProxyEvent, context: object = None) -> ProxyResponse:
        """Answer an API Gateway REST (v1) proxy event, before the deadline. Never raises."""
        request = request_from_event(event, self.http.base_url)
        with self._log_request(request, context) as line:
            response = self.http.answer(
                request, _remaining_seconds(context), partial(decode_event_body, event)
            )
            if line is not None:
                line.status = response.status
        return proxy_response(response)

    def stream(self, event: ProxyEvent, context: object = None) -> StreamedResponse:
        """Answer an event like `__call__`, but with a body that is read while it is sent. Never raises.

        The body can raise while it is read. The deadline is that of its first byte.
        """
        request = request_from_event(event, self.http.base_url)
        with self._log_request(request, context) as line:
            response = self.http.answer(
                request, _remaining_seconds(context), partial(decode_event_body, event), may_stream=True
            )
            if line is not None:
                line.status = response.status
        return streamed_response(response, bodiless=request.method == "HEAD")

    @contextmanager
    def _log_request(self, request: Request, context: object) -> Iterator[RequestLine | None]:
        """Name the invocation of a request in the log, and log the request itself."""
        if self._request_log is None:
            yield None
            return
        with (
            invocation(context),
            self._request_log.line(request.resource, request.method, request.trace_id) as line,
        ):
            yield line


def _remaining_seconds(context: object) -> float:
    """Return the seconds until the end of an invocation with a context of Lambda, or without one."""
    milliseconds: Callable[[], int] | None = getattr(context, "get_remaining_time_in_millis", None)
    return inf if milliseconds is None else milliseconds() / 1000
