"""Values of every type are edited in the console, and read back over the API and in the list."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.everything_model import FILE
from tests.scenarios.browser import OpenVisit
from tests.scenarios.console_sign_in import open_console
from tests.scenarios.graph_client import Client
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

LONG = "-12345678901234567890.123456789012345678"
"""A Real with all the digits that it can have."""
FIELDS = """last_name email about height salary(format: "iso") remote born(format: "iso") rises(format: "iso")
  seen(format: "iso") since mood"""


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with the model of all types, a member in another time zone, and an Italian one."""
    home = tmp_path_factory.mktemp("console") / "home"
    with running(home, model=FILE, application="Everything") as service:
        service.add_member("livia")
        change_member(service, "admin", timeZone="Europe/Rome")
        change_member(service, "livia", language="it")
        yield service


def change_member(service: RunningService, username: str, **changes: str) -> None:
    """Let a member change their own settings."""
    headers = {"Authorization": basic(username, PASSWORD), "Content-Type": "application/json"}
    member = service.request("GET", "/auth/administration/member", headers=headers).json()
    path = f"/auth/administration/members/{member['id']}"
    assert service.request("PUT", path, headers=headers, body=json.dumps(changes)).status == 200


def person(client: Client, id_: str) -> dict[str, Any]:
    """Return a person's values, exact."""
    found = client.ask(f"query($id: ID!) {{ Person___get(_id: $id) {{ {FIELDS} }} }}", id=id_)
    return dict(found)


def field(page: Page, label: str) -> Locator:
    """Return the group of a field with several parts."""
    return page.get_by_role("main").get_by_role("group", name=label, exact=True)


def fill_in_parts(page: Page, label: str, keys: str) -> None:
    """Type into the parts of a date or time, one after the other."""
    field(page, label).get_by_role("spinbutton").first.click()
    page.keyboard.type(keys)


def save(page: Page) -> None:
    """Save the form, and wait until the service has taken it."""
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Save", exact=True)).not_to_be_attached()


