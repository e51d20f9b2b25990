"""A member signs in on the sign-in page, and works on the account page, in a real browser."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from stratabase.members.operations.fresh_sign_in import STALE_SIGN_IN_CHALLENGE
from tests.scenarios.browser import DESKTOP, PATIENCE, PHONE, OpenVisit, Visit, visit_of_service
from tests.scenarios.node_scripts import NODE, find_node
from tests.scenarios.sign_in_page import proof
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

pytestmark = pytest.mark.built

NEW = "a violin by the sea"
MEMBERS = "/auth/administration/members"
TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+|stratabase_[0-9a-z]+_\w+")
STALE: dict[str, Any] = {
    "status": 401,
    "headers": {
        "WWW-Authenticate": STALE_SIGN_IN_CHALLENGE,
        "Content-Type": "application/problem+json",
    },
    "body": json.dumps({"title": "Unauthorized", "status": 401, "detail": "Sign in again."}),
}
"""What the service answers ten minutes after a sign-in."""
MEMBERS_OF_TESTS = ("anna", "berta", "carla", "dora", "emil", "fritz", "gina", "hans")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with a member for each test that changes one. Without the console, / shows the start page."""
    settings = {"STRATABASE_CONSOLE": "off"}
    with running(tmp_path_factory.mktemp("account") / "home", settings=settings) as started:
        for name in MEMBERS_OF_TESTS:
            started.add_member(name, "Manager")
        yield started


@pytest.fixture
def visit(browser: Browser, service: RunningService) -> OpenVisit:
    """Open a page. At the end, assert that it stayed at its origin and reported no errors."""
    return visit_of_service(browser, service.port)


def fill(page: Page, username: str, password: str = PASSWORD) -> None:
    """Fill in and submit the form of the sign-in page."""
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def enter(seen: Visit, username: str = "anna", password: str = PASSWORD) -> None:
    """Open the account page, sign in, and wait until it shows the account."""
    seen.page.goto("/public/account")
    fill(seen.page, username, password)
    expect(seen.page.locator("#username")).to_have_text(username, timeout=PATIENCE)
    expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)


def part(page: Page, heading: str) -> Any:
    """Return the part of the page below a heading."""
    return page.get_by_role("region", name=heading, exact=True)


def as_member(service: RunningService, method: str, path: str, username: str) -> Reply:
    return service.request(method, path, headers={"Authorization": basic(username, PASSWORD)})


def new_token(service: RunningService, username: str) -> str:
    """Begin another session of a member, and return its token."""
    body = json.dumps({"username": username, "password": PASSWORD})
    return str(service.request("POST", "/public/token/getJwtToken", body=body).json()["access_token"])


def is_refused(service: RunningService, token: str) -> bool:
    """Return whether a token or a key is refused, as all are within 3 seconds of their end."""
    return bearer_status(service, token) == 401


def bearer_status(service: RunningService, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return service.request("GET", "/auth/administration/member", headers=headers).status


@pytest.mark.parametrize("size", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop")])
def test_a_member_signs_in_and_no_secret_is_in_an_address_or_kept(
    size: dict[str, Any], visit: OpenVisit, folder: Path
) -> None:
    name = str(size["viewport"]["width"])
    with visit(**size) as seen:
        seen.page.goto("/")
        seen.page.get_by_role("link", name="Your account").click()
        expect(seen.page).to_have_title("Sign in · Hr")
        assert seen.focused == "username"
        seen.picture(folder, f"sign-in-{name}")
        fill(seen.page, "anna")
        expect(seen.page).to_have_title("Your account · Hr")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)
        seen.picture(folder, f"account-{name}")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["viewport"]["width"]
        assert seen.page.url.endswith("/public/account"), "the code is no longer in the address"
        assert not any(TOKEN.search(request.url) for request in seen.requests)
        assert seen.page.evaluate("[sessionStorage.length, localStorage.length, document.cookie]") == [
            0,
            0,
            "",
        ]
        seen.page.reload()
        expect(seen.page).to_have_title("Sign in · Hr")


def test_a_wrong_password_is_shown_and_announced(visit: OpenVisit, folder: Path) -> None:
    with visit() as seen:
        seen.page.goto("/public/account")
        fill(seen.page, "anna", "a wrong password")
        expect(seen.page.get_by_role("alert")).to_contain_text("The username or password is incorrect.")
        expect(seen.page.get_by_role("alert")).to_be_focused()
        expect(seen.page).to_have_title("Error: Sign in · Hr")
        assert (seen.page.input_value("#username"), seen.page.input_value("#password")) == ("anna", "")
        seen.picture(folder, "wrong-password")
        fill(seen.page, "anna")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)


