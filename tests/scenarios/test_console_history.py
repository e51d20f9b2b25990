"""The past in the console: versions of an object, deleted objects, and all data as of an instant."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.scenarios.browser import PHONE, OpenVisit
from tests.scenarios.console_axe import violations
from tests.scenarios.console_sign_in import open_console
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import RunningService, running

pytestmark = pytest.mark.built

START = '{ _versionStart(format: "iso") }'


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("console-past"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def console_service(
    request: pytest.FixtureRequest, console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a member who may only read."""
    with running(tmp_path_factory.mktemp("console") / "home", settings=request.param()) as service:
        service.add_member("rita", "Reporter")
        yield service


@pytest.fixture(scope="module")
def team(console_service: RunningService) -> str:
    return Client(console_service).create("Team", name="Research")


@pytest.fixture
def hire(client: Client) -> Iterator[Callable[..., str]]:
    """Create employees, and delete them afterwards."""
    hired = []

    def create(**data: Any) -> str:
        created = client.create("Employee", **data)
        hired.append(created)
        return created

    yield create
    for each in hired:
        delete(client, each)


@pytest.fixture
def ada(hire: Callable[..., str], client: Client, team: str) -> str:
    """The id of an employee with four versions: created, married, moved to a team, and with more salary."""
    created = hire(first_name="Ada", last_name="Byron", email="ada@example.com", salary="4200")
    change(client, created, last_name="Lovelace")
    change(
        client, created, team={"set": team}, addresses={"create": [{"street": "Via Po 1", "city": "Rome"}]}
    )
    change(client, created, salary="5000")
    return created


def change(client: Client, id_: str, **data: Any) -> None:
    query = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id } }"
    client.ask(query, data={"_id": id_, **data})


def delete(client: Client, id_: str) -> None:
    client.ask("mutation($id: ID!) { Employee___delete(_id: $id) { deleted } }", id=id_)


def stored(client: Client, id_: str, selection: str) -> Any:
    return client.ask(f"query($id: ID!) {{ Employee___get(_id: $id) {selection} }}", id=id_)


def version_starts(client: Client, id_: str) -> list[str]:
    """Return the starts of the versions of an employee, the first one first."""
    query = f"query($id: ID!) {{ Employee___getVersionPage(_id: $id) {{ items {START} }} }}"
    return [each["_versionStart"] for each in client.ask(query, id=id_)["items"]]


def just_before(instant: str) -> str:
    return (datetime.fromisoformat(instant) - timedelta(milliseconds=1)).isoformat()


def history(id_: str) -> str:
    return f"/console/data/Employee/objects/{id_}/history"


def versions(page: Page) -> Locator:
    """The versions of the time line, the latest first."""
    return page.get_by_role("main").get_by_role("list").get_by_role("listitem")


def queries(requests: list[Any]) -> int:
    return len([each for each in requests if "/graphql/" in each.url])


@pytest.mark.thorough
def test_the_time_line_says_who_has_changed_what_in_two_requests(
    console: OpenVisit, ada: str, folder: Path
) -> None:
    with console() as seen:
        open_console(seen, history(ada))
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("History of Ada Lovelace")
        expect(versions(seen.page)).to_have_count(4)
        for position, text in enumerate(
            (
                "admin changed Salary",
                "admin changed Addresses and Team",
                "admin changed Last name",
                "admin created it",
            )
        ):
            expect(versions(seen.page).nth(position)).to_contain_text(text)
        expect(versions(seen.page).nth(0)).to_contain_text("Current")
        # There is nothing to restore of the current version.
        expect(versions(seen.page).nth(0).get_by_text("Restore")).to_have_count(0)
        assert queries(seen.requests) == 2
        versions(seen.page).nth(2).get_by_role("button", name="Show what changed").click()
        row = seen.page.get_by_role("row", name=re.compile("^Last name"))
        expect(row).to_contain_text("Byron")
        expect(row).to_contain_text("Lovelace")
        seen.picture(folder, "time-line")
        assert queries(seen.requests) == 3


