"""The start of the local server, from the command to the first responses, with a small and a large model."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, memory
from benchmarks.models import MODELS, ServedModel
from benchmarks.table import Figure, print_table
from tests.service import RunningService

STARTS = 5
MAX_SECONDS = 3
"""The limit of a start in seconds."""
MAX_CPU = 1.0
"""The limit of the CPU seconds to the first response with the large model."""
MAX_RATIO = 2.0
"""The limit of the ratio of the CPU time with the large model to that with the small one."""


class Start(NamedTuple):
    """The figures of a start."""

    seconds: float
    """The seconds to the first response of any kind."""
    cpu: float
    """The CPU seconds to the first GraphQL response."""
    megabytes: float


def main(folder: Path) -> None:
    """Measure starts of the server with both models."""
    cpus = {name: _measure(name, served, folder / name) for name, served in MODELS.items()}
    times = Figure("CPU", cpus["large"] / cpus["small"], "times", MAX_RATIO)
    print_table("Start with the large model beside the small one", [times])


def _measure(name: str, served: ServedModel, folder: Path) -> float:
    """Print the figures of starts with a model, and return the CPU seconds of the median one."""
    folder.mkdir()
    # Let Python write bytecode, so that all starts after the first one are as fast as on a user's machine.
    settings = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    service = RunningService(
        folder / "home",
        model=served.write(folder),
        application=served.application,
        settings={**settings, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    _start(service, served)
    starts = sorted((_start(service, served) for _ in range(STARTS)), key=lambda start: start.cpu)
    print_table(f"Start of the local server, {name} model", list(_figures(name, starts)))
    return starts[STARTS // 2].cpu


def _figures(name: str, starts: list[Start]) -> Iterator[Figure]:
    seconds, median = sorted(start.seconds for start in starts), starts[STARTS // 2]
    yield Figure(f"from the command to an answer, slowest of {STARTS}", seconds[-1], "s", MAX_SECONDS)
    yield Figure(f"from the command to an answer, median of {STARTS}", seconds[STARTS // 2], "s")
    limit = MAX_CPU if name == "large" else None
    yield Figure("CPU to the first answer of GraphQL", median.cpu, "s", limit)
    yield Figure("memory then", median.megabytes, "MB")


def _start(service: RunningService, served: ServedModel) -> Start:
    began = time.perf_counter()
    service.start()
    seconds = time.perf_counter() - began
    answer = service.graphql(served.query)
    assert "errors" not in answer, answer
    start = Start(seconds, cpu.seconds(service.pid), memory.megabytes(service.pid))
    service.stop()
    return start
