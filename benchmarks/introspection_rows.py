"""The cost of reading the whole schema: by the standard introspection query, and as text."""

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

from graphql import get_introspection_query

from benchmarks import cpu
from benchmarks.models import MODELS, ServedModel
from benchmarks.table import Figure, print_table
from tests.service import PASSWORD, Reply, RunningService, basic, running

MAX_MEGABYTES = 6.0
"""Lambda's limit of a response in megabytes."""
REPEATS = 10
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Authorization": basic("admin", PASSWORD),
}


def main(folder: Path) -> None:
    """Measure over HTTP with both models."""
    for name, served in MODELS.items():
        place = folder / name
        place.mkdir()
        home, model = place / "home", served.write(place)
        with running(home, model=model, application=served.application) as service:
            print_table(f"Introspection, {name} model", list(_figures(service, served)))


def _figures(service: RunningService, served: ServedModel) -> Iterator[Figure]:
    service.graphql(served.query)  # fills the cache of callers, and imports what is imported on first use
    before = cpu.seconds(service.pid)
    reply = _introspect(service, served)
    yield Figure("the first time: CPU", cpu.seconds(service.pid) - before, "s")
    yield Figure("whole, compressed", len(reply.body) / 1e6, "MB", MAX_MEGABYTES, "Lambda")
    yield Figure("whole", len(gzip.decompress(reply.body)) / 1e6, "MB")
    before, began = cpu.seconds(service.pid), time.perf_counter()
    for _ in range(REPEATS):
        _introspect(service, served)
    yield Figure("again: time", (time.perf_counter() - began) / REPEATS * 1000, "ms")
    yield Figure("again: CPU", (cpu.seconds(service.pid) - before) / REPEATS * 1000, "ms")
    text = service.request("GET", f"/auth/api/schema/{served.application}", headers=HEADERS)
    assert text.status == 200
    yield Figure("as text, compressed", len(text.body) / 1e6, "MB", MAX_MEGABYTES, "Lambda")


def _introspect(service: RunningService, served: ServedModel) -> Reply:
    body = json.dumps({"query": get_introspection_query()})
    path = f"/auth/api/graphql/{served.application}"
    reply = service.request("POST", path, headers=HEADERS, body=body)
    assert reply.status == 200, reply
    return reply
