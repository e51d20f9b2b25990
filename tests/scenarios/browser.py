"""A Chromium that records its navigation and its errors, and fixtures that open mailed links in it.

The fixtures stand in the conftest of this folder too, which is how tests find them.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.link_service import LinkService
from tests.server.http.serving import http_server
from tests.soak import FULL

PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "has_touch": True,
}
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""Arguments that stop background network traffic, and that a container needs."""
PATIENCE = 20_000
"""The timeout of each step, in milliseconds."""
expect.set_options(timeout=PATIENCE)
REFUSED = "Failed to load resource: the server responded with a status of "
"""What the browser logs for each page with an error status, although it shows the page."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the browser of this machine. Without one, skip the tests, except in CI."""
    path = shutil.which("chromium")
    if path is None and not os.environ.get("CI"):
        pytest.skip("there is no chromium on this machine: install it, for example by apt-get")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """One page of one visitor, with the events of its browser."""

    page: Page
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("request", self._note)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, request: Request) -> None:
        self.requests.append(request)

    def _hear(self, message: ConsoleMessage) -> None:
        if not message.text.startswith(REFUSED):
            self.complaints.append(message.text)

    @property
    def focused(self) -> str:
        """The id of the focused element."""
        return str(self.page.evaluate("document.activeElement.id"))

    @property
    def sent(self) -> list[Request]:
        """The forms that were submitted."""
        return [request for request in self.requests if request.method == "POST"]

    def picture(self, folder: Path, name: str) -> None:
        """Save a screenshot for people to look at, if `STRATABASE_SOAK` is 1."""
        if FULL:
            self.page.screenshot(path=folder / f"{name}.png", full_page=True)


@contextmanager
def visiting(browser: Browser, origin: str, **options: Any) -> Iterator[Visit]:
    """Open a page. At the end, assert that it stayed at one origin and reported no errors."""
    context = browser.new_context(**options)
    try:
        visit = Visit(context.new_page())
        yield visit
        own = (f"{origin}/", f"blob:{origin}/", "data:")
        strangers = [each.url for each in visit.requests if not each.url.startswith(own)]
        assert strangers == []
        assert visit.complaints == []
        assert [each.url for each in visit.requests if each.headers.get("referer")] == []
    finally:
        context.close()


OpenVisit = Callable[..., AbstractContextManager[Visit]]
"""Opens a page of a service on a desktop, or as the options of a Playwright context say."""


def visit_of_service(browser: Browser, port: int) -> OpenVisit:
    """Return what opens a page of a service on this machine. Its addresses are relative to the service."""
    origin = f"http://127.0.0.1:{port}"

    def open_visit(**options: Any) -> AbstractContextManager[Visit]:
        return visiting(browser, origin, **{**DESKTOP, "base_url": origin, **options})

    return open_visit


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def service() -> LinkService:
    return LinkService()


@pytest.fixture
def origin(service: LinkService) -> Iterator[str]:
    """Return the origin at which the link service serves HTTP."""
    handler = service.handler().http
    with http_server(handler) as client:
        handler.base_url = f"http://127.0.0.1:{client.port}"
        yield handler.base_url


@pytest.fixture
def visit(browser: Browser, origin: str) -> OpenVisit:
    def open_visit(**options: Any) -> AbstractContextManager[Visit]:
        return visiting(browser, options.pop("origin", origin), **{**DESKTOP, **options})

    return open_visit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for screenshots."""
    return tmp_path_factory.mktemp("pictures")
