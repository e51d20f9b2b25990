"""Downloads from the local server beside those of Starlette, and beside other requests."""

import json
import statistics
from collections.abc import Iterator
from itertools import islice, repeat
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, download_load, load, memory
from benchmarks.archive import (
    APPLICATION,
    MEGABYTE,
    download_address,
    get_request,
    store_documents,
    write_model,
)
from benchmarks.starlette_process import starlette
from benchmarks.table import Figure, print_table
from tests.service import PASSWORD, RunningService, basic, running

SIZE = 100
"""Megabytes of the file that is downloaded as fast as possible."""
LARGE = 190
CONNECTIONS = (1, 16)
ROUNDS = 5
"""How often each measurement is repeated, by turns. The best figure counts, since other work only adds."""
MARGIN = 1.1
"""What our figures may be in multiples of Starlette's."""
MAX_GROWTH = 20
"""The limit of the memory in megabytes that a download of any size takes."""

SLOW_CLIENTS = 64
SLOW_SIZE = 20
SPEED = 2 * MEGABYTE
"""Bytes per second that each slow client receives."""
GETS = 3_000
GET_CONNECTIONS = 4
MAX_MEDIAN, MAX_P95 = 2.0, 3.0
"""The limits of latencies during downloads, in multiples of those without."""


class Cost(NamedTuple):
    """What a download of `SIZE` megabytes costs, on average over the connections."""

    seconds: float
    cpu: float
    """CPU milliseconds of the server per megabyte."""


def main(folder: Path) -> None:
    """Measure against a service with files of four sizes."""
    model = write_model(folder)
    environment = {
        "STRATABASE_HOME": str(folder / "home"),
        "STRATABASE_MODEL": str(model),
        "STRATABASE_ADMIN_PASSWORD": PASSWORD,
    }
    sizes = (1, SLOW_SIZE, SIZE, LARGE)
    ids = dict(zip(sizes, store_documents(environment, sizes), strict=True))
    with running(folder / "home", model=model, application=APPLICATION) as service:
        requests = {size: get_request(service.port, download_address(id_)) for size, id_ in ids.items()}
        growth = _growth(service, requests[1], requests[LARGE])
        print_table("Memory of the local server", [growth])
        (file,) = (f for f in (folder / "home/files/files").iterdir() if f.stat().st_size == SIZE * MEGABYTE)
        for connections in CONNECTIONS:
            figures = list(_beside_starlette(service, requests[SIZE], file, connections))
            print_table(f"Downloads of {SIZE} MB, {connections} connections", figures)
        figures = list(_gets(service, _get(service, ids[SLOW_SIZE]), requests[SLOW_SIZE]))
        print_table(f"Gets during {SLOW_CLIENTS} downloads of {SLOW_SIZE} MB", figures)


def _beside_starlette(
    service: RunningService, request: bytes, file: Path, connections: int
) -> Iterator[Figure]:
    with starlette(file, file.parent) as (port, pid):
        other = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        download_load.run(service.port, 1, request)
        download_load.run(port, 1, other)
        rounds = [
            (
                _download(service.port, service.pid, request, connections),
                _download(port, pid, other, connections),
            )
            for _ in range(ROUNDS)
        ]
    own, theirs = (list(costs) for costs in zip(*rounds, strict=True))
    seconds, limit = min(each.seconds for each in own), min(each.seconds for each in theirs)
    yield Figure("time of a download", seconds, "s", limit * MARGIN, "Starlette's FileResponse")
    yield Figure("throughput", SIZE / seconds, "MB/s")
    spent, limit = min(each.cpu for each in own), min(each.cpu for each in theirs)
    yield Figure("CPU per megabyte", spent, "ms", limit * MARGIN, "Starlette's FileResponse")


def _download(port: int, pid: int, request: bytes, connections: int) -> Cost:
    before = cpu.seconds(pid)
    seconds = download_load.run(port, connections, request)
    spent = cpu.seconds(pid) - before
    return Cost(seconds / connections, spent / connections / SIZE * 1000)


def _growth(service: RunningService, small: bytes, large: bytes) -> Figure:
    """Return the growth of the peak memory, which must come before downloads on many connections."""
    download_load.run(service.port, 1, small)
    before = memory.megabytes(service.pid)
    download_load.run(service.port, 1, large)
    growth = memory.megabytes(service.pid) - before
    return Figure(f"growth during a download of {LARGE} MB", growth, "MB", MAX_GROWTH)


def _gets(service: RunningService, get: bytes, download: bytes) -> Iterator[Figure]:
    """Yield the latencies of gets during downloads, each the best of several rounds."""
    load.run(service.port, GET_CONNECTIONS, islice(repeat(get), GETS))
    without, during = [], []
    for _ in range(ROUNDS):
        without.append(_latencies(service, get))
        with download_load.limited(service.port, SLOW_CLIENTS, download, SPEED):
            during.append(_latencies(service, get))
    for name, at, most in (("median latency", 49, MAX_MEDIAN), ("95th percentile", 94, MAX_P95)):
        limit, value = (min(quantiles[at] for quantiles in rounds) for rounds in (without, during))
        yield Figure(f"{name} without downloads", limit, "ms")
        yield Figure(name, value, "ms", limit * most, f"{most:g} times")


def _latencies(service: RunningService, get: bytes) -> list[float]:
    """Return the percentiles of the latency in milliseconds."""
    result = load.run(service.port, GET_CONNECTIONS, islice(repeat(get), GETS))
    assert not result.bad, f"{result.bad} gets failed"
    return [seconds * 1000 for seconds in statistics.quantiles(result.latencies, n=100)]


def _get(service: RunningService, id_: str) -> bytes:
    query = "query($id: ID!) { Document___get(_id: $id) { _id content { name size link } } }"
    body = json.dumps({"query": query, "variables": {"id": id_}}).encode()
    head = (
        f"POST /auth/api/graphql/{APPLICATION} HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n"
        f"Authorization: {basic('admin', PASSWORD)}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
