"""Measures the operations on the deployed functions: `python -m benchmarks.costs.measure` writes the figures.

The functions run as on Lambda, in AWS's runtime client with the packages of the layers, over an emulator.
Units of reads are computed from the sizes of items, and those of writes are the emulator's.
"""

import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.costs.operations import INSIGHT, Data, Operation
from benchmarks.costs.recorder import AwsCall, round_trips
from benchmarks.costs.service import Request, Service, running_service
from stratabase_aws.deploy.template_parameters import read_template_document
from tests.lambda_stack.stack import TEMPLATE
from tests.lambda_stack.template import read_template

FILE = Path(__file__).parent / "measured.json"
REQUESTS = int(os.environ.get("REQUESTS", "100"))
OBSERVED = 3
REPEATED = 10
SLOW = 40
"""The number of requests of operations that take long: with passwords or large files."""
FUNCTIONS = (
    "GraphqlFunction",
    "TokensFunction",
    "SigninFunction",
    "MembersFunction",
    "FilesFunction",
    "DownloadFunction",
    "ConsoleFunction",
)
SWEEP = "SweepFunction"
TOGETHER = 10
"""The number of members whose requests are repeated while they are in the cache, a few seconds."""


def main() -> None:
    """Measure all operations, and write their figures to the file."""
    FILE.write_text(json.dumps(measure(REQUESTS), indent=2) + "\n")


