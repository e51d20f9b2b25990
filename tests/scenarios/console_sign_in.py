"""How a member signs in to the console in a browser, which most stories begin with."""

from playwright.sync_api import Page, expect

from tests.scenarios.browser import Visit
from tests.service import PASSWORD


def fill_in(page: Page, username: str, password: str = PASSWORD) -> None:
    """Fill in and submit the form."""
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def open_console(seen: Visit, path: str = "/console/", username: str = "admin") -> None:
    """Open a page of the console, sign in, and wait until it is there."""
    seen.page.goto(path)
    fill_in(seen.page, username)
    expect(seen.page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
    expect(seen.page.get_by_role("button", name=username)).to_be_attached()