@pytest.mark.thorough
def test_a_long_time_line_is_read_page_by_page(
    console: OpenVisit, hire: Callable[..., str], client: Client
) -> None:
    grace = hire(first_name="Grace", last_name="Hopper", email="grace@example.com")
    for salary in range(1, 25):
        change(client, grace, salary=str(salary))
    with console() as seen:
        open_console(seen, history(grace))
        expect(versions(seen.page)).to_have_count(19)
        expect(versions(seen.page).nth(18)).to_contain_text("admin changed Salary")
        seen.page.get_by_role("button", name="Show earlier versions").click()
        expect(versions(seen.page)).to_have_count(25)
        expect(versions(seen.page).nth(19)).to_contain_text("admin changed Salary")
        expect(versions(seen.page).nth(24)).to_contain_text("admin created it")
        expect(seen.page.get_by_role("button", name="Show earlier versions")).to_have_count(0)
        assert queries(seen.requests) == 4


def test_two_versions_are_compared_and_one_is_opened(console: OpenVisit, ada: str, folder: Path) -> None:
    with console(**PHONE) as seen:
        open_console_on_a_phone(seen.page, history(ada))
        for position in (1, 3):
            versions(seen.page).nth(position).locator("label").filter(has_text="Compare").click()
        seen.page.get_by_role("button", name="Compare", exact=True).click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Two versions")
        table = seen.page.get_by_role("table")
        expect(table.get_by_text("Byron", exact=True)).to_be_visible()
        expect(table.get_by_text("Research")).to_have_count(2)  # the role, and what is derived from it
        expect(table.get_by_text("Via Po 1", exact=True)).to_be_visible()
        expect(table.get_by_text("ada@example.com")).to_have_count(0)
        seen.picture(folder, "comparison")
        assert violations(seen.page) == []
        seen.page.locator("label").filter(has_text="Show all fields").click()
        expect(table.get_by_text("ada@example.com").first).to_be_visible()
        # The address of a comparison can be shared.
        seen.page.reload()
        expect(table.get_by_text("Byron", exact=True)).to_be_visible()
        seen.page.go_back()
        versions(seen.page).nth(3).get_by_role("link", name="Open").click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        expect(seen.page.get_by_text("You see the data as they were then")).to_be_visible()
        expect(seen.page.get_by_role("main").get_by_role("textbox")).to_have_count(0)


def open_console_on_a_phone(page: Page, path: str) -> None:
    """The menu with the member's name is in a drawer."""
    page.goto(path)
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password", exact=True).fill("correct horse battery staple")
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.thorough
def test_a_version_is_restored(console: OpenVisit, client: Client, ada: str, folder: Path) -> None:
    with console() as seen:
        open_console(seen, history(ada))
        versions(seen.page).nth(3).get_by_role("button", name="Restore").click()
        asked = seen.page.get_by_role("dialog", name="Restore this version")
        # What it would change is seen before.
        row = asked.get_by_role("row", name=re.compile("^Last name"))
        expect(row).to_contain_text("Byron")
        seen.picture(folder, "restore")
        asked.get_by_role("button", name="Restore", exact=True).click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        found = stored(client, ada, "{ last_name salary team { name } addresses { totalCount } }")
        assert found == {"last_name": "Byron", "salary": "4200", "team": None, "addresses": {"totalCount": 0}}
        seen.page.get_by_role("link", name="History").click()
        expect(versions(seen.page)).to_have_count(5)


