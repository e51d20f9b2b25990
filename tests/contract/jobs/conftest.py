"""Runs each test of this suite on every queue, and on every engine below the queues of the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.jobs.queues import QUEUES, TestedQueue
from tests.soak import mostly


@pytest.fixture(params=mostly(QUEUES, "jobs on dynamodb-moto"), ids=lambda kind: kind.name.replace(" ", "-"))
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TestedQueue]:
    """An empty queue."""
    with request.param.open(tmp_path) as opened:
        yield opened
