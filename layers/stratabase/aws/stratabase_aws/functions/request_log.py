"""The line that each request on Lambda writes to the log, with metrics in CloudWatch's embedded format.

CloudWatch makes the metrics of such a line by itself, so no request waits for a call. The line has no
personal data: it names the route and not the address, and the operations and not their arguments.

It is written without Powertools, because every request writes it: importing Powertools' Logger and Metrics
would make every cold start longer (docs/decisions/2026-11-23-request-log.md).
"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import orjson

from stratabase.core.request_log import RequestRecord, RequestUsage, line_fields, record_usage
from stratabase_aws.tracing import trace_request

NAMESPACE = "Stratabase"
_REFUSAL_METRIC = "Refusals."
OLDEST_PURGE_METRIC = "OldestPurgeSeconds"
"""The metric with the age of the oldest work of a large write that is still to do after a sweep."""
SET_ASIDE_METRIC = "JobsSetAside"
"""The metric with the number of jobs that have failed too often."""
_UNITS = {"Milliseconds": "Milliseconds", OLDEST_PURGE_METRIC: "Seconds"}
"""The units of metrics that are not counts."""


class RequestLine:
    """The line of one request. `status` is the status of its response, 500 until it is known."""

    def __init__(self, usage: RequestUsage) -> None:
        self.usage = usage
        self.status = 500


class RequestLog:
    """Writes the lines of requests to the standard output, which Lambda keeps in the log."""

    def __init__(self, service: str, stack: str = "", stream: IO[str] | None = None) -> None:
        """`service`, `stack`: the names of the function and its stack, the dimensions of the metrics."""
        self._service = service
        self._stack = stack
        self._stream = stream

    @contextmanager
    def line(self, route: str, method: str, trace_id: str) -> Iterator[RequestLine]:
        """Write a line after the `with` block, and trace the request if X-Ray traces the invocation.

        `route`: the template of an address, such as `/files/{id}`.
        """
        began = time.perf_counter()
        with trace_request(f"{method} {route}") as trace, record_usage() as usage:
            line = RequestLine(usage)
            try:
                yield line
            finally:
                milliseconds = (time.perf_counter() - began) * 1000
                self._write(RequestRecord(route, method, trace_id, line.status, milliseconds, usage))
                if trace is not None:
                    trace.status = line.status
                    trace.fields = {
                        "annotations": {
                            "route": route,
                            "method": method,
                            "traceId": trace_id,
                            "service": self._service,
                        },
                        "metadata": {"stratabase": {"operations": usage.operations}},
                    }

    def _write(self, record: RequestRecord) -> None:
        usage = record.usage
        counts: dict[str, float] = {
            "Requests": 1,
            "Errors": int(record.status >= 500),
            "ReadUnits": usage.read_units,
            "WriteUnits": usage.write_units,
            "Retries": usage.retries,
            "TransactionConflicts": usage.conflicts,
            "LockConflicts": usage.refusals["ENTITY_LOCK_PERSIST"],
            **{f"{_REFUSAL_METRIC}{type_}": count for type_, count in usage.refusals.items()},
        }
        # CloudWatch bills each metric that has a value in an hour, and sums are the same without zeros.
        metrics = {name: count for name, count in counts.items() if count}
        metrics["Milliseconds"] = round(record.milliseconds, 3)
        fields = {"stack": self._stack, **record.fields()} if self._stack else record.fields()
        _write_line(self._stream, "Request", self._service, fields, metrics)


def publish_metric(
    service: str, name: str, value: float, stack: str = "", stream: IO[str] | None = None
) -> None:
    """Write a line with one metric of a function that answers no requests. A value of 0 has no line."""
    if value:
        _write_line(stream, "Metric", service, {"stack": stack} if stack else {}, {name: value})


def _write_line(
    stream: IO[str] | None,
    message: str,
    service: str,
    fields: Mapping[str, object],
    metrics: Mapping[str, float],
) -> None:
    now = time.time()
    content: dict[str, Any] = {
        **line_fields(message, service, fields, now),
        **metrics,
        "_aws": {
            "Timestamp": int(now * 1000),
            "CloudWatchMetrics": [
                {
                    "Namespace": NAMESPACE,
                    "Dimensions": [["stack", "service"] if "stack" in fields else ["service"]],
                    "Metrics": [{"Name": name, "Unit": _UNITS.get(name, "Count")} for name in metrics],
                }
            ],
        },
    }
    stream = stream or sys.stdout
    stream.write(orjson.dumps(content).decode() + "\n")
    stream.flush()