def measure(requests: int) -> dict[str, Any]:
    """Return the figures of all operations. `requests`: how many of each one the CPU time is of."""
    with running_service((*FUNCTIONS, SWEEP)) as service:
        data = Data(service)
        sweep = _measure_sweep(service)
        rows = []
        for number, operation in enumerate(data.operations(), 1):
            print(f"{number}. {operation.name}", file=sys.stderr, flush=True)
            rows.append(_measure(service, operation, requests))
        rows.append(_measure_authentication(service, data, max(1, requests // TOGETHER)))
        return {
            "date": time.strftime("%Y-%m-%d"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "requests": requests,
            "load": round(os.getloadavg()[0], 1),
            "operations": rows,
            "cold_cpu_ms": _cold_starts(service, data),
            "sweep": sweep,
            "metrics": _metrics(service.log),
            "template": template_figures(),
        }


def _measure(service: Service, operation: Operation, requests: int) -> dict[str, Any]:
    numbers = count()
    sent = [operation.send(next(numbers)) for _ in range(_requests(operation, requests))]
    # 1. Once, so that the documents are compiled and the caches are warm.
    for _ in range(3):
        _send(service, operation, _without_insight(operation.send(next(numbers))), operation.username)
    # 2. Some requests alone, for their calls, their log and their size. The one with the fewest calls counts:
    # the others also refreshed a cache.
    alone = [_without_insight(operation.send(next(numbers))) for _ in range(OBSERVED)]
    observed = [_observe(service, operation, request, operation.username) for request in alone]
    calls, log_bytes, size = min(observed, key=lambda each: len(each[0]))
    # 3. All others together, for the CPU time: it is counted in steps of 10 ms.
    seconds = _cpu_seconds(service, operation, sent)
    return {
        "name": operation.name,
        "function": operation.function.removesuffix("Function").lower(),
        **_consumption(calls),
        **_insight(service, operation, [operation.send(next(numbers)) for _ in range(OBSERVED)]),
        "cpu_ms": round(seconds / len(sent) * 1000, 1),
        "response_bytes": size,
        "log_bytes": log_bytes,
    }


def _requests(operation: Operation, requests: int) -> int:
    return requests if operation.function == "GraphqlFunction" else min(SLOW, requests)


def _cpu_seconds(service: Service, operation: Operation, requests: Sequence[Request]) -> float:
    events = [service.event(_without_insight(each), operation.username) for each in requests]
    before = service.cpu_seconds(operation.function)
    for function, event in events:
        service.invoke(function, event)
    return service.cpu_seconds(operation.function) - before


def _observe(
    service: Service, operation: Operation, request: Request, username: str = "admin"
) -> tuple[list[AwsCall], int, int]:
    """Return the calls to AWS of a request, the bytes that it logs, and the bytes of its response."""
    before, logged = len(service.calls), service.log.stat().st_size
    size = _send(service, operation, request, username)
    return service.calls[before:], service.log.stat().st_size - logged, size


def _send(service: Service, operation: Operation, request: Request, username: str = "admin") -> int:
    reply = service.send(request, username)
    if operation.function == "GraphqlFunction":
        assert ("errors" not in reply.json()) == operation.succeeds, reply
    return reply.size


def _consumption(calls: Sequence[AwsCall]) -> dict[str, Any]:
    return {
        "calls": dict(Counter(call.name for call in calls)),
        "round_trips": round_trips(calls),
        "read_units": sum(call.read_units for call in calls),
        "write_units": sum(call.write_units for call in calls),
    }


def _insight(service: Service, operation: Operation, requests: Sequence[Request]) -> dict[str, Any]:
    """Return the least units that the service reports: those of emulators are wrong for indexes."""
    if not operation.succeeds or not all(map(_takes_insight, requests)):
        return {}
    units = (_reported_units(service, request, operation.username) for request in requests)
    reads, writes = min(units)
    return {"read_units": reads, "write_units": writes}


def _takes_insight(request: Request) -> bool:
    return isinstance(request.body, dict) and INSIGHT in request.body.get("query", "")


def _reported_units(service: Service, request: Request, username: str) -> tuple[float, float]:
    body: Any = request.body
    query = body["query"].replace(INSIGHT, ", insight: LIGHT")
    reply = service.send(request._replace(body={**body, "query": query}), username).json()
    told = reply["extensions"]["insight"]
    return told["readUnits"], told["writeUnits"]


def _without_insight(request: Request) -> Request:
    body: Any = request.body
    if isinstance(body, dict) and "query" in body:
        return request._replace(body={**body, "query": body["query"].replace(INSIGHT, "")})
    return request


def _get(data: Data) -> Operation:
    return next(each for each in data.operations() if each.name == "get by id")


def _measure_authentication(service: Service, data: Data, count: int) -> dict[str, Any]:
    """Return what authentication adds to a get: the difference to a second one of the same member."""
    get = _get(data)
    request, seconds = _without_insight(get.send(0)), 0.0
    pairs: list[tuple[list[AwsCall], list[AwsCall]]] = []
    for _ in range(count):
        names = [data.sign_in_new_member() for _ in range(TOGETHER)]
        started = service.cpu_seconds(get.function)
        first = [_observe(service, get, request, name)[0] for name in names]
        between = service.cpu_seconds(get.function)
        second = [_observe(service, get, request, name)[0] for name in names]
        seconds += 2 * between - started - service.cpu_seconds(get.function)
        pairs += zip(first, second, strict=True)
    # Others than the smallest also refreshed a cache.
    uncached, cached = min(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    assert (len(uncached), len(cached)) == (2, 1), (uncached, cached)
    return {
        "name": "authenticating a request",
        "function": "graphql",
        **_consumption(uncached[:1]),
        "cpu_ms": round(max(0.0, seconds / len(pairs)) * 1000, 1),
        "response_bytes": 0,
        "log_bytes": 0,
    }


def _cold_starts(service: Service, data: Data) -> dict[str, int]:
    """Return the CPU milliseconds of each function from the start of its process to its first response."""
    found = {}
    for operation in data.operations():
        name = operation.function.removesuffix("Function").lower()
        if name not in found:
            found[name] = round(median(_cold_start(service, operation) for _ in range(3)) * 1000)
    return found


def _cold_start(service: Service, operation: Operation) -> float:
    service.start_anew(operation.function)
    _send(service, operation, _without_insight(operation.send(0)))
    return service.cpu_seconds(operation.function)


def _measure_sweep(service: Service) -> dict[str, Any]:
    """Return the figures of a run of the sweep that finds nothing to do, in a warm process."""
    event = {"source": "aws.events"}
    for _ in range(3):
        service.invoke(SWEEP, event)
    before, logged = len(service.calls), service.log.stat().st_size
    seconds = service.cpu_seconds(SWEEP)
    for _ in range(REPEATED):
        service.invoke(SWEEP, event)
    spent = service.cpu_seconds(SWEEP) - seconds
    run = len(service.calls[before:]) // REPEATED
    return {
        "name": "sweep with nothing to do",
        "function": "sweep",
        **_consumption(service.calls[-run:]),
        "cpu_ms": round(spent / REPEATED * 1000, 1),
        "response_bytes": 0,
        "log_bytes": (service.log.stat().st_size - logged) // REPEATED,
    }


def _metrics(log: Path) -> dict[str, int]:
    """Return the number of the metrics that the lines of each function publish."""
    names = set(_metric_names(log))
    return dict(sorted(Counter(service for service, _ in names).items()))


def _metric_names(log: Path) -> Iterator[tuple[str, str]]:
    for line in log.read_text().splitlines():
        if '"_aws"' in line:
            content = json.loads(line)
            for directive in content["_aws"]["CloudWatchMetrics"]:
                yield from ((content["service"], each["Name"]) for each in directive["Metrics"])


def _watched(alarm: Mapping[str, Any], queried: int) -> int:
    """Return the metrics that CloudWatch bills for an alarm. `queried`: those that a query reads at most."""
    metrics = alarm.get("Metrics")
    if metrics is None:
        return 1
    return sum("MetricStat" in each for each in metrics) or queried


def template_figures() -> dict[str, Any]:
    """Return what the template declares that costs something, and the memory of each function."""
    resources = read_template_document(TEMPLATE)["Resources"]
    kinds = [each["Type"] for each in resources.values()]
    alarms = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::CloudWatch::Alarm"]
    # The table, and each index of it.
    queried = 1 + len(resources["Table"]["Properties"]["GlobalSecondaryIndexes"])
    return {
        "alarms": sum(_watched(each, queried) for each in alarms),
        "dashboards": kinds.count("AWS::CloudWatch::Dashboard"),
        "megabytes": {
            function.name.removesuffix("Function").lower(): function.memory
            for function in read_template(TEMPLATE).functions
        },
    }


if __name__ == "__main__":
    main()