def test_the_sign_in_page_works_without_javascript(visit: OpenVisit, service: RunningService) -> None:
    with visit(java_script_enabled=False) as seen:
        return_to = f"http://127.0.0.1:{service.port}/public/account"
        seen.page.goto(f"/public/signIn?returnTo={return_to}&challenge={proof().challenge}")
        fill(seen.page, "anna", "a wrong password")
        expect(seen.page.get_by_role("alert")).to_contain_text("incorrect")
        fill(seen.page, "anna")
        expect(seen.page.get_by_text("This page requires JavaScript.")).to_be_visible()
        assert "code=" in seen.page.url


def test_a_forged_sign_in_gets_nobody_in(visit: OpenVisit, service: RunningService) -> None:
    """Somebody leads a browser to the end of a sign-in of their own."""
    with visit() as seen:
        return_to = f"http://127.0.0.1:{service.port}/public/account"
        seen.page.goto(f"/public/signIn?returnTo={return_to}&challenge={proof().challenge}")
        fill(seen.page, "anna")
        expect(seen.page.get_by_text("Sign-in was canceled or refused.")).to_be_visible()
        seen.page.get_by_role("button", name="Sign in").click()
        fill(seen.page, "anna")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)


def test_the_page_follows_the_language_of_the_member(visit: OpenVisit, service: RunningService) -> None:
    with visit() as seen:
        enter(seen, "berta")
        formats = part(seen.page, "Language and formats")
        formats.get_by_label("Language").select_option("it")
        formats.get_by_label("Time zone").fill("Europe/Rome")
        formats.get_by_role("button", name="Save").click()
        expect(part(seen.page, "Lingua e formati").get_by_role("status")).to_have_text("Salvato.")
        assert seen.page.evaluate("document.documentElement.lang") == "it"
        expect(seen.page).to_have_title("Il tuo account · Hr")
        assert (
            as_member(service, "GET", "/auth/administration/member", "berta").json()["timeZone"]
            == "Europe/Rome"
        )
        # The new elements act, too, and the page begins in the language.
        formats = part(seen.page, "Lingua e formati")
        formats.get_by_label("Formato della data").fill("hh")
        formats.get_by_role("button", name="Salva").click()
        expect(formats.get_by_role("alert")).to_contain_text("“Formato della data”")
        assert formats.get_by_label("Formato della data").get_attribute("aria-invalid") == "true"
        assert formats.get_by_label("Fuso orario").get_attribute("aria-invalid") is None
        enter_again = seen.page.goto("/public/account")
        assert enter_again is not None
        fill(seen.page, "berta")
        expect(seen.page).to_have_title("Il tuo account · Hr")


