"""axe-core finds nothing on any page of the console and in none of its dialogs, in light and in dark."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Page, expect

from tests.scenarios.browser import PHONE, OpenVisit
from tests.scenarios.console_axe import violations
from tests.scenarios.console_library import Library
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.service import RunningService

pytestmark = pytest.mark.built

PAGES = {
    "list": "/console/data/Book",
    "narrowed list": "/console/data/Book?search=zzzz",
    "object": "/console/data/Book/objects/{Invisible Cities}",
    "whole with parts": "/console/data/Branch/objects/{Central Library}",
    "part": "/console/data/Copy",
    "new object": "/console/data/Book/new",
    "history": "/console/data/Book/objects/{Invisible Cities}/history",
    "deleted objects": "/console/data/Book/deleted",
    "singleton": "/console/data/Settings/object",
    "form": "/console/data/PurchaseRequest/new",
    "members": "/console/members",
    "preferences": "/console/account",
    "sign-in of the account": "/console/account/sign-in",
    "sessions": "/console/account/sessions",
    "keys": "/console/account/keys",
    "service": "/console/service",
    "model": "/console/service/model",
    "indexes": "/console/service/indexes",
    "changes": "/console/service/changes",
    "settings": "/console/service/settings",
    "no page": "/console/nowhere",
    "no object": "/console/data/Book/objects/none",
    "the past": "/console/data/Book?asOf=2026-01-01T00:00:00.000Z",
    "the past of an object": "/console/data/Book/objects/{Invisible Cities}?asOf=2026-01-01T00:00:00.000Z",
    "what keeps no past": "/console/data/Author?asOf=2026-01-01T00:00:00.000Z",
}
"""The pages, by what is there. A text in braces stands for the id of the object with this label."""
IN_CI = ("list", "object", "new object", "history", "members", "preferences", "service")


@pytest.fixture(scope="module")
def console_service(library: Library) -> RunningService:
    return library.service


def settle(page: Page) -> None:
    """Wait until a page is complete."""
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_text("Loading…").first).to_be_hidden()


def address(library: Library, path: str) -> str:
    """Return an address with the ids of objects."""
    return re.sub(r"\{(.+?)\}", lambda label: library.ids[label[1]], path)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if name in IN_CI else pytest.mark.thorough, id=name)
        for name, path in PAGES.items()
    ],
)
def test_axe_finds_nothing_on_a_page(path: str, console: OpenVisit, library: Library) -> None:
    with console() as seen:
        open_console(seen, address(library, path))
        settle(seen.page)
        assert violations(seen.page) == []


def test_axe_finds_nothing_on_the_form_to_sign_in(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/console/")
        settle(seen.page)
        assert violations(seen.page) == []
        seen.page.get_by_role("button", name="Sign in", exact=True).click()
        assert violations(seen.page) == []


def test_axe_finds_nothing_on_a_phone(console: OpenVisit) -> None:
    with console(**PHONE) as seen:
        seen.page.goto("/console/data/Book")
        fill_in(seen.page, "admin")
        expect(seen.page.get_by_role("heading", name="Book", exact=True)).to_be_visible()
        settle(seen.page)
        assert violations(seen.page) == []
        seen.page.get_by_role("button", name="Open the menu").click()
        expect(seen.page.get_by_role("dialog", name="Menu")).to_be_visible()
        assert violations(seen.page) == []


Act = Callable[[Page], None]
BOOK = "/console/data/Book/objects/{Invisible Cities}"


def _press(name: str, *, exact: bool = False) -> Act:
    return lambda page: page.get_by_role("button", name=name, exact=exact).first.click()


def _type(label: str, text: str) -> Act:
    return lambda page: page.get_by_label(label, exact=True).fill(text)


OVERLAYS: Mapping[str, tuple[str, Sequence[Act]]] = {
    "filter": ("/console/data/Book", [_press("Filter", exact=True)]),
    "columns": ("/console/data/Book", [_press("Columns")]),
    "instant": ("/console/data/Book", [_press("As of")]),
    "account": ("/console/data/Book", [_press("admin")]),
    "actions": (BOOK, [_press("More")]),
    "cost": (BOOK, [_press("Cost")]),
    "delete": (BOOK, [_press("More"), lambda page: page.get_by_role("menuitem", name="Delete").click()]),
    "preview": (BOOK, [_type("Published", "2050"), _press("Preview")]),
    "restoration": (f"{BOOK}/history", [_press("Restore")]),
    "key": ("/console/account/keys", [_press("Create a key")]),
}
"""What opens above a page, and how it is opened."""
BUTTON_OF_POPOVERS = "region"
"""The rule that finds the hidden button by which screen readers close a popover: it is in no landmark."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=() if each == "filter" else pytest.mark.thorough) for each in OVERLAYS],
)
def test_axe_finds_nothing_in_what_opens_above_a_page(
    name: str, console: OpenVisit, library: Library
) -> None:
    path, acts = OVERLAYS[name]
    with console() as seen:
        open_console(seen, address(library, path))
        settle(seen.page)
        for act in acts:
            act(seen.page)
        opened = seen.page.get_by_role("dialog").or_(seen.page.get_by_role("alertdialog"))
        expect(opened.first).to_be_visible()
        seen.page.wait_for_load_state("networkidle")
        expect(opened.get_by_text("Loading…")).to_be_hidden()
        assert violations(seen.page, without=[BUTTON_OF_POPOVERS]) == []


def test_axe_finds_nothing_in_a_form_with_errors(console: OpenVisit, library: Library) -> None:
    with console() as seen:
        open_console(seen, address(library, BOOK))
        settle(seen.page)
        seen.page.get_by_label("Pages").fill("0")
        seen.page.get_by_label("Published").fill("2050")
        expect(seen.page.get_by_text("The minimum is 1.")).to_be_visible()
        assert violations(seen.page) == []


PICKERS_OF_ARIA = ("aria-hidden-focus", "page-has-heading-one", "region")
"""While a picker is open, it is all that screen readers find. Whatever else gets the focus closes it."""


def test_axe_finds_nothing_in_a_picker(console: OpenVisit, library: Library) -> None:
    with console() as seen:
        open_console(seen, address(library, BOOK))
        settle(seen.page)
        seen.page.get_by_role("combobox", name="Publisher").fill("Ad")
        expect(seen.page.get_by_role("option", name="Adelphi")).to_be_visible()
        assert violations(seen.page, without=PICKERS_OF_ARIA) == []


def test_axe_finds_nothing_in_a_conflict(console: OpenVisit, library: Library) -> None:
    with console() as seen:
        open_console(seen, address(library, BOOK.replace("Invisible Cities", "The Dispossessed")))
        settle(seen.page)
        seen.page.get_by_label("Pages").fill("300")
        library.client.ask(
            "mutation ($data: BookUpdate!) { Book___update(data: $data) { _id } }",
            data={"_id": library.ids["The Dispossessed"], "pages": 301},
        )
        seen.page.get_by_role("button", name="Save", exact=True).click()
        expect(seen.page.get_by_role("dialog", name="Somebody else has changed this object")).to_be_visible()
        assert violations(seen.page) == []
