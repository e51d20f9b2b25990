"""A person who has just started the service without the console finds everything from its root address."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.scenarios.browser import DESKTOP, PATIENCE, PHONE, OpenVisit, visit_of_service
from tests.service import PASSWORD, RunningService, running

pytestmark = pytest.mark.built

MODEL = """
extend schema @application(name: "Library")
  @profile(name: "Administrator", administrator: true) @profile(name: "Reader")
type Author { name: String! }
type Book @grant(profile: "Reader", allow: [READ]) {
  title: String! pages: Int published: Date writer: Author
}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with a reader, and without the console, so that the root address shows the start page."""
    folder = tmp_path_factory.mktemp("start")
    model = folder / "library.graphql"
    model.write_text(MODEL)
    settings = {"STRATABASE_CONSOLE": "off"}
    with running(folder / "home", model=model, application="Library", settings=settings) as started:
        started.add_member("rob", "Reader")
        yield started


@pytest.fixture
def visit(browser: Browser, service: RunningService) -> OpenVisit:
    """Open a page. At the end, assert that it stayed at its origin and reported no errors."""
    return visit_of_service(browser, service.port)


@pytest.mark.parametrize(
    "size", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.thorough)]
)
def test_the_start_leads_to_the_reference(size: dict[str, Any], visit: OpenVisit, folder: Path) -> None:
    name = str(size["viewport"]["width"])
    with visit(**size) as seen:
        seen.page.goto("/")
        expect(seen.page).to_have_title("Welcome · Library")
        expect(seen.page.get_by_text("/auth/api/graphql/Library")).to_be_visible()
        seen.picture(folder, f"start-{name}")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["viewport"]["width"]
        seen.page.get_by_role("link", name="API reference").click()
        expect(seen.page.get_by_text("/auth/administration/member", exact=True)).to_be_visible(
            timeout=PATIENCE
        )
        seen.picture(folder, f"reference-{name}")


def test_a_request_can_be_tried_in_the_reference(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        page = seen.page
        page.goto("/public/reference")
        page.get_by_role("button", name="Authorize").click()
        dialog = page.locator(".auth-container", has_text="Username")
        dialog.get_by_label("Username").fill("admin")
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Apply credentials").click()
        page.get_by_role("button", name="Close", exact=True).first.click()
        operation = page.locator("#operations-administration-readCurrentMember")
        operation.get_by_role("button").first.click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        expect(operation.locator(".live-responses-table")).to_contain_text('"admin"')
        seen.picture(folder, "tried")
        kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])")
        assert PASSWORD not in kept
        # Advice of the browser about Swagger UI's form.
        seen.complaints[:] = [each for each in seen.complaints if not each.startswith("[DOM]")]


def test_the_reference_signs_in_on_the_sign_in_page(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        page = seen.page
        page.goto("/public/reference")
        page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        bar = page.get_by_role("banner")
        expect(bar).to_contain_text("Signed in as admin.", timeout=PATIENCE)
        assert page.url.endswith("/public/reference")
        operation = page.locator("#operations-administration-readCurrentMember")
        operation.get_by_role("button").first.click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        expect(operation.locator(".live-responses-table tbody .response-col_status").first).to_contain_text(
            "200", timeout=PATIENCE
        )
        expect(operation.locator(".live-responses-table")).to_contain_text('"admin"')
        expect(operation.get_by_label("authorization button locked", exact=True)).to_be_visible()
        seen.picture(folder, "signed-in")
        bar.get_by_role("button", name="Sign out").click()
        expect(bar).to_contain_text("You are signed out.", timeout=PATIENCE)
        # A request without credentials would open the browser's own window.
        expect(operation.get_by_label("authorization button unlocked")).to_be_visible(timeout=PATIENCE)
        assert page.evaluate("[sessionStorage.length, localStorage.length, document.cookie]") == [0, 0, ""]


def test_graphiql_opens_with_queries_of_the_model(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        sign_in(seen.page, "admin")
        expect(tabs(seen.page)).to_have_text(["AuthorPage", "Author", "CreateAuthor"])
        run(seen.page)
        expect(result(seen.page)).to_contain_text('"totalCount": 0')
        open_tab(seen.page, 2, "CreateAuthor")
        expect(editor(seen.page)).to_contain_text("mutation CreateAuthor($data: AuthorCreate!)")
        run(seen.page)
        # The variables hold no sample values, so nothing is created.
        expect(result(seen.page)).to_contain_text("Variable '$data' has invalid value")
        open_tab(seen.page, 0, "AuthorPage")
        run(seen.page)
        expect(result(seen.page)).to_contain_text('"totalCount": 0')
        seen.picture(folder, "first-queries")


def test_the_first_queries_contain_only_what_the_profile_may_use(visit: OpenVisit) -> None:
    with visit() as seen:
        sign_in(seen.page, "rob")
        expect(tabs(seen.page)).to_have_text(["BookPage", "Book"])
        text = seen.page.evaluate(
            "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getValue()"
        )
        assert re.findall(r"\w+", text.partition("items")[2]) == ["_id", "title", "pages", "published"]


def test_a_member_who_returns_finds_the_own_tabs(visit: OpenVisit) -> None:
    with visit() as seen:
        sign_in(seen.page, "admin")
        expect(tabs(seen.page)).to_have_count(3)
        seen.page.locator(".graphiql-query-editor .CodeMirror-lines").click()
        seen.page.keyboard.press("Control+A")
        seen.page.keyboard.insert_text("query Mine { __typename }")
        seen.page.wait_for_function(
            "text => Object.values(localStorage).some(kept => kept.includes(text))", arg="query Mine"
        )
        seen.page.reload()
        expect(editor(seen.page)).to_contain_text("query Mine")


def sign_in(page: Page, username: str) -> None:
    page.goto("/public/graphiql")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def tabs(page: Page) -> Locator:
    return page.locator(".graphiql-tab-button")


def open_tab(page: Page, number: int, operation: str) -> None:
    tabs(page).nth(number).click()
    # GraphiQL notes a moment later which operation the tab has.
    page.wait_for_function(
        """name => Object.entries(localStorage).some(
             ([key, value]) => key.endsWith("operationName") && value === name)""",
        arg=operation,
    )


def editor(page: Page) -> Locator:
    return page.locator(".graphiql-query-editor .CodeMirror-code")


def result(page: Page) -> Locator:
    return page.get_by_role("region", name="Result Window")


def run(page: Page) -> None:
    page.get_by_role("button", name="Execute query (Ctrl-Enter)").click()
