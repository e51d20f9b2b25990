"""An administrator manages the members in the console."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.scenarios.browser import OpenVisit
from tests.scenarios.console_sign_in import open_console
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

MEMBERS = "/auth/administration/members"


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with some members."""
    with running(tmp_path_factory.mktemp("console") / "home") as service:
        for name in ("rosa", "robert", "mia", "dora"):
            service.add_member(name, "Manager")
        service.add_member("mo", "Member")
        yield service


def member(service: RunningService, username: str) -> dict[str, Any] | None:
    """Return a member as the service knows them, None if there is none of this name."""
    headers = {"Authorization": basic("admin", PASSWORD)}
    for each in service.request("GET", MEMBERS, headers=headers).json():
        if each["username"] == username:
            found: dict[str, Any] = service.request("GET", f"{MEMBERS}/{each['id']}", headers=headers).json()
            return found
    return None


def open_member(page: Page, username: str) -> None:
    """Search the list for a member, and open the page of the member."""
    page.get_by_role("link", name="Members").first.click()
    page.get_by_role("searchbox", name="Search by username or email address").fill(username)
    page.get_by_role("link", name=username, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(username)


def choose(page: Page, action: str) -> None:
    """Choose what to do with the member of the page."""
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name=action).click()


@pytest.mark.thorough
def test_members_are_searched_and_filtered(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/members")
        rows = seen.page.get_by_role("row")
        expect(rows).to_have_count(7)
        asked = [each for each in seen.sent if "/graphql/" in each.url]
        assert len(asked) == 1, "the list is one request"
        seen.page.get_by_role("searchbox", name="Search by username or email address").fill("ro")
        expect(rows).to_have_count(3)
        expect(seen.page).to_have_url(re.compile(r"search=ro"))
        seen.page.reload()
        expect(rows).to_have_count(3)
        seen.page.get_by_label("State").select_option("Disabled")
        expect(seen.page.get_by_role("heading", name="No member matches")).to_be_visible()
        seen.page.goto("/console/members?profile=Member")
        expect(rows).to_have_count(2)


def test_a_member_is_invited_changed_disabled_and_deleted(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, "/console/members")
        seen.page.get_by_role("button", name="Invite a member").click()
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_label("Username").fill("rosa")
        dialog.get_by_label("Email address").fill("rosalind@example.com")
        dialog.get_by_label("Profile").select_option("Manager")
        dialog.get_by_role("button", name="Send the invitation").click()
        expect(dialog.get_by_label("Username")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Username").fill("rosalind")
        dialog.get_by_role("button", name="Send the invitation").click()
        expect(seen.page.get_by_text("is on its way to rosalind@example.com", exact=False)).to_be_visible()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("rosalind")

        details = seen.page.get_by_role("region", name="Details", exact=True)
        details.get_by_label("Profile").select_option("Member")
        details.get_by_label("Notes").fill("Joins in May")
        details.get_by_role("button", name="Save").click()
        expect(seen.page.get_by_text("Saved", exact=True)).to_be_visible()
        assert (member(console_service, "rosalind") or {})["profile"] == "Member"

        choose(seen.page, "Disable…")
        seen.page.get_by_role("button", name="Disable", exact=True).click()
        expect(seen.page.get_by_role("heading", level=1)).to_contain_text("Disabled")
        choose(seen.page, "Enable…")
        seen.page.get_by_role("button", name="Enable", exact=True).click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("rosalind")

        choose(seen.page, "Delete…")
        seen.page.get_by_role("button", name="Cancel").click()
        choose(seen.page, "Delete…")
        seen.page.get_by_role("button", name="Delete the member").click()
        expect(seen.page).to_have_url(re.compile(r"/members$"))
        expect(seen.page.get_by_role("link", name="rosalind")).to_be_hidden()
    assert member(console_service, "rosalind") is None


@pytest.mark.thorough
def test_the_last_administrator_stays(console: OpenVisit, console_service: RunningService) -> None:
    refused = re.compile('"admin" is the only active administrator.')
    with console() as seen:
        open_console(seen, "/console/members")
        open_member(seen.page, "admin")
        for action, button in (("Delete…", "Delete the member"), ("Disable…", "Disable")):
            choose(seen.page, action)
            seen.page.get_by_role("button", name=button, exact=True).click()
            expect(seen.page.get_by_role("alertdialog")).to_contain_text(refused)
            seen.page.get_by_role("button", name="Cancel").click()
        seen.page.get_by_role("region", name="Details").get_by_label("Profile").select_option("Manager")
        seen.page.get_by_role("region", name="Details").get_by_role("button", name="Save").click()
        expect(seen.page.get_by_role("alert")).to_contain_text(refused)
    assert (member(console_service, "admin") or {})["profile"] == "Administrator"


@pytest.mark.thorough
def test_a_password_is_mailed_and_set(console: OpenVisit, console_service: RunningService) -> None:
    with console() as seen:
        open_console(seen, "/console/members")
        open_member(seen.page, "dora")
        choose(seen.page, "Email a link for a new password…")
        seen.page.get_by_role("button", name="Send the email").click()
        expect(seen.page.get_by_text("is on its way to dora@example.com", exact=False)).to_be_visible()
        choose(seen.page, "Set a password…")
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_label("New password").fill("short")
        dialog.get_by_role("button", name="Set the password").click()
        expect(dialog).to_contain_text("The password is too short.")
        dialog.get_by_label("New password").fill("a violin by the sea")
        dialog.get_by_role("button", name="Set the password").click()
        expect(dialog).to_be_hidden()
    headers = {"Authorization": basic("dora", "a violin by the sea")}
    assert console_service.request("GET", "/auth/administration/member", headers=headers).status == 200


@pytest.mark.thorough
def test_a_program_gets_a_key(console: OpenVisit, console_service: RunningService) -> None:
    with console() as seen:
        open_console(seen, "/console/members")
        seen.page.get_by_role("button", name="Create a program").click()
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_label("Username").fill("importer")
        dialog.get_by_label("Profile").select_option("Manager")
        dialog.get_by_role("button", name="Create the program").click()
        expect(seen.page.get_by_role("heading", name="No API keys")).to_be_visible()
        seen.page.get_by_role("button", name="Create a key").click()
        dialog.get_by_label("Name").fill("nightly")
        dialog.get_by_label("Profile").select_option("Reporter")
        dialog.get_by_role("button", name="Create the key").click()
        key = dialog.get_by_label("API key").input_value()
        dialog.get_by_role("button", name="Done").click()
        expect(seen.page.get_by_role("row").filter(has_text="nightly")).to_contain_text("Reporter")
    headers = {"Authorization": f"Bearer {key}"}
    found = console_service.request("GET", "/auth/administration/member", headers=headers).json()
    assert found["username"] == "importer"


@pytest.mark.thorough
def test_objects_are_handed_over(console: OpenVisit, console_service: RunningService) -> None:
    made = console_service.graphql(
        """mutation {
          Customer___create(data: {_clientId: "c", name: "Acme"}) { _id }
          Project___create(data: {code: "PRJ-0001", title: "One", customer: "c"}) { _ownedby }
        }""",
        username="robert",
    )
    assert made["data"]["Project___create"] == {"_ownedby": "robert"}, made
    with console() as seen:
        open_console(seen, "/console/members")
        open_member(seen.page, "robert")
        choose(seen.page, "Hand over objects…")
        dialog = seen.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Hand over").click()
        expect(dialog).to_contain_text("Choose a member.")
        dialog.get_by_role("combobox", name="New owner").fill("mi")
        seen.page.get_by_role("option", name="mia").click()
        dialog.get_by_label("Class").select_option("Project")
        dialog.get_by_role("button", name="Hand over").click()
        expect(dialog).to_contain_text("All objects have the new owner.")
        expect(dialog).to_contain_text("Handed over1")
    found = console_service.graphql("{ Project___getPage { items { _ownedby } } }")
    assert found["data"]["Project___getPage"]["items"] == [{"_ownedby": "mia"}]


@pytest.mark.thorough
def test_the_audit_trail_says_what_happened(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/members")
        seen.page.get_by_role("link", name="Audit trail").click()
        rows = seen.page.get_by_role("row")
        expect(rows.nth(1)).to_contain_text("Signed in")
        seen.page.get_by_role("combobox", name="About the member").fill("rosa")
        seen.page.get_by_role("option", name="rosa").first.click()
        expect(seen.page).to_have_url(re.compile("member="))
        expect(rows.filter(has_text="Signed in")).to_have_count(0)
        seen.page.get_by_role("button", name="Show all").click()
        expect(rows.nth(1)).to_contain_text("Signed in")


@pytest.mark.thorough
def test_other_members_see_no_members(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/account", "mo")
        expect(seen.page.get_by_role("link", name="Members")).to_have_count(0)
        seen.page.goto("/console/members")
        expect(seen.page.get_by_role("alert")).to_be_visible()


@pytest.mark.thorough
def test_a_list_that_can_not_be_read_says_so(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/account")
        seen.page.route("**/graphql/**", lambda route: route.fulfill(status=500, body="<html>no</html>"))
        seen.page.get_by_role("link", name="Members").click()
        expect(seen.page.get_by_role("alert")).to_contain_text("The service responded with the status 500.")
        seen.page.unroute("**/graphql/**")
        seen.page.get_by_role("button", name="Try again").click()
        expect(seen.page.get_by_role("link", name="rosa", exact=True)).to_be_visible()
