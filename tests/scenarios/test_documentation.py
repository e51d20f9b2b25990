"""`serve` offers the documentation of its own version."""

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.scenarios.browser import DESKTOP, PHONE, visit_of_service
from tests.service import RunningService, eventually, running

pytestmark = [pytest.mark.built, pytest.mark.local]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service without the console, so that / shows the start page."""
    home, settings = tmp_path_factory.mktemp("documentation") / "home", {"STRATABASE_CONSOLE": "off"}
    with running(home, arguments=["--workers", "2"], settings=settings) as started:
        yield started


def test_the_start_leads_to_the_documentation(service: RunningService) -> None:
    url = service.request("GET", "/", headers={"Accept": "application/json"}).json()["links"]["documentation"]

    assert url == f"http://127.0.0.1:{service.port}/public/documentation"
    eventually(lambda: f"Docs     {url}\n" in service.log())
    # Connections are spread over both workers, which give the same bytes.
    pages = [service.request("GET", "/public/documentation/csv") for _ in range(8)]
    assert {(page.status, page.headers["etag"], page.body) for page in pages} == {
        (200, pages[0].headers["etag"], pages[0].body)
    }


def test_no_path_outside_of_the_pages_can_be_read(service: RunningService) -> None:
    for path in ("decisions/2026-11-21-locks", "../../layers", "%2e%2e/template.yaml", "..%2ftemplate.yaml"):
        connection = http.client.HTTPConnection("127.0.0.1", service.port)
        connection.request("GET", f"/public/documentation/{path}")
        reply = connection.getresponse()
        assert (reply.status, reply.getheader("content-type")) == (404, "application/problem+json"), path
        connection.close()


def test_a_setting_leads_to_another_documentation(tmp_path: Path) -> None:
    url = "https://docs.example.com/hr"
    with running(tmp_path / "home", settings={"STRATABASE_DOCUMENTATION_URL": url}) as service:
        assert service.request("GET", "/").json()["links"]["documentation"] == url
        eventually(lambda: f"Docs     {url}\n" in service.log())


@pytest.mark.parametrize(
    "size", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.thorough)]
)
def test_the_pages_can_be_read_in_a_browser(
    size: dict[str, Any], browser: Browser, service: RunningService, folder: Path
) -> None:
    width = size["viewport"]["width"]
    with visit_of_service(browser, service.port)(**size, color_scheme="dark") as seen:
        page = seen.page
        page.goto("/")
        page.get_by_role("link", name="Documentation").click()
        expect(page.get_by_role("heading", name="Documentation", level=1)).to_be_visible()
        seen.picture(folder, f"pages-{width}")
        page.get_by_role("main").get_by_role("link", name="Limits and costs").click()
        expect(page).to_have_title("Limits and costs · Stratabase 0.1.0")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor") == (
            "rgb(28, 34, 43)"
        )
        seen.picture(folder, f"limits-{width}")
        section = page.get_by_role("navigation").locator("ul ul a").last
        section.click()
        expect(page.locator(":target")).to_be_in_viewport()
