"""A member changes what belongs to the own account in the console."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.scenarios.browser import OpenVisit
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.service import PASSWORD, RunningService, basic, eventually, running

pytestmark = pytest.mark.built

NEW = "a violin by the sea"
MEMBER = "/auth/administration/member"
MEMBERS = "/auth/administration/members"


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a member for each test."""
    with running(tmp_path_factory.mktemp("console") / "home") as service:
        for name in ("anna", "berta", "carla", "dora", "emil"):
            service.add_member(name, "Manager")
        yield service


def part(page: Page, name: str) -> Locator:
    """Return the part of a page below a heading."""
    return page.get_by_role("region", name=name, exact=True)


def as_member(service: RunningService, username: str) -> Any:
    headers = {"Authorization": basic(username, PASSWORD)}
    return service.request("GET", MEMBER, headers=headers).json()


def new_token(service: RunningService, username: str) -> str:
    """Begin another session of a member, and return its token."""
    body = json.dumps({"username": username, "password": PASSWORD})
    return str(service.request("POST", "/public/token/getJwtToken", body=body).json()["access_token"])


def is_refused(service: RunningService, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return service.request("GET", MEMBER, headers=headers).status == 401


def test_the_language_and_the_formats_are_changed(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, "/console/account", "anna")
        form = part(seen.page, "Language and formats")
        zone = form.get_by_role("combobox", name="Time zone")
        zone.fill("rome")
        seen.page.get_by_role("option", name="Europe/Rome").click()
        expect(zone).to_have_value("Europe/Rome")
        form.get_by_role("combobox", name="Date format").fill("d MMMM yyyy")
        seen.page.keyboard.press("Tab")  # which closes the suggestions
        expect(form.get_by_text(re.compile(r"Now: \d+ \w+ 20\d\d"))).to_be_visible()
        form.get_by_role("combobox", name="Time format").fill("qqq")
        form.get_by_role("button", name="Save").click()
        expect(form.get_by_role("combobox", name="Time format")).to_have_attribute("aria-invalid", "true")
        expect(form).to_contain_text("“Time format” is not valid.")
        form.get_by_role("combobox", name="Time format").fill("HH.mm")
        form.get_by_label("Language").select_option("it")
        form.get_by_role("button", name="Save").click()
        expect(seen.page.locator("html")).to_have_attribute("lang", "it")
    found = as_member(console_service, "anna")
    assert {name: found[name] for name in ("language", "timeZone", "dateFormat", "timeFormat")} == {
        "language": "it",
        "timeZone": "Europe/Rome",
        "dateFormat": "d MMMM yyyy",
        "timeFormat": "HH.mm",
    }


@pytest.mark.thorough
def test_an_email_address_waits_for_its_confirmation(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, "/console/account/sign-in", "berta")
        form = part(seen.page, "Email address")
        form.get_by_label("New email address").fill("berta@example.org")
        form.get_by_label("Current password").fill("not the password")
        form.get_by_role("button", name="Change the email address").click()
        expect(form.get_by_label("Current password")).to_have_attribute("aria-invalid", "true")
        expect(form).to_contain_text("The current password is incorrect.")
        form.get_by_label("Current password").fill(PASSWORD)
        form.get_by_role("button", name="Change the email address").click()
        expect(form).to_contain_text("is on its way to berta@example.org")
        expect(form).to_contain_text("berta@example.com")
        form.get_by_role("button", name="Cancel the change").click()
        expect(form.get_by_role("button", name="Cancel the change")).to_be_hidden()
    assert "pendingEmail" not in as_member(console_service, "berta")


@pytest.mark.thorough
def test_a_password_is_changed_and_the_page_stays_signed_in(
    console: OpenVisit, console_service: RunningService
) -> None:
    other = new_token(console_service, "carla")
    with console() as seen:
        open_console(seen, "/console/account/sign-in", "carla")
        form = part(seen.page, "Password")

        def change(current: str, new: str, again: str) -> None:
            form.get_by_label("Current password").fill(current)
            form.get_by_label("New password", exact=True).fill(new)
            form.get_by_label("New password again").fill(again)
            form.get_by_role("button", name="Change the password").click()

        for typed, field, words in (
            ((PASSWORD, NEW, "another"), "New password again", "This is not the same password."),
            ((PASSWORD, "short", "short"), "New password", "The password is too short."),
            (("not the password", NEW, NEW), "Current password", "The current password is incorrect."),
        ):
            change(*typed)
            expect(form).to_contain_text(words)
            expect(form.get_by_label(field, exact=True)).to_have_attribute("aria-invalid", "true")
        change(PASSWORD, NEW, NEW)
        expect(seen.page.get_by_text("The password is changed.", exact=False)).to_be_visible()
        eventually(partial(is_refused, console_service, other))
        seen.page.get_by_role("link", name="Sessions").click()
        expect(seen.page.get_by_role("row")).to_have_count(2)
        seen.page.get_by_role("button", name="carla").click()
        seen.page.get_by_role("menuitem", name="Sign out").click()
        fill_in(seen.page, "carla", NEW)
        expect(seen.page.get_by_role("button", name="carla")).to_be_attached()


@pytest.mark.thorough
def test_other_sessions_are_ended(console: OpenVisit, console_service: RunningService) -> None:
    tokens = [new_token(console_service, "dora") for _ in range(3)]
    with console() as seen:
        open_console(seen, "/console/account/sessions", "dora")
        rows = seen.page.get_by_role("row")
        expect(rows).to_have_count(5)
        own = rows.filter(has_text="This session")
        expect(own).to_have_count(1)
        expect(own.get_by_role("button")).to_have_count(0)
        rows.nth(2).get_by_role("button").click()
        seen.page.get_by_role("button", name="End the session").click()
        expect(rows).to_have_count(4)
        seen.page.get_by_role("button", name="End all other sessions").click()
        seen.page.get_by_role("button", name="End the sessions").click()
        expect(rows).to_have_count(2)
        expect(seen.page.get_by_role("button", name="End all other sessions")).to_be_hidden()
    for token in tokens:
        eventually(partial(is_refused, console_service, token))


def test_a_key_is_made_shown_once_and_ended(console: OpenVisit, console_service: RunningService) -> None:
    with console() as seen:
        open_console(seen, "/console/account/keys", "emil")
        expect(seen.page.get_by_role("heading", name="No API keys")).to_be_visible()
        seen.page.get_by_role("button", name="Create a key").click()
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Create the key").click()
        expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Name").fill("nightly import")
        dialog.get_by_label("Networks").fill("everywhere")
        dialog.get_by_role("button", name="Create the key").click()
        expect(dialog.get_by_label("Networks")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Networks").fill("127.0.0.0/8")
        dialog.get_by_label("Valid for").select_option("30 days")
        dialog.get_by_role("button", name="Create the key").click()
        key = dialog.get_by_label("API key").input_value()
        assert not is_refused(console_service, key)
        dialog.get_by_role("button", name="Done").click()
        row = seen.page.get_by_role("row").filter(has_text="nightly import")
        expect(row).to_contain_text("127.0.0.0/8")
        assert key not in seen.page.content()
        assert [each.url for each in seen.requests if key in each.url] == []
        row.get_by_role("button", name="End nightly import").click()
        seen.page.get_by_role("button", name="End the key").click()
        expect(row).to_be_hidden()
        eventually(partial(is_refused, console_service, key))


@pytest.mark.thorough
def test_a_request_that_fails_keeps_what_was_typed(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/account/keys", "emil")
        seen.page.route("**/keys", lambda route: route.fulfill(status=500, body="<html>no</html>"))
        seen.page.get_by_role("button", name="Create a key").click()
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("backup")
        dialog.get_by_role("button", name="Create the key").click()
        expect(dialog.get_by_role("alert")).to_contain_text("The service responded with the status 500.")
        expect(dialog.get_by_label("Name")).to_have_value("backup")
