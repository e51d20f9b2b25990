"""A gateway before an echoing function, which is shared since it remembers nothing."""

from collections.abc import Iterator

import pytest

from tests.cli.gateway.serving import Client, gateway


@pytest.fixture(scope="session")
def echoing() -> Iterator[Client]:
    with gateway() as client:
        yield client