def test_a_password_is_changed(visit: OpenVisit, service: RunningService) -> None:
    other = new_token(service, "carla")
    with visit() as seen:
        enter(seen, "carla")
        form = part(seen.page, "Password")

        def change(current: str, new: str, repeat: str) -> None:
            form.get_by_label("Current password").fill(current)
            form.get_by_label("New password", exact=True).fill(new)
            form.get_by_label("Confirm new password").fill(repeat)
            form.get_by_role("button", name="Change password").click()

        for typed, words in (
            (("", NEW, NEW), "“Current password”"),
            ((PASSWORD, NEW, "another"), "don't match"),
            ((PASSWORD, "short", "short"), "The password is too short."),
            (("not the password", NEW, NEW), "The current password is incorrect."),
        ):
            change(*typed)
            expect(form.get_by_role("alert")).to_contain_text(words)
            expect(form.get_by_role("alert")).to_be_focused()
        change(PASSWORD, NEW, NEW)
        expect(form.get_by_role("status")).to_contain_text("Your password is changed.")
        eventually(partial(is_refused, service, other))
        expect(part(seen.page, "Sessions").get_by_role("listitem")).to_have_count(1)
        seen.page.goto("/public/account")
        fill(seen.page, "carla", NEW)
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)


def test_an_email_address_waits_for_its_confirmation(visit: OpenVisit, service: RunningService) -> None:
    with visit() as seen:
        enter(seen, "dora")
        form = part(seen.page, "Email address")
        form.get_by_label("New email address").fill("dora@example.org")
        form.get_by_role("button", name="Change email address").click()
        expect(form.get_by_role("alert")).to_contain_text("Current password")
        form.get_by_label("Current password").fill(PASSWORD)
        form.get_by_role("button", name="Change email address").click()
        expect(form).to_contain_text("We emailed a link to dora@example.org.")
        expect(form.locator("#email-now")).to_have_text("dora@example.com")
        form.get_by_role("button", name="Cancel the change").click()
        expect(form.locator("#pending")).to_be_hidden()
    assert "pendingEmail" not in as_member(service, "GET", "/auth/administration/member", "dora").json()


def test_other_sessions_are_ended(visit: OpenVisit, service: RunningService, folder: Path) -> None:
    one, two, three = (new_token(service, "emil") for _ in range(3))
    with visit() as seen:
        enter(seen, "emil")
        sessions = part(seen.page, "Sessions")
        items = sessions.get_by_role("listitem")
        expect(items).to_have_count(4)
        expect(items.first).to_contain_text("This session")
        expect(items.first.get_by_role("button")).to_be_hidden()
        seen.picture(folder, "sessions")
        items.nth(1).get_by_role("button", name="End").click()
        expect(items).to_have_count(3)
        expect(sessions.get_by_role("status")).to_have_text("The session has ended.")
        sessions.get_by_role("button", name="End all other sessions").click()
        expect(items).to_have_count(1)
        expect(sessions.get_by_role("button", name="End all other sessions")).to_be_hidden()
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)
    for token in (one, two, three):
        eventually(partial(is_refused, service, token))


def test_a_key_is_made_shown_once_and_ended(visit: OpenVisit, service: RunningService, folder: Path) -> None:
    with visit() as seen:
        enter(seen, "fritz")
        keys = part(seen.page, "API keys")
        expect(keys.get_by_text("You have no keys.")).to_be_visible()
        keys.get_by_role("button", name="Create key").click()
        expect(keys.get_by_role("alert").last).to_contain_text("Name of the new key")
        keys.get_by_label("Name of the new key").fill("nightly import")
        keys.get_by_label("Valid for").select_option("30 days")
        keys.get_by_role("button", name="Create key").click()
        shown = keys.get_by_role("textbox", name="Your new key")
        expect(shown).to_be_focused()
        key = shown.input_value()
        seen.picture(folder, "key")
        assert bearer_status(service, key) == 200
        item = keys.get_by_role("listitem")
        expect(item).to_contain_text("nightly import")
        expect(item.get_by_text("Profile")).to_be_hidden()
        keys.get_by_role("button", name="Copy").click()
        expect(keys.get_by_role("group").get_by_role("status")).to_have_text("Copied.")
        keys.get_by_role("button", name="Done").click()
        assert key not in seen.page.content()
        expect(shown).to_be_hidden()
        item.get_by_role("button", name="End nightly import").click()
        expect(keys.get_by_text("You have no keys.")).to_be_visible()
        eventually(partial(is_refused, service, key))
        assert not any(TOKEN.search(request.url) for request in seen.requests)


