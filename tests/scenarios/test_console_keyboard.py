"""The console's work is done with the keyboard alone, and the focus is always where the work goes on."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_library import Library
from tests.service import PASSWORD, RunningService

pytestmark = pytest.mark.built

FARTHEST = 150
"""The most times that Tab is pressed on the way to something."""


@pytest.fixture(scope="module")
def console_service(library: Library) -> RunningService:
    return library.service


def tab_to(target: Locator, key: str = "Tab") -> None:
    """Press Tab until something has the focus."""
    expect(target).to_be_attached()
    # A picker on the way opens, and hides everything else from screen readers.
    element = target.element_handle()
    for _ in range(FARTHEST):
        if element.evaluate("each => each === document.activeElement"):
            return
        target.page.keyboard.press(key)
    raise AssertionError(f"{target} is not reached by {key}")


def press(target: Locator, key: str = "Enter") -> None:
    """Go to something with Tab, and press a key there."""
    tab_to(target)
    target.page.keyboard.press(key)


def enter(target: Locator, text: str) -> None:
    """Go to a field with Tab, and type a text in place of what is there."""
    tab_to(target)
    target.page.keyboard.press("Control+a")
    target.page.keyboard.type(text)


def sign_in(seen: Visit, path: str) -> None:
    """Open a page and sign in, without a pointer."""
    seen.page.goto(path)
    expect(seen.page.get_by_label("Username")).to_be_focused()
    seen.page.keyboard.type("admin")
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.type(PASSWORD)
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator(".shell").get_by_role("heading", level=1)).to_be_visible()


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def test_a_book_is_found_and_changed(console: OpenVisit, library: Library) -> None:
    with console() as seen:
        page = seen.page
        sign_in(seen, "/console/data/Book")
        press(page.get_by_role("button", name="Skip to the content"))
        expect(page.get_by_role("main")).to_be_focused()
        enter(page.get_by_role("searchbox", name="Search", exact=True), "Lighthouse")
        expect(page.get_by_role("link", name="Family Lexicon")).to_be_hidden()
        press(page.get_by_role("link", name="To the Lighthouse"))
        expect(heading(page)).to_have_text("To the Lighthouse")
        expect(heading(page)).to_be_focused()
        enter(page.get_by_label("Pages"), "0")
        press(page.get_by_role("button", name="Save", exact=True))
        # What is wrong has the focus.
        expect(page.get_by_label("Pages")).to_be_focused()
        enter(page.get_by_label("Pages"), "210")
        press(page.get_by_role("button", name="Save", exact=True))
        expect(page.get_by_role("button", name="Save", exact=True)).to_be_hidden()
        found = library.client.ask(
            "query ($id: ID!) { Book___get(_id: $id) { pages } }", id=library.ids["To the Lighthouse"]
        )
        assert found == {"pages": 210}


@pytest.mark.thorough
def test_a_book_is_created(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        sign_in(seen, "/console/data/Book")
        press(page.get_by_role("link", name="Create"))
        expect(heading(page)).to_have_text("New Book")
        expect(heading(page)).to_be_focused()
        enter(page.get_by_label("Title"), "The Leopard")
        tab_to(page.get_by_label("Genre"))
        page.keyboard.press("ArrowDown")
        tab_to(page.get_by_role("combobox", name="Add to Authors"))
        page.keyboard.type("Ginz")
        expect(page.get_by_role("option", name="Natalia Ginzburg")).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        press(page.get_by_role("button", name="Create", exact=True))
        expect(heading(page)).to_have_text("The Leopard")
        expect(heading(page)).to_be_focused()


@pytest.mark.thorough
def test_a_dialog_gives_the_focus_back(console: OpenVisit, library: Library) -> None:
    with console() as seen:
        page = seen.page
        sign_in(seen, f"/console/data/Book/objects/{library.ids['Family Lexicon']}")
        for name in ("Cost", "More"):
            button = page.get_by_role("button", name=name)
            press(button)
            expect(page.get_by_role("dialog").first).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
            expect(button).to_be_focused()
