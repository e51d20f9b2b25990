"""Somebody who forgot the password gets a link and chooses a new one, in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.link_service import FORGOT_PASSWORD, NEW, LinkService
from tests.scenarios.browser import DESKTOP, PHONE, OpenVisit

pytestmark = pytest.mark.built


@pytest.mark.parametrize(
    "options",
    [PHONE, {**DESKTOP, "java_script_enabled": False}],
    ids=["phone", "desktop without scripts"],
)
def test_a_forgotten_password_can_be_replaced(
    options: dict[str, Any], visit: OpenVisit, origin: str, service: LinkService, folder: Path
) -> None:
    name = f"{options['viewport']['width']}"
    with visit(**options) as seen:
        seen.page.goto(f"{origin}{FORGOT_PASSWORD}")
        expect(seen.page).to_have_title("Forgot your password? · Hr")
        seen.picture(folder, f"forgot-{name}")
        seen.page.click("#set")
        expect(seen.page.get_by_role("alert")).to_have_text("Enter your username or your email address.")
        expect(seen.page.get_by_role("alert")).to_be_focused()
        expect(seen.page).to_have_title("Error: Forgot your password? · Hr")
        seen.picture(folder, f"missing-{name}")

        field = seen.page.get_by_role("textbox", name="Username or email address")
        expect(field).to_have_accessible_description("Enter your username or your email address.")
        field.fill("anna@example.com")
        seen.page.get_by_role("button", name="Send link").click()
        expect(seen.page.get_by_role("heading", name="Check your email")).to_be_visible()
        seen.picture(folder, f"sent-{name}")

        seen.page.goto(service.mails.link)
        seen.page.fill("#password", NEW)
        seen.page.fill("#repeat", NEW)
        seen.page.click("#set")
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()

        seen.page.goto(service.mails.link)
        expect(seen.page.get_by_role("heading", name="This link doesn't work")).to_be_visible()
        seen.picture(folder, f"used-{name}")
        seen.page.get_by_role("link", name="Request a new link").click()
        expect(seen.page.get_by_role("heading", name="Forgot your password?")).to_be_visible()
    assert service.anna().password == f"hash of {NEW}"


def test_the_page_works_with_the_keyboard(visit: OpenVisit, origin: str, service: LinkService) -> None:
    with visit() as seen:
        seen.page.goto(f"{origin}{FORGOT_PASSWORD}")
        for expected in ("name", "set"):
            seen.page.keyboard.press("Tab")
            assert seen.focused == expected
            style = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style == "solid", f"the focus on {seen.focused} cannot be seen"
        seen.page.focus("#name")
        seen.page.keyboard.type("anna")
        seen.page.keyboard.press("Enter")
        expect(seen.page.get_by_role("heading", name="Check your email")).to_be_visible()
    assert len(service.mails.mails) == 1
