"""The metrics of a service for Prometheus: workers count requests, and the supervisor sums their counts.

The counts are in files that the processes of one service share.
"""

import os
import struct
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from stratabase.core.request_log import RequestRecord
from stratabase.terminal.command_error import CommandError

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


ATTEMPTS = 20
"""How often the files of the workers are read at most until all of them are complete."""
_PAUSE = 0.01
"""The seconds between two attempts."""


class _Collector:
    """Collects the metrics of all workers. A file that a worker has just created can be incomplete."""

    def __init__(self, collect: Callable[[], Iterable[Any]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Any]:
        """Return the metrics."""
        for _ in range(ATTEMPTS - 1):
            try:
                return list(self._collect())
            except struct.error:
                time.sleep(_PAUSE)
        return self._collect()


class MetricsServer:
    """Serves the metrics at an address, in its own thread. Use it as a context manager.

    `count_workers` returns the number of workers that serve.
    """

    def __init__(self, address: tuple[str, int], count_workers: Callable[[], int]) -> None:
        """`address`: the host and the port."""
        self._address = address
        self._count_workers = count_workers
        self._folder = tempfile.TemporaryDirectory(prefix="stratabase-metrics-", ignore_cleanup_errors=True)
        self._server: Any = None

    @property
    def folder(self) -> Path:
        """The folder in which the workers keep their counts."""
        return Path(self._folder.name)

    @property
    def url(self) -> str:
        """The URL of the metrics."""
        host, port = self._server.server_address[:2]
        return f"http://[{host}]:{port}/metrics" if ":" in host else f"http://{host}:{port}/metrics"

    def __enter__(self) -> Self:
        """Start to serve. Raises CommandError."""
        from prometheus_client import CollectorRegistry, Gauge, start_http_server  # noqa: PLC0415 - rarely needed
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415 - rarely needed

        registry = CollectorRegistry()
        untyped: Any = MultiProcessCollector
        registry.register(_Collector(untyped(None, str(self.folder)).collect))
        workers = Gauge("stratabase_workers", "Workers that serve.", registry=registry)
        workers.set_function(self._count_workers)
        host, port = self._address
        try:
            self._server, _thread = start_http_server(port, host, registry)
        except (OSError, UnicodeError) as error:  # the latter for names that no host can have
            self._folder.cleanup()
            reason = getattr(error, "strerror", None) or "not a valid name"
            raise CommandError(
                f"--metrics: {host}:{port} cannot be used ({reason}). Use an address of this machine and a "
                "free port, such as 127.0.0.1:9464."
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()
