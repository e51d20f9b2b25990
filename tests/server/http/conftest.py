"""A server in front of an echoing endpoint, shared because it keeps no state."""

from collections.abc import Iterator

import pytest

from tests.server.http.serving import Client, http_server


@pytest.fixture(scope="session")
def echoing() -> Iterator[Client]:
    with http_server() as client:
        yield client
