"""The metrics of requests for Prometheus, in files that the processes of one service share."""

import os
from pathlib import Path
from typing import Any

from stratabase.core.request_log import RequestRecord

MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder of the files to the client library."""


class RequestMetrics:
    """Counts the requests of this process. Labels are names of the API, never ids or values."""

    def __init__(self, folder: Path, process: int) -> None:
        """`folder`: where all processes keep their counts. `process`: a number that no other one has now.

        A process continues the counts of the one that had its number before. So the number of files stays
        small.
        """
        os.environ[MULTIPROCESS_VARIABLE] = str(folder)
        # The library chooses the kind of its values when it is imported, so import it only now.
        from prometheus_client import CollectorRegistry, Counter, Histogram, values  # noqa: PLC0415

        untyped: Any = values
        untyped.ValueClass = untyped.MultiProcessValue(lambda: process)
        registry = CollectorRegistry()
        self._requests = Counter(
            "stratabase_requests", "Requests by route and status.", ["route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "stratabase_request_seconds", "Durations of requests by route.", ["route"], registry=registry
        )
        self._services = Counter(
            "stratabase_service_calls", "Calls of GraphQL services.", ["service"], registry=registry
        )
        self._refusals = Counter(
            "stratabase_refusals", "Refusals by their types.", ["refusal"], registry=registry
        )
        self._graphql_core = Counter(
            "stratabase_graphql_core",
            "GraphQL requests that no compiled operation answered, by the reason.",
            ["reason"],
            registry=registry,
        )

    def write(self, record: RequestRecord) -> None:
        """Count a request."""
        self._requests.labels(record.route, str(record.status)).inc()
        self._seconds.labels(record.route).observe(record.milliseconds / 1000)
        for service in record.usage.operations:
            self._services.labels(service).inc()
        for refusal, count in record.usage.refusals.items():
            self._refusals.labels(refusal).inc(count)
        if record.usage.graphql_core is not None:
            self._graphql_core.labels(record.usage.graphql_core).inc()
