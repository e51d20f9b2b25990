"""The page of the console starts at any of its addresses, and the settings switch it off."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.scenarios.browser import OpenVisit
from tests.service import RunningService, running

pytestmark = pytest.mark.built


@pytest.mark.parametrize("path", ["/console", "/console/", "/console/a/b.c/%C3%A9%2F?x=1"])
def test_the_page_starts_without_a_complaint(path: str, console: OpenVisit) -> None:
    """The visit fails for each complaint of the browser, such as one about the content security policy."""
    with console() as seen:
        seen.page.goto(path)
        expect(seen.page.locator("#root > *").first).to_be_attached()
        assert seen.page.evaluate("document.baseURI").endswith("/console/")


def test_the_root_address_leads_to_the_console(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/")
        expect(seen.page).to_have_url(re.compile("/console/"))
        expect(seen.page.locator("#root > *").first).to_be_attached()


def test_only_the_scripts_of_the_page_run(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/console/")
        seen.page.evaluate(
            """() => {
              const strange = document.createElement("script");
              strange.textContent = "window.strange = true";
              document.body.append(strange);
            }"""
        )
        assert seen.page.evaluate("window.strange") is None
        assert ["Content Security Policy" in each for each in seen.complaints] == [True]
        seen.complaints.clear()


def test_a_name_with_markup_stays_text(console_build: None, tmp_path: Path) -> None:
    with running(tmp_path / "home") as service:
        body = service.request("GET", "/console/%3Cscript%3E").body
        assert b"<script>" not in body


def test_the_console_can_be_switched_off(console_service: RunningService, tmp_path: Path) -> None:
    assert console_service.request("GET", "/console/assets/licenses.txt").status == 200
    with running(tmp_path / "home", settings={"STRATABASE_CONSOLE": "off"}) as service:
        for path in ("/console", "/console/", "/console/a/b", "/console/assets/licenses.txt"):
            assert service.request("GET", path).status == 404, path
        assert "console" not in service.request("GET", "/").json()["links"]
