"""The memory of a service that gets large requests which fail."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service import PASSWORD, RunningService, basic
from tests.soak import count

pytestmark = [pytest.mark.local, pytest.mark.soak]

REQUESTS = count(50, 10_000)
LARGE = "x" * 1_000_000
MAX_GROWTH = 96
"""In megabytes. While each refusal held its request, fifty of them took 140."""


def broken_text(number: int) -> str:
    return f"{{ thing{number}( "


def wrong_variable(_: int) -> str:
    # The text is the same each time. The cache of valid documents may grow to its own limit.
    return "query($value: Int) { Employee___getPage(options: {next: $value}) { totalCount } }"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
@pytest.mark.parametrize("query", [broken_text, wrong_variable])
def test_refused_requests_leave_the_memory_as_it_was(query: Callable[[int], str], tmp_path: Path) -> None:
    service = RunningService(tmp_path / "home").start()
    connection = service.connection()
    try:
        for number in range(REQUESTS):
            if number == 10:
                before = megabytes(service.pid)
            body = json.dumps({"query": query(number), "variables": {"value": LARGE}})
            connection.request(
                "POST",
                "/auth/api/graphql/Hr",
                body,
                {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)},
            )
            assert b'"errors"' in connection.getresponse().read()
        assert megabytes(service.pid) - before < MAX_GROWTH
    finally:
        connection.close()
        service.stop()


def megabytes(process: int) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(kilobytes) // 1024
