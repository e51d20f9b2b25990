"""Fixtures that scenarios share: a company over each engine, and a browser that opens mailed links."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.everything_model import FILE
from tests.scenarios.browser import browser, folder, origin, service, visit  # noqa: F401 - fixtures
from tests.scenarios.company import Company
from tests.scenarios.console import (  # noqa: F401 - fixtures
    client,
    console,
    console_build,
    console_service,
    library,
)
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import running


@pytest.fixture(
    scope="session",
    params=[over_sqlite, pytest.param(over_dynamodb("company"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def company(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """A service with some people in teams. Tests add people to other teams only."""
    home: Path = tmp_path_factory.mktemp("company") / "home"
    options = {"model": FILE, "application": "Everything", "settings": request.param()}
    with running(home, **options) as running_service:
        yield Company(Client(running_service))