def test_a_key_shows_what_limits_it(visit: OpenVisit, service: RunningService) -> None:
    id_ = as_member(service, "GET", "/auth/administration/member", "gina").json()["id"]
    body = json.dumps({"name": "office", "days": 7, "networks": "192.0.2.0/24", "profile": "Reporter"})
    headers = {"Authorization": basic("gina", PASSWORD), "Content-Type": "application/json"}
    made = service.request("POST", f"{MEMBERS}/{id_}/keys", headers=headers, body=body)
    assert made.status == 201, made.body
    with visit() as seen:
        enter(seen, "gina")
        item = part(seen.page, "API keys").get_by_role("listitem").filter(has_text="office")
        expect(item).to_contain_text("192.0.2.0/24")
        expect(item.get_by_text("Reporter")).to_be_visible()
        item.get_by_role("button", name="End office").click()
        expect(item).to_have_count(0)


def test_a_stale_sign_in_leads_to_a_new_one_and_back(visit: OpenVisit) -> None:
    """The service refuses the first request, as it does ten minutes after a sign-in."""
    with visit() as seen:
        enter(seen, "gina")
        keys = part(seen.page, "API keys")

        def refuse(route: Any) -> None:
            if route.request.method == "POST":
                route.fulfill(**STALE)
            else:
                route.continue_()

        seen.page.route("**/keys", refuse)
        keys.get_by_label("Name of the new key").fill("backup")
        keys.get_by_label("Valid for").select_option("1 year")
        keys.get_by_role("button", name="Create key").click()
        expect(keys.get_by_role("alert").last).to_contain_text("To make this change, sign in again.")
        seen.page.unroute("**/keys")
        keys.get_by_role("button", name="Sign in again").click()
        fill(seen.page, "gina")
        expect(keys.get_by_label("Name of the new key")).to_have_value("backup")
        expect(keys.get_by_label("Valid for")).to_have_value("365")
        expect(keys.get_by_role("button", name="Create key")).to_be_focused()
        keys.get_by_role("button", name="Create key").click()
        expect(keys.get_by_role("listitem")).to_contain_text("backup")


def test_what_was_typed_is_not_shown_to_another_member(visit: OpenVisit) -> None:
    with visit() as seen:
        enter(seen, "gina")
        keys = part(seen.page, "API keys")
        seen.page.route("**/keys", lambda route: route.fulfill(**STALE))
        keys.get_by_label("Name of the new key").fill("secret plans")
        keys.get_by_role("button", name="Create key").click()
        keys.get_by_role("button", name="Sign in again").click()
        seen.page.unroute("**/keys")
        fill(seen.page, "anna")
        expect(seen.page.locator("#username")).to_have_text("anna", timeout=PATIENCE)
        expect(keys.get_by_label("Name of the new key")).to_have_value("")


def test_signing_out_ends_the_session_and_empties_the_page(visit: OpenVisit, service: RunningService) -> None:
    with visit() as seen:
        enter(seen, "hans")
        assert len(sessions_of(service, "hans")) == 1
        seen.page.get_by_role("button", name="Sign out").click()
        expect(seen.page.get_by_text("You are signed out.")).to_be_focused()
        assert "hans" not in seen.page.content()
        assert sessions_of(service, "hans") == []
        seen.page.get_by_role("button", name="Sign in").click()
        fill(seen.page, "hans")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)


def test_a_session_that_was_ended_elsewhere_leads_to_a_new_one(
    visit: OpenVisit, service: RunningService
) -> None:
    with visit() as seen:
        enter(seen, "hans")
        id_ = as_member(service, "GET", "/auth/administration/member", "hans").json()["id"]
        assert as_member(service, "DELETE", f"{MEMBERS}/{id_}/sessions", "hans").status == 204
        _, _, token = seen.requests[-1].headers["authorization"].partition(" ")
        eventually(partial(is_refused, service, token))
        part(seen.page, "Language and formats").get_by_role("button", name="Save").click()
        expect(seen.page.get_by_text("Your session has ended. Sign in again.")).to_be_focused()
        assert "hans" not in seen.page.content()