def test_each_type_is_edited_and_read_back(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person(last_name="Byron")
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        main = page.get_by_role("main")
        main.get_by_label("Last name").fill("Lovelace שלום")
        main.get_by_label("Email").fill("ada@example.com")
        main.get_by_label("About").fill("First line\nsecond <b>line</b>")
        main.get_by_label("Height").fill("1,234")
        main.get_by_label("Salary").fill(LONG)
        main.get_by_role("radiogroup", name="Remote").get_by_text("No", exact=True).click()
        fill_in_parts(page, "Born", "29022000")
        fill_in_parts(page, "Rises", "0630")
        fill_in_parts(page, "Seen", "311220261830")
        main.get_by_label("Since").fill("2001")
        main.get_by_label("Mood").select_option("GOOD")
        expect(main.get_by_label("Salary")).to_have_value("-12,345,678,901,234,567,890.123456789012345678")
        save(page)
    assert person(client, id_) == {
        "last_name": "Lovelace שלום",
        "email": "ada@example.com",
        "about": "First line\nsecond <b>line</b>",
        "height": 1234,
        "salary": LONG,
        "remote": False,
        "born": "2000-02-29",
        "rises": "06:30:00.000",
        "seen": "2026-12-31T18:30:00.000+01:00",
        "since": 2001,
        "mood": "GOOD",
    }

    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        main = seen.page.get_by_role("main")
        expect(main.get_by_label("About")).to_have_value("First line\nsecond <b>line</b>")
        expect(main.get_by_label("Height")).to_have_value("1,234")
        expect(main.get_by_role("radio", name="No", exact=True)).to_be_checked()
        expect(field(seen.page, "Seen")).to_contain_text("UTC+1")
        # Nothing has changed by being shown, so there is nothing to save.
        main.get_by_label("Salary").focus()
        main.get_by_label("Since").focus()
        field(seen.page, "Seen").get_by_role("spinbutton").first.focus()
        main.get_by_label("Email").focus()
        expect(seen.page.get_by_role("button", name="Save", exact=True)).not_to_be_attached()
        # Every value can be removed again, but the required one.
        for label in ("Email", "About", "Height", "Salary", "Since"):
            main.get_by_label(label).fill("")
        main.get_by_role("radiogroup", name="Remote").get_by_text("No value", exact=True).click()
        for label in ("Born", "Rises", "Seen"):
            main.get_by_role("button", name=f"Clear {label}").click()
        main.get_by_label("Mood").select_option(label="No value")
        save(seen.page)
    expected = dict.fromkeys(person(client, id_)) | {"last_name": "Lovelace שלום"}
    assert person(client, id_) == expected


@pytest.mark.thorough
def test_what_can_not_be_read_is_kept_and_not_sent(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person(last_name="Byron", born="1990-12-10", height=170)
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        main = page.get_by_role("main")
        main.get_by_label("Height").fill("tall")
        main.get_by_label("Salary").fill("1.2.3")
        # The day is removed, and the date is left incomplete.
        field(page, "Born").get_by_role("spinbutton").first.click()
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        main.get_by_label("Email").focus()
        expect(main.get_by_text("Use a whole number from")).to_be_visible()
        expect(main.get_by_text("Use a number such as 1,234.5")).to_be_visible()
        expect(main.get_by_text("Complete the date, or clear the field.")).to_be_visible()
        expect(main.get_by_label("Height")).to_have_value("tall")
        expect(field(page, "Born")).to_contain_text("dd")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(main.get_by_label("Height")).to_be_focused()
        assert [each for each in seen.sent if "mutation" in (each.post_data or "")] == []
        main.get_by_label("Height").fill("171")
        main.get_by_label("Salary").fill("1.25")
        field(page, "Born").get_by_role("spinbutton").first.click()
        page.keyboard.type("11")
        save(page)
    found = person(client, id_)
    assert [found["height"], found["salary"], found["born"]] == [171, "1.25", "1990-12-11"]


@pytest.mark.thorough
def test_a_time_that_clocks_show_twice_is_the_one_that_was_chosen(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person(seen="2026-10-25T01:15:00Z")
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        twice = page.get_by_role("radiogroup", name="Clocks show this time twice")
        expect(twice.get_by_role("radio", name="The second time")).to_be_checked()
        expect(field(page, "Seen")).to_contain_text("UTC+1")
        # Another minute is one of the same hour.
        field(page, "Seen").get_by_role("spinbutton").last.click()
        page.keyboard.type("30")
        save(page)
        assert person(client, id_)["seen"] == "2026-10-25T02:30:00.000+01:00"
        twice.get_by_text("The first time").click()
        save(page)
        assert person(client, id_)["seen"] == "2026-10-25T02:30:00.000+02:00"
        # Clocks skip this time in spring.
        fill_in_parts(page, "Seen", "290320260230")
        expect(page.get_by_text("Clocks skip this time, so it becomes a later one.")).to_be_visible()
        page.get_by_role("main").get_by_label("Email").focus()
        expect(field(page, "Seen").get_by_role("spinbutton").nth(3)).to_have_text("03")
        save(page)
    assert person(client, id_)["seen"] == "2026-03-29T03:30:00.000+02:00"


@pytest.mark.thorough
@pytest.mark.soak
def test_an_italian_reads_and_writes_italian_numbers(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person(salary="1234567.5", height=1234)
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}", "livia")
        main = seen.page.get_by_role("main")
        expect(main.get_by_label("Salary")).to_have_value("1.234.567,5")
        main.get_by_label("Salary").fill("7.654.321,25")
        main.get_by_label("Height").fill("4.321")
        seen.page.get_by_role("button", name=re.compile("^(Salva|Save)$")).click()
        expect(seen.page.get_by_text(re.compile(r"^(Salvato|Saved)"))).to_be_visible()
    found = person(client, id_)
    assert [found["salary"], found["height"]] == ["7654321.25", 4321]


@pytest.mark.thorough
def test_a_refused_save_keeps_what_was_typed(console: OpenVisit, client: Client) -> None:
    """The request is broken, as by a service that is restarted."""
    id_, _team = client.person(last_name="Byron")

    def refuse(route: Route) -> None:
        if "mutation" in (route.request.post_data or ""):
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        seen.page.route("**/graphql/**", refuse)
        main = seen.page.get_by_role("main")
        main.get_by_label("Salary").fill("77.5")
        fill_in_parts(seen.page, "Born", "01022003")
        seen.page.get_by_role("button", name="Save", exact=True).click()
        expect(main.get_by_role("alert").first).to_be_visible()
        expect(main.get_by_label("Salary")).to_have_value("77.5")
        expect(field(seen.page, "Born").get_by_role("spinbutton").last).to_have_text("2003")
        seen.page.unroute("**/graphql/**")
        save(seen.page)
    found = person(client, id_)
    assert [found["salary"], found["born"]] == ["77.5", "2003-02-01"]
