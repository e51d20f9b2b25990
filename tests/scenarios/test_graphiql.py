"""A member signs in to GraphiQL and works with it, in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.scenarios.browser import DESKTOP, PHONE, OpenVisit, Visit, visit_of_service
from tests.service import PASSWORD, RunningService, running

pytestmark = pytest.mark.built

SIZES = [
    pytest.param(PHONE, id="phone"),
    # All other tests use a desktop.
    pytest.param(DESKTOP, id="desktop", marks=pytest.mark.thorough),
]
MODEL = """
extend schema @application(name: "Library")
  @profile(name: "Administrator", administrator: true) @profile(name: "Reader")
"What can be read."
type Book @grant(profile: "Reader", allow: [READ]) { title: String! published: Date }
"What only administrators know."
type Vault { code: String! }
"""
QUERY = "{ Book___getPage { totalCount } }"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with three members."""
    folder = tmp_path_factory.mktemp("graphiql")
    model = folder / "library.graphql"
    model.write_text(MODEL)
    with running(folder / "home", model=model, application="Library") as started:
        started.add_member("rosa")
        started.add_member("rob", "Reader")
        yield started


@pytest.fixture
def visit(browser: Browser, service: RunningService) -> OpenVisit:
    """Open the page. At the end, assert that it stayed at its origin and reported no errors."""
    return visit_of_service(browser, service.port)


def sign_in(page: Page, username: str = "admin", password: str = PASSWORD) -> None:
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def enter(seen: Visit, username: str = "admin") -> None:
    """Open the page, sign in, and wait until GraphiQL has the schema."""
    with seen.page.expect_response("**/auth/api/graphql/Library") as schema:
        seen.page.goto("/public/graphiql")
        sign_in(seen.page, username)
    assert schema.value.ok
    expect(seen.page.get_by_role("button", name="Execute query (Ctrl-Enter)")).to_be_visible()


def answer(page: Page) -> Locator:
    return page.get_by_role("region", name="Result Window")