@pytest.mark.thorough
def test_a_version_is_restored_by_the_keyboard(console: OpenVisit, client: Client, ada: str) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, history(ada))
        versions(page).nth(3).get_by_role("button", name="Restore").focus()
        page.keyboard.press("Enter")
        asked = page.get_by_role("dialog", name="Restore this version")
        expect(asked.get_by_role("table")).to_be_visible()
        assert violations(page) == []
        for name in ("Close", "Cancel", "Restore"):
            page.keyboard.press("Tab")
            expect(asked.get_by_role("button", name=name, exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        assert stored(client, ada, "{ last_name }") == {"last_name": "Byron"}


@pytest.mark.thorough
def test_what_a_restoration_leaves_out_is_said_first(
    console: OpenVisit, client: Client, hire: Callable[..., str], folder: Path
) -> None:
    short_lived = client.create("Team", name="Short-lived")
    alan = hire(first_name="Alan", last_name="Turing", email="alan@example.com", team=short_lived)
    change(client, alan, team={"remove": True})
    client.ask("mutation($id: ID!) { Team___delete(_id: $id) { deleted } }", id=short_lived)
    with console() as seen:
        open_console(seen, history(alan))
        versions(seen.page).nth(1).get_by_role("button", name="Restore").click()
        asked = seen.page.get_by_role("dialog")
        asked.get_by_role("button", name="Restore", exact=True).click()
        expect(asked.get_by_text("Not everything can come back.")).to_be_visible()
        expect(asked.get_by_text("forceWarnings")).to_have_count(0)
        seen.picture(folder, "restore-anyway")
        asked.get_by_role("button", name="Restore anyway").click()
        expect(asked).to_be_hidden()
        assert len(version_starts(client, alan)) == 2  # nothing else had changed


@pytest.mark.thorough
def test_a_deleted_object_is_found_looked_at_and_restored(
    console: OpenVisit, client: Client, hire: Callable[..., str], folder: Path
) -> None:
    barbara = hire(first_name="Barbara", last_name="Liskov", email="barbara@example.com")
    edsger = hire(first_name="Edsger", last_name="Dijkstra", email="edsger@example.com")
    delete(client, barbara)
    delete(client, edsger)
    with console() as seen:
        open_console(seen, "/console/data/Employee")
        seen.page.get_by_role("link", name="Deleted objects").click()
        rows = seen.page.get_by_role("row")
        # The latest deletion comes first.
        expect(rows.nth(1)).to_contain_text("Edsger Dijkstra")
        expect(rows.nth(1)).to_contain_text("admin")
        expect(rows.nth(2)).to_contain_text("Barbara Liskov")
        seen.picture(folder, "deleted")
        seen.page.get_by_label("Search deleted objects").fill("LISKOV bar")
        expect(rows).to_have_count(2)
        assert "search=LISKOV+bar" in seen.page.url
        seen.page.get_by_role("link", name="Barbara Liskov").click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Barbara Liskov")
        expect(seen.page.get_by_text("You see the data as they were then")).to_be_visible()
        seen.page.go_back()
        seen.page.get_by_role("button", name="Restore Barbara Liskov").click()
        asked = seen.page.get_by_role("dialog", name="Restore Barbara Liskov")
        asked.get_by_role("button", name="Restore", exact=True).click()
        expect(seen.page.get_by_text("Nothing found")).to_be_visible()
        assert stored(client, barbara, "{ last_name }") == {"last_name": "Liskov"}
        # Its history has both.
        seen.page.goto(history(barbara))
        expect(versions(seen.page)).to_have_count(3)
        expect(versions(seen.page).nth(0)).to_contain_text("restored it")
        expect(versions(seen.page).nth(1)).to_contain_text("Deleted")
        expect(versions(seen.page).nth(2)).to_contain_text("created it")


def test_the_whole_console_is_as_of_an_instant(
    console: OpenVisit, client: Client, ada: str, hire: Callable[..., str], folder: Path
) -> None:
    first, *_ = version_starts(client, ada)
    hire(first_name="Grace", last_name="Hopper", email="hopper@example.com")
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/data/Employee")
        expect(page.get_by_role("link", name="Grace Hopper")).to_be_visible()
        page.goto(f"/console/data/Employee?asOf={first.replace('+', '%2B')}")
        band = page.get_by_role("status").filter(has_text="As of")
        expect(band).to_be_visible()
        # Then, Ada had her first name, and Grace was not there.
        expect(page.get_by_role("link", name="Ada Byron")).to_be_visible()
        expect(page.get_by_role("link", name="Grace Hopper")).to_have_count(0)
        expect(page.get_by_role("link", name="Create")).to_have_count(0)
        seen.picture(folder, "as-of-list")
        # Pages of the console keep the instant, as does a reload.
        page.get_by_role("link", name="Ada Byron").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        expect(page.get_by_role("main").get_by_role("textbox")).to_have_count(0)
        expect(page.get_by_role("switch", name="Lock while I edit")).to_have_count(0)
        page.reload()
        expect(band).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        # A class that keeps no versions says so, and asks for nothing.
        link = page.get_by_role("link", name="Team not kept")
        sent = queries(seen.requests)
        link.click()
        expect(page.get_by_role("heading", name="Team keeps no versions")).to_be_visible()
        assert queries(seen.requests) == sent
        seen.picture(folder, "as-of-not-kept")
        # GraphiQL and other pages of the service don't have the instant, but the way back has it.
        page.goto("/console/data/Employee")
        expect(page.get_by_role("link", name="Ada Byron")).to_be_visible()
        band.get_by_role("button", name="Back to now").click()
        expect(page.get_by_role("link", name="Ada Lovelace")).to_be_visible()
        assert "asOf" not in page.url
        writes = [each for each in seen.requests if "mutation" in (each.post_data or "")]
        assert writes == []


@pytest.mark.thorough
def test_an_instant_is_chosen_in_the_members_zone_and_formats(console: OpenVisit, ada: str) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/data/Employee")
        page.get_by_role("button", name=re.compile("^As of")).click()
        group = page.get_by_role("group", name="Date and time")
        for name, text in (
            ("day", "31"),
            ("month", "12"),
            ("year", "2099"),
            ("hour", "10"),
            ("minute", "30"),
        ):
            group.get_by_role("spinbutton", name=re.compile(name)).fill(text)
        page.get_by_role("button", name="Show the past").click()
        expect(page.get_by_text("Enter a date and a time in the past.")).to_be_visible()
        group.get_by_role("spinbutton", name=re.compile("year")).fill("2025")
        page.get_by_role("button", name="Show the past").click()
        band = page.get_by_role("status").filter(has_text="As of 31 December 2025 at 10:30 (UTC)")
        expect(band).to_be_visible()
        assert "asOf=2025-12-31T10%3A30%3A00.000Z" in page.url
        expect(page.get_by_role("link", name="Ada Lovelace")).to_have_count(0)


@pytest.mark.thorough
def test_a_member_who_only_reads_is_offered_no_restoration(console: OpenVisit, ada: str) -> None:
    with console() as seen:
        open_console(seen, history(ada), "rita")
        expect(versions(seen.page)).to_have_count(4)
        expect(seen.page.get_by_role("button", name=re.compile("Restore"))).to_have_count(0)


@pytest.mark.thorough
def test_a_history_whose_request_fails_says_so_and_is_read_again(
    console: OpenVisit, client: Client, ada: str
) -> None:
    def refuse(route: Route) -> None:
        problem = {"title": "Internal Server Error", "status": 500, "detail": "The disk is full."}
        route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(problem))

    with console() as seen:
        page = seen.page
        page.route("**/graphql/**", refuse)
        open_console(seen, history(ada))
        expect(page.get_by_role("alert")).to_contain_text("The disk is full.")
        page.unroute_all()
        page.get_by_role("button", name="Try again").click()
        expect(versions(page)).to_have_count(4)
        versions(page).nth(3).get_by_role("button", name="Restore").click()
        asked = page.get_by_role("dialog")
        expect(asked.get_by_role("table")).to_be_visible()
        page.route("**/graphql/**", refuse)
        asked.get_by_role("button", name="Restore", exact=True).click()
        expect(asked.get_by_role("alert")).to_have_text("The disk is full.")
        page.unroute_all()
        asked.get_by_role("button", name="Restore", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ada Byron")
        assert stored(client, ada, "{ last_name }") == {"last_name": "Byron"}
