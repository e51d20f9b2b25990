"""Subsegments for AWS X-Ray: one for each request, and one for each of its calls to services of AWS.

If Lambda traces an invocation, it sets the header of the trace and the address of its X-Ray daemon in the
environment. The documents go to the daemon by UDP, so no request waits for them. Without these variables, or
if X-Ray doesn't sample the invocation, nothing is recorded.

X-Ray's SDK isn't used: see docs/decisions/2026-11-23-tracing.md.
"""

import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from secrets import token_hex
from typing import Any

import orjson

_HEADER = b'{"format":"json","version":1}\n'
_NOT_IN_NAMES = re.compile(r"[^\w\s.:/%&#=+\\\-@]")
"""Characters that X-Ray doesn't allow in names."""
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_CLIENT_ERROR = 400


class Subsegment:
    """A recorded step of a request. Its threads may add steps below it."""

    def __init__(self, name: str, trace_id: str, parent_id: str) -> None:
        self.name = _NOT_IN_NAMES.sub("", name)
        self.id = token_hex(8)
        self.trace_id = trace_id
        self.parent_id = parent_id
        self.began = time.time()
        self.status: int | None = None
        """The HTTP status of the answer, None if there was none."""
        self.failed = False
        """Whether the step raised an exception without a status."""
        self.fields: dict[str, Any] = {}
        """Further fields of the document, such as `annotations`, which X-Ray can search."""

    def document(self, ended: float) -> Mapping[str, Any]:
        """Return the document of the step, which ended at a time in seconds since 1970."""
        status = self.status
        document = {
            "type": "subsegment",
            "name": self.name,
            "id": self.id,
            "trace_id": self.trace_id,
            "parent_id": self.parent_id,
            "start_time": self.began,
            "end_time": ended,
            **self.fields,
        }
        if status is not None:
            document["http"] = {"response": {"status": status}}
            document |= {"throttle": True} if status == _TOO_MANY_REQUESTS else {}
            document |= {"error": True} if _CLIENT_ERROR <= status < _SERVER_ERROR else {}
        if self.failed or (status or 0) >= _SERVER_ERROR:
            document["fault"] = True
        return document


_current: ContextVar[Subsegment | None] = ContextVar("subsegment", default=None)


@contextmanager
def trace_request(name: str) -> Iterator[Subsegment | None]:
    """Record the request inside the `with` block. Yields None if the invocation is not traced."""
    trace = dict(part.partition("=")[::2] for part in os.environ.get("_X_AMZN_TRACE_ID", "").split(";"))
    if trace.get("Sampled") != "1" or not {"Root", "Parent"} <= trace.keys() or _daemon() is None:
        yield None
        return
    with _record(Subsegment(name, trace["Root"], trace["Parent"])) as subsegment:
        yield subsegment


@contextmanager
def trace_call(service: str, operation: str) -> Iterator[None]:
    """Record a call of the current request to a service of AWS, if the request is traced."""
    parent = _current.get()
    if parent is None:
        yield
        return
    call = Subsegment(service, parent.trace_id, parent.id)
    call.fields = {"namespace": "aws", "aws": {"operation": operation}}
    with _record(call):
        yield


def trace_client(client: Any) -> None:
    """Record each call of a botocore client, with its retries, below the request that makes it.

    A call inside a step that is itself a call is not recorded: `trace_call` has recorded it.
    """
    events = client.meta.events
    events.register("before-call", partial(_begin_call, client.meta.service_model.service_id))
    events.register("after-call", _end_call)
    events.register("after-call-error", _fail_call)


_CALL = "stratabase_subsegment"
"""The key of the subsegment in botocore's context of a call."""


def _begin_call(service: str, model: Any, context: dict[str, Any], **_: Any) -> None:
    parent = _current.get()
    if parent is not None and "aws" not in parent.fields:
        call = context[_CALL] = Subsegment(service, parent.trace_id, parent.id)
        call.fields = {"namespace": "aws", "aws": {"operation": model.name}}


def _end_call(context: Mapping[str, Any], http_response: Any, **_: Any) -> None:
    call: Subsegment | None = context.get(_CALL)
    if call is not None:
        call.status = http_response.status_code
        _send(call.document(time.time()))


def _fail_call(context: Mapping[str, Any], **_: Any) -> None:
    call: Subsegment | None = context.get(_CALL)
    if call is not None:
        call.failed = True
        _send(call.document(time.time()))


@contextmanager
def _record(subsegment: Subsegment) -> Iterator[Subsegment]:
    token = _current.set(subsegment)
    try:
        yield subsegment
    except Exception as error:
        # An answer with an error has a status.
        subsegment.status = getattr(error, "status", None)
        subsegment.failed = subsegment.status is None
        raise
    finally:
        _current.reset(token)
        _send(subsegment.document(time.time()))


def _send(document: Mapping[str, Any]) -> None:
    """Send a document to the daemon. A request never fails because of it."""
    address = _daemon()
    if address is not None:
        with suppress(OSError, OverflowError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
            connection.setblocking(False)
            connection.sendto(_HEADER + orjson.dumps(document), address)


def _daemon() -> tuple[str, int] | None:
    """Return the address of the daemon for UDP, None without one: `host:port`, or `tcp:… udp:host:port`."""
    addresses = os.environ.get("AWS_XRAY_DAEMON_ADDRESS", "").split()
    host, _, port = next((each for each in addresses if not each.startswith("tcp:")), "").rpartition(":")
    return (host.removeprefix("udp:"), int(port)) if host and port.isdecimal() else None
