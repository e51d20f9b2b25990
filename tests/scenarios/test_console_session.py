"""Signing in to the console, and what happens to an open page when the session or the connection ends."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from stratabase.members.operations.fresh_sign_in import STALE_SIGN_IN_CHALLENGE
from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.service import PASSWORD, RunningService, basic, eventually, running

pytestmark = pytest.mark.built

MEMBERS = "/auth/administration/members"
KEPT = "JSON.parse(sessionStorage.getItem('stratabase.session'))"
KEYS = "/console/account/keys"
NO_RESPONSE = "Failed to load resource: net::ERR_"
"""What the browser logs for each request that gets no response."""


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with two more members."""
    with running(tmp_path_factory.mktemp("console") / "home") as service:
        service.add_member("rosa")
        service.add_member("mia", "Member")
        yield service


def end_sessions(service: RunningService, page: Page) -> None:
    """End all sessions of the member of a page, and wait until the service refuses the page's token."""
    kept = page.evaluate(KEPT)
    headers = {"Authorization": basic("admin", PASSWORD)}
    assert service.request("DELETE", f"{MEMBERS}/{kept['member']}/sessions", headers=headers).status == 204
    eventually(partial(_is_refused, service, kept["token"]))


def _is_refused(service: RunningService, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return service.request("GET", "/auth/administration/member", headers=headers).status == 401


def name_a_key(page: Page, name: str) -> None:
    """Begin a new key: something typed that is not saved."""
    page.get_by_role("button", name="Create a key").click()
    page.get_by_role("dialog").get_by_label("Name").fill(name)


def forget_what_failed(seen: Visit) -> None:
    """Take from the complaints that requests got no response. There must be nothing else."""
    assert [each for each in seen.complaints if not each.startswith(NO_RESPONSE)] == []
    seen.complaints.clear()


def test_a_wrong_password_is_said_and_a_right_one_leads_to_the_page(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/console/account/keys?a=1#b")
        expect(seen.page.get_by_label("Username")).to_be_focused()
        fill_in(seen.page, "rosa", "a wrong password")
        expect(seen.page.get_by_role("alert")).to_have_text("The username or password is incorrect.")
        expect(seen.page.get_by_label("Username")).to_have_value("rosa")
        fill_in(seen.page, "rosa")
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Your account")
        assert seen.page.url.endswith("/console/account/keys?a=1#b")
        token = seen.page.evaluate(KEPT)["token"]
        assert [each.url for each in seen.requests if token in each.url] == []
        assert seen.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]


@pytest.mark.thorough
def test_a_password_can_be_shown(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/console/")
        password = seen.page.get_by_label("Password", exact=True)
        password.fill("secret")
        assert password.get_attribute("type") == "password"
        seen.page.get_by_role("button", name="Show the password").click()
        assert password.get_attribute("type") == "text"
        seen.page.get_by_role("button", name="Hide the password").click()
        assert password.get_attribute("type") == "password"


@pytest.mark.thorough
def test_too_many_failures_say_how_long_to_wait(console: OpenVisit) -> None:
    refused = {"title": "Too Many Requests", "status": 429, "detail": "Too many attempts."}
    with console() as seen:
        seen.page.route(
            "**/getJwtToken",
            lambda route: route.fulfill(
                status=429,
                headers={"Retry-After": "840", "Content-Type": "application/problem+json"},
                body=json.dumps(refused),
            ),
        )
        seen.page.goto("/console/")
        fill_in(seen.page, "rosa")
        expect(seen.page.get_by_role("alert")).to_have_text("Too many attempts. Try again in 14 minutes.")


def test_a_session_that_ends_loses_nothing_that_was_typed(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, KEYS, "rosa")
        name_a_key(seen.page, "nightly import")
        end_sessions(console_service, seen.page)
        seen.page.get_by_role("button", name="Create the key").click()
        asked = seen.page.get_by_role("dialog", name="Your session has ended")
        expect(asked.get_by_label("Username")).to_have_value("rosa")
        expect(asked.get_by_label("Password", exact=True)).to_be_focused()
        seen.page.keyboard.press("Escape")
        asked.get_by_label("Password", exact=True).fill(PASSWORD)
        seen.page.keyboard.press("Enter")
        # The request goes on by itself.
        expect(seen.page.get_by_role("dialog", name="Copy the new key")).to_be_visible()
        seen.page.get_by_role("button", name="Done").click()
        expect(seen.page.get_by_role("cell", name="nightly import", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_another_member_is_warned_and_begins_anew(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, KEYS, "rosa")
        name_a_key(seen.page, "secret plans")
        end_sessions(console_service, seen.page)
        seen.page.get_by_role("button", name="Create the key").click()
        asked = seen.page.get_by_role("dialog", name="Your session has ended")
        asked.get_by_role("button", name="Sign in as someone else").click()
        expect(asked).to_contain_text("is lost")
        asked.get_by_role("button", name="Go back").click()
        asked.get_by_role("button", name="Sign in as someone else").click()
        asked.get_by_role("button", name="Leave the page").click()
        fill_in(seen.page, "mia")
        expect(seen.page.get_by_role("button", name="mia")).to_be_attached()
        assert "secret plans" not in seen.page.content()
        assert "rosa" not in seen.page.content()


@pytest.mark.thorough
def test_a_change_that_needs_a_new_sign_in_goes_on_after_it(console: OpenVisit) -> None:
    stale: dict[str, Any] = {
        "status": 401,
        "headers": {"WWW-Authenticate": STALE_SIGN_IN_CHALLENGE, "Content-Type": "application/problem+json"},
        "body": json.dumps({"title": "Unauthorized", "status": 401, "detail": "Sign in again."}),
    }
    with console() as seen:
        open_console(seen, KEYS, "mia")
        first = seen.page.evaluate(KEPT)["token"]

        def refuse_old(route: Route) -> None:
            is_old = first in route.request.headers["authorization"]
            if route.request.method == "POST" and is_old:
                route.fulfill(**stale)
            else:
                route.continue_()

        # A second later, so that the next sign-in is newer.
        eventually(lambda: seen.page.evaluate(f"Date.now() / 1000 > {KEPT}.signedIn + 1"))
        seen.page.route("**/keys", refuse_old)
        name_a_key(seen.page, "backup")
        seen.page.get_by_role("button", name="Create the key").click()
        asked = seen.page.get_by_role("dialog", name="Confirm that it's you")
        asked.get_by_role("button", name="Close").click()
        expect(seen.page.get_by_role("dialog", name="New API key")).to_contain_text("Sign in again.")
        seen.page.get_by_role("button", name="Create the key").click()
        asked.get_by_label("Password", exact=True).fill(PASSWORD)
        asked.get_by_role("button", name="Sign in").click()
        expect(seen.page.get_by_role("dialog", name="Copy the new key")).to_be_visible()


@pytest.mark.thorough
def test_a_new_tab_is_signed_in_and_signing_out_ends_both(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, KEYS, "rosa")
        second = seen.page.context.new_page()
        second.goto("/console/account")
        expect(second.get_by_role("heading", level=1)).to_have_text("Your account")
        token = second.evaluate(KEPT)["token"]
        seen.page.get_by_role("button", name="rosa").click()
        seen.page.get_by_role("menuitem", name="Sign out").click()
        expect(seen.page.get_by_label("Username")).to_be_visible()
        expect(second.get_by_text("You signed out in another tab.")).to_be_visible()
        assert "rosa" not in second.content()
        assert second.evaluate("sessionStorage.length") == 0
        eventually(partial(_is_refused, console_service, token))


@pytest.mark.thorough
def test_a_page_that_can_not_reach_the_service_says_so_and_goes_on(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, KEYS, "mia")
        name_a_key(seen.page, "offline")
        seen.page.context.set_offline(True)
        banner = seen.page.get_by_text(re.compile("The service can't be reached. What you have typed stays"))
        expect(banner).to_be_visible()
        seen.page.get_by_role("button", name="Create the key").click()
        form = seen.page.get_by_role("dialog")
        expect(form.get_by_role("alert")).to_contain_text("The service can't be reached.")
        expect(form.get_by_label("Name")).to_have_value("offline")
        seen.page.context.set_offline(False)
        expect(banner).to_be_hidden()
        seen.page.get_by_role("button", name="Create the key").click()
        expect(seen.page.get_by_role("dialog", name="Copy the new key")).to_be_visible()
        forget_what_failed(seen)


@pytest.mark.thorough
def test_a_service_that_is_busy_is_asked_again(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/account", "mia")
        seen.page.route("**/*", lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}))
        seen.page.get_by_role("link", name="API keys").click()
        expect(seen.page.get_by_text("The service can't do anything now.", exact=False)).to_be_visible()
        seen.page.unroute("**/*")
        seen.page.get_by_role("button", name="Try again").first.click()
        expect(seen.page.get_by_role("region", name="API keys")).to_be_visible()
        expect(seen.page.get_by_text("The service can't do anything now.", exact=False)).to_be_hidden()


@pytest.mark.thorough
def test_graphiql_and_the_reference_are_signed_in_already(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/account", "rosa")
        seen.page.goto("/public/reference")
        expect(seen.page.get_by_role("banner")).to_contain_text("Signed in as rosa.")
        seen.page.goto("/public/graphiql")
        expect(seen.page.locator("#member")).to_have_text("rosa")
        seen.page.goto("/console/account")
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Your account")
        seen.page.goto("/public/reference")
        seen.page.get_by_role("banner").get_by_role("button", name="Sign out").click()
        expect(seen.page.get_by_role("banner")).to_contain_text("You are signed out.")
        seen.page.goto("/console/account")
        expect(seen.page.get_by_label("Username")).to_be_visible()


@pytest.mark.thorough
def test_the_console_is_signed_in_after_the_reference(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto("/public/reference")
        seen.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        seen.page.get_by_label("Username").fill("rosa")
        seen.page.get_by_label("Password").fill(PASSWORD)
        seen.page.get_by_role("button", name="Sign in").click()
        expect(seen.page.get_by_role("banner")).to_contain_text("Signed in as rosa.")
        seen.page.goto("/console/account")
        expect(seen.page.get_by_role("button", name="rosa")).to_be_attached()