def write(page: Page, query: str) -> None:
    """Replace the text in the editor by a query."""
    page.locator(".graphiql-query-editor .CodeMirror-lines").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(query)
    # GraphiQL notes a moment later what is written, for its history too.
    page.wait_for_function(
        "query => Object.values(localStorage).some(kept => kept.includes(query))",
        arg=json.dumps(query)[1:-1],
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_query_can_be_written_and_run(size: dict[str, Any], visit: OpenVisit, folder: Path) -> None:
    name = str(size["viewport"]["width"])
    with visit(**size) as seen:
        seen.page.goto("/public/graphiql")
        expect(seen.page).to_have_title("GraphiQL · Library")
        expect(seen.page.get_by_label("Username")).to_be_focused()
        seen.picture(folder, f"sign-in-{name}")
        enter(seen)
        write(seen.page, QUERY)
        seen.picture(folder, f"query-{name}")
        seen.page.get_by_role("button", name="Execute query (Ctrl-Enter)").click()
        expect(answer(seen.page)).to_contain_text('"totalCount": 0')
        seen.picture(folder, f"answer-{name}")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["viewport"]["width"]


@pytest.mark.parametrize("size", SIZES)
def test_schema_history_and_settings_are_available(
    size: dict[str, Any], visit: OpenVisit, folder: Path
) -> None:
    name = str(size["viewport"]["width"])
    with visit(**size) as seen:
        enter(seen)
        write(seen.page, QUERY)
        seen.page.keyboard.press("Control+Enter")
        expect(answer(seen.page)).to_contain_text("totalCount")

        seen.page.get_by_role("button", name="Show Documentation Explorer").click()
        seen.page.get_by_role("link", name="Book", exact=True).click()
        expect(seen.page.get_by_text("What can be read.")).to_be_visible()
        seen.picture(folder, f"schema-{name}")

        seen.page.get_by_role("button", name="Show History").click()
        expect(seen.page.locator(".graphiql-history-item")).to_contain_text("totalCount")
        seen.picture(folder, f"history-{name}")

        seen.page.get_by_role("button", name="Open settings dialog").click()
        dialog = seen.page.get_by_role("dialog", name="Settings")
        dialog.get_by_role("button", name="Dark").click()
        seen.picture(folder, f"settings-{name}")
        box = dialog.get_by_role("button", name="Dark").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= size["viewport"]["width"]
        seen.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        seen.picture(folder, f"dark-{name}")
        assert seen.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_wrong_password_is_shown_and_announced(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        seen.page.goto("/public/graphiql")
        sign_in(seen.page, password="a wrong password")
        expect(seen.page.get_by_role("alert")).to_contain_text("The username or password is incorrect.")
        expect(seen.page.get_by_role("alert")).to_be_focused()
        seen.picture(folder, "wrong-password")
        forgot = seen.page.get_by_role("link", name="Forgot your password?")
        address = forgot.evaluate("it => it.href")
        assert urlsplit(address).path == "/public/administration/forgotPassword"
        assert seen.page.request.get(address).status == 200
        sign_in(seen.page)
        expect(seen.page.get_by_role("button", name="Sign out")).to_be_visible()


def _shows_count(page: Page) -> bool:
    try:
        expect(answer(page)).to_contain_text("totalCount", timeout=1000)
    except AssertionError:
        return False
    return True


def test_the_page_works_with_the_keyboard(visit: OpenVisit) -> None:
    with visit() as seen:
        page, press = seen.page, seen.page.keyboard.press
        page.goto("/public/graphiql")
        expect(page.get_by_label("Username")).to_be_focused()
        page.keyboard.type("admin")
        press("Tab")
        page.keyboard.type(PASSWORD)
        press("Enter")
        run = page.get_by_role("button", name="Execute query (Ctrl-Enter)")
        expect(run).to_be_visible()

        page.get_by_role("textbox", name="Query Editor").focus()
        press("Control+A")
        page.keyboard.type(QUERY.removesuffix(" } }"))
        press("Escape")
        press("Tab")
        expect(run).to_be_focused()
        style = run.evaluate("it => [getComputedStyle(it).outlineStyle, getComputedStyle(it).outlineWidth]")
        assert style == ["solid", "3px"]
        # The page learns a moment later which operations a typed text has, and names a former one until then.
        for _ in range(20):
            press("Enter")
            if _shows_count(page):
                break
        expect(answer(page)).to_contain_text("totalCount")
        press("Shift+Tab")
        press("Control+Enter")
        expect(answer(page)).to_contain_text("totalCount")


def test_keyboard_focus_is_never_trapped(visit: OpenVisit) -> None:
    with visit() as seen:
        enter(seen)
        seen.page.get_by_role("button", name="Sign out").focus()
        met = []
        for _ in range(40):
            seen.page.keyboard.press("Tab")
            met.append(
                seen.page.evaluate("""() => {
              const it = document.activeElement;
              return it.id || it.getAttribute("aria-label") || it.textContent.trim() || it.tagName;
            }""")
            )
            if met[-1] == "sign-out":
                break
        assert "sign-out" in met, met
        assert {"Query Editor", "Variables", "Result Window", "Open settings dialog"} <= set(met)


def test_completion_uses_the_schema(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        enter(seen)
        write(seen.page, "{ Book___ge")
        seen.page.keyboard.press("Control+Space")
        expect(seen.page.locator(".CodeMirror-hints")).to_contain_text("Book___getPage")
        seen.picture(folder, "completion")
        seen.page.keyboard.press("ArrowDown")
        seen.page.keyboard.press("Tab")
        expect(seen.page.locator(".graphiql-query-editor .CodeMirror-code")).to_contain_text("Book___getPage")


def test_a_session_survives_reloading_and_ends_with_sign_out(visit: OpenVisit) -> None:
    with visit() as seen:
        enter(seen)
        seen.page.reload()
        expect(seen.page.locator("#member")).to_have_text("admin")
        seen.page.get_by_role("button", name="Sign out").click()
        expect(seen.page.get_by_label("Username")).to_be_focused()
        seen.page.reload()
        expect(seen.page.get_by_label("Username")).to_be_visible()
        kept = seen.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])")
        assert "eyJ" not in kept, "a token is left"
        assert PASSWORD not in kept


def test_a_member_does_not_see_the_history_of_another(visit: OpenVisit) -> None:
    with visit() as seen:
        enter(seen)
        write(seen.page, "{ Book___getPage { hasPrev } }")
        seen.page.keyboard.press("Control+Enter")
        expect(answer(seen.page)).to_contain_text("hasPrev")
        seen.page.get_by_role("button", name="Sign out").click()
        sign_in(seen.page, "rosa")
        expect(seen.page.locator("#member")).to_have_text("rosa")
        expect(seen.page.locator(".graphiql-query-editor .CodeMirror-code")).to_contain_text("query BookPage")
        seen.page.get_by_role("button", name="Show History").click()
        expect(seen.page.get_by_text("History", exact=True)).to_be_visible()
        assert seen.page.locator(".graphiql-history-item").count() == 0
        assert "hasPrev" not in seen.page.locator("body").inner_text()


def test_the_token_is_refreshed_before_it_expires(visit: OpenVisit) -> None:
    with visit() as seen:
        seen.page.clock.install()
        enter(seen)
        before = token(seen.page)
        with seen.page.expect_response("**/auth/token/refreshJwtToken") as renewed:
            seen.page.clock.fast_forward("29:30")
        assert renewed.value.ok
        seen.page.wait_for_function(
            "before => JSON.parse(sessionStorage['stratabase.session']).token !== before", arg=before
        )
        write(seen.page, QUERY)
        seen.page.keyboard.press("Control+Enter")
        expect(answer(seen.page)).to_contain_text("totalCount")


def token(page: Page) -> str:
    return str(json.loads(page.evaluate("sessionStorage['stratabase.session']"))["token"])


def test_an_expired_session_asks_for_sign_in(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        enter(seen)
        seen.page.evaluate(
            """() => {
              const kept = JSON.parse(sessionStorage["stratabase.session"]);
              sessionStorage["stratabase.session"] = JSON.stringify({ ...kept, token: "no.good.token" });
            }"""
        )
        seen.page.reload()
        expect(seen.page.get_by_role("alert")).to_contain_text("Your session has ended. Sign in again.")
        seen.picture(folder, "ended")
        sign_in(seen.page)
        expect(seen.page.locator("#member")).to_have_text("admin")


def test_only_the_page_script_runs_under_the_content_security_policy(visit: OpenVisit) -> None:
    with visit() as seen:
        seen.page.goto("/public/graphiql")
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


def test_graphiql_can_be_switched_off(tmp_path: Path) -> None:
    with running(tmp_path / "home", settings={"STRATABASE_GRAPHIQL": "off"}) as service:
        assert service.request("GET", "/public/graphiql").status == 404
        assert service.request("GET", "/public/graphiql/licenses.txt").status == 404
