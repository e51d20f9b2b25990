"""A Lambda runtime for functions that stream their responses, which Lambda's own runtime for Python cannot.

A wrapper script in the folder of the function starts it in place of that runtime (AWS_LAMBDA_EXEC_WRAPPER).
The function returns a `Streamed`. Its body is sent to Lambda's Runtime API chunk by chunk.
"""

import base64
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, NamedTuple, Protocol

_ROOT = "/2018-06-01/runtime"
_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
_STREAM_HEADERS = {
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Transfer-Encoding": "chunked",
    "Trailer": f"{_ERROR_TYPE}, {_ERROR_BODY}",
}
_END_OF_PRELUDE = bytes(8)
"""What separates the status and the headers, which are JSON, from the body."""


class Body(Protocol):
    """The chunks of a body. It must be closed."""

    def __next__(self) -> bytes:
        """Return the next chunk."""

    def __iter__(self) -> Iterator[bytes]:
        """Return the body itself."""

    def close(self) -> None:
        """Release the source of the body."""


class Streamed(Protocol):
    """What a function returns: the status, the values of each header by name, and the body."""

    @property
    def status(self) -> int:
        """The status."""

    @property
    def headers(self) -> Mapping[str, list[str]]:
        """The values of each header, by name."""

    @property
    def body(self) -> Body:
        """The body."""


StreamingHandler = Callable[[Any, "InvocationContext"], Streamed]


class InvocationContext(NamedTuple):
    """The context object that a handler receives together with the event."""

    aws_request_id: str
    invoked_function_arn: str
    deadline: int
    """When Lambda stops the invocation, in milliseconds since the epoch."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until Lambda stops the invocation."""
        return max(0, self.deadline - int(time.time() * 1000))


class _Invocation(NamedTuple):
    event: Any
    context: InvocationContext


class RuntimeApiError(Exception):
    """The Runtime API refused a request."""


class RuntimeApi:
    """A client of Lambda's Runtime API, with one connection for all requests."""

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(address)

    def next_invocation(self) -> _Invocation:
        """Wait for the next invocation, and return it."""
        self._connection.request("GET", f"{_ROOT}/invocation/next")
        response = self._connection.getresponse()
        body = _read(response)
        _set_trace_id(response.getheader("Lambda-Runtime-Trace-Id"))
        context = InvocationContext(
            response.getheader("Lambda-Runtime-Aws-Request-Id", ""),
            response.getheader("Lambda-Runtime-Invoked-Function-Arn", ""),
            int(response.getheader("Lambda-Runtime-Deadline-Ms", "0")),
        )
        return _Invocation(json.loads(body), context)

    def send(self, request_id: str, response: Streamed) -> Exception | None:
        """Send a response. If its body fails midway, tell the Runtime API, and return the exception.

        Raises OSError, HTTPException and RuntimeApiError if the Runtime API does not take the response.
        """
        prelude = {"statusCode": response.status, "multiValueHeaders": response.headers}
        self._connection.putrequest("POST", f"{_ROOT}/invocation/{request_id}/response")
        for name, value in _STREAM_HEADERS.items():
            self._connection.putheader(name, value)
        self._connection.endheaders()
        self._send_chunk(json.dumps(prelude).encode() + _END_OF_PRELUDE)
        failure = self._send_body(response.body)
        trailers = b"" if failure is None else _error_trailers(failure)
        self._connection.send(b"0\r\n" + trailers + b"\r\n")
        _read(self._connection.getresponse())
        return failure

    def report_failed_start(self, error: Exception) -> None:
        """Report that the function could not be loaded."""
        headers = {"Content-Type": "application/json", _ERROR_TYPE: f"Runtime.{type(error).__name__}"}
        self._connection.request("POST", f"{_ROOT}/init/error", _error_json(error), headers)
        _read(self._connection.getresponse())

    def reconnect(self) -> None:
        """Use a new connection for the next request."""
        self._connection.close()

    def _send_body(self, body: Body) -> Exception | None:
        """Send all chunks of a body. Return the exception if it raises one."""
        while True:
            try:
                chunk = next(body, None)
            except Exception as error:  # noqa: BLE001 - the caller reports any error of the function
                return error
            if chunk is None:
                return None
            if chunk:
                self._send_chunk(chunk)

    def _send_chunk(self, chunk: bytes) -> None:
        self._connection.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))


