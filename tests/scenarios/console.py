"""The console in a browser: a service with a current build, and pages of it.

The fixtures stand in the conftest of this folder too, which is how tests find them. A module whose tests need
another model defines a fixture `console_service` of its own.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.console_build import build_console
from tests.scenarios.browser import OpenVisit, visit_of_service
from tests.scenarios.console_library import Library, open_library
from tests.scenarios.graph_client import Client
from tests.service import RunningService, running


@pytest.fixture(scope="session")
def console_build() -> None:
    """Make sure that the service has the console of the present sources."""
    build_console()


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """Return a service with the sample model."""
    folder: Path = tmp_path_factory.mktemp("console")
    with running(folder / "home") as service:
        yield service


@pytest.fixture(scope="module")
def library(console_build: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Return a service with the model of a library, for modules whose `console_service` it is."""
    with open_library(tmp_path_factory.mktemp("library")) as started:
        yield started


@pytest.fixture(scope="module")
def client(console_service: RunningService) -> Client:
    """Return a client of the console's service, as its administrator."""
    return Client(console_service)


@pytest.fixture
def console(browser: Browser, console_service: RunningService) -> OpenVisit:
    """Open a page. At the end, assert that it stayed at its origin and reported no errors."""
    return visit_of_service(browser, console_service.port)
