"""How long the service takes from its command to its first answer."""

import time
from pathlib import Path

from benchmarks.table import Figure, print_table
from tests.service import RunningService

STARTS = 5


def main(folder: Path) -> None:
    """Measure the first start on an empty data folder, and later ones."""
    service = RunningService(folder / "home")
    first = _start(service)
    later = sorted(_start(service) for _ in range(STARTS))
    print_table(
        "Start, from the command to the first answer",
        [
            Figure("first, on an empty data folder", first, "s"),
            Figure(f"later, the slowest of {STARTS}", later[-1], "s", 3),
            Figure(f"later, the median of {STARTS}", later[STARTS // 2], "s"),
        ],
    )


def _start(service: RunningService) -> float:
    began = time.perf_counter()
    service.start()
    took = time.perf_counter() - began
    service.stop()
    return took