def sessions_of(service: RunningService, username: str) -> list[Any]:
    id_ = as_member(service, "GET", "/auth/administration/member", username).json()["id"]
    listed: list[Any] = as_member(service, "GET", f"{MEMBERS}/{id_}/sessions", username).json()
    return listed


def test_the_token_is_renewed_before_it_ends(visit: OpenVisit) -> None:
    with visit() as seen:
        seen.page.clock.install()
        enter(seen, "anna")
        with seen.page.expect_response("**/auth/token/refreshJwtToken") as renewed:
            seen.page.clock.fast_forward("25:00")
        assert renewed.value.ok


def test_the_page_works_with_the_keyboard(visit: OpenVisit) -> None:
    with visit() as seen:
        seen.page.goto("/public/account")
        expect(seen.page.locator("#username")).to_be_focused()
        keyboard = seen.page.keyboard
        keyboard.type("anna")
        keyboard.press("Tab")
        keyboard.type(PASSWORD)
        keyboard.press("Enter")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)
        order = []
        for _ in range(30):
            keyboard.press("Tab")
            order.append(seen.focused)
            style = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style in {"solid", "auto"}, f"the focus on {seen.focused} cannot be seen"
            if seen.focused == "key-days":
                break
        wanted = [
            "sign-out",
            "language",
            "timeZone",
            "new-email",
            "email-password",
            "new-password",
            "key-name",
            "key-days",
        ]
        assert [name for name in order if name in wanted] == wanted


@pytest.mark.parametrize("language", ["en", "it"])
def test_nothing_is_clipped_on_the_smallest_phone(language: str, visit: OpenVisit) -> None:
    with visit(viewport={"width": 320, "height": 480}, locale=language) as seen:
        seen.page.goto("/public/account")
        expect(seen.page.locator("#set")).to_be_visible()
        for size in ("100%", "200%"):
            seen.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320
        seen.page.fill("#username", "anna")
        seen.page.fill("#password", PASSWORD)
        seen.page.click("#set")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)
        for size in ("100%", "200%"):
            seen.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the script of axe-core, which checks a page for people who use assistive technology."""
    find_node()
    return (NODE / "node_modules/axe-core/axe.min.js").read_text()


def violations(page: Page, axe: str) -> list[Any]:
    """Return what axe-core finds on the page: the rule, and the elements."""
    page.evaluate(axe)
    result = page.evaluate("axe.run()")
    assert len(result["passes"]) > 10
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in result["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_assistive_technology_finds_what_it_needs(
    scheme: str, visit: OpenVisit, axe: str, folder: Path
) -> None:
    with visit(color_scheme=scheme) as seen:
        seen.page.goto("/public/account")
        fill(seen.page, "anna", "a wrong password")
        expect(seen.page.get_by_role("alert")).to_be_visible()
        assert violations(seen.page, axe) == []
        fill(seen.page, "anna")
        expect(seen.page.locator("#account")).to_be_visible(timeout=PATIENCE)
        formats = part(seen.page, "Language and formats")
        formats.get_by_label("Date format").fill("hh")
        formats.get_by_role("button", name="Save").click()
        expect(formats.get_by_role("alert")).to_contain_text("Date format")
        keys = part(seen.page, "API keys")
        keys.get_by_label("Name of the new key").fill(scheme)
        keys.get_by_role("button", name="Create key").click()
        expect(keys.get_by_role("textbox", name="Your new key")).to_be_visible()
        assert violations(seen.page, axe) == []
        seen.picture(folder, f"account-{scheme}")
        seen.page.get_by_role("button", name="Sign out").click()
        expect(seen.page.get_by_text("You are signed out.")).to_be_visible()
        assert violations(seen.page, axe) == []
