"""A gateway in front of an echoing function, shared because it keeps no state."""

from collections.abc import Iterator

import pytest

from tests.server.http.serving import Client, gateway


@pytest.fixture(scope="session")
def echoing() -> Iterator[Client]:
    with gateway() as client:
        yield client