def run(api: RuntimeApi, handler_name: str) -> None:
    """Answer all invocations with a handler such as `app.handler`. Raises SystemExit if there is none."""
    try:
        handler = load_handler(handler_name)
    except Exception as error:
        _log("The function could not be loaded", error, "")
        api.report_failed_start(error)
        raise SystemExit(1) from error
    while True:
        answer_next(api, handler)


def answer_next(api: RuntimeApi, handler: StreamingHandler) -> None:
    """Wait for the next invocation, and answer it."""
    event, context = api.next_invocation()
    request_id = context.aws_request_id
    response = _call(handler, event, context)
    try:
        failure = api.send(request_id, response)
    except (OSError, HTTPException, RuntimeApiError) as error:
        # Lambda no longer waits for this response, for example because the time of the invocation is over.
        _log("The response could not be sent", error, request_id)
        api.reconnect()
    else:
        if failure is not None:
            _log("The body of the response failed", failure, request_id)
    finally:
        response.body.close()


def load_handler(name: str) -> StreamingHandler:
    """Return a handler by the name of its module and of the handler in it. Raises what the import raises."""
    module, _, attribute = name.rpartition(".")
    handler: StreamingHandler = getattr(importlib.import_module(module.replace("/", ".")), attribute)
    return handler


class _FailedResponse:
    """The response to an invocation whose handler raised an exception."""

    status = 500
    headers: Mapping[str, list[str]]

    def __init__(self, trace_id: str) -> None:
        problem = {
            "type": "about:blank",
            "title": "Internal Server Error",
            "status": self.status,
            "detail": f"An internal error occurred. The trace ID is {trace_id}.",
            "traceId": trace_id,
        }
        self.headers = {"Content-Type": ["application/problem+json"], "Cache-Control": ["no-store"]}
        self.body: Body = _chunks(json.dumps(problem).encode())


def _chunks(content: bytes) -> Any:
    yield content


def _call(handler: StreamingHandler, event: Any, context: InvocationContext) -> Streamed:
    try:
        return handler(event, context)
    except Exception as error:  # noqa: BLE001 - the client gets an error response for any bug
        _log("The function failed", error, context.aws_request_id)
        return _FailedResponse(context.aws_request_id)


def _read(response: HTTPResponse) -> bytes:
    """Return the body of a response of the Runtime API. Raises RuntimeApiError if it refused the request."""
    body = response.read()
    if response.status >= 300:
        raise RuntimeApiError(f"{response.status} {response.reason}: {body[:1000]!r}")
    return body


def _set_trace_id(trace_id: str | None) -> None:
    if trace_id is None:
        os.environ.pop("_X_AMZN_TRACE_ID", None)
    else:
        os.environ["_X_AMZN_TRACE_ID"] = trace_id


def _error_trailers(error: Exception) -> bytes:
    body = base64.b64encode(_error_json(error)).decode()
    return f"{_ERROR_TYPE}: Function.{type(error).__name__}\r\n{_ERROR_BODY}: {body}\r\n".encode()


def _error_json(error: Exception) -> bytes:
    fields = {
        "errorMessage": str(error),
        "errorType": type(error).__name__,
        "stackTrace": traceback.format_tb(error.__traceback__),
    }
    return json.dumps(fields).encode()


def _log(message: str, error: Exception, request_id: str) -> None:
    fields = {
        "level": "ERROR",
        "message": message,
        "function_request_id": request_id,
        "exception": "".join(traceback.format_exception(error)),
    }
    print(json.dumps(fields), file=sys.stderr, flush=True)  # noqa: T201 - Lambda keeps it in the log


def main() -> None:
    """Run the function that Lambda's variables name, until the process ends."""
    run(RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"]), os.environ["_HANDLER"])


if __name__ == "__main__":
    main()
