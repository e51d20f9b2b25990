"""Two members in two browsers on one object of the console: locks, conflicts, and deletions."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_axe import violations
from tests.scenarios.console_sign_in import open_console
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import RunningService, eventually, running

pytestmark = pytest.mark.built

ASKED_AGAIN = 25_000
"""Milliseconds after which a page has looked at its lock again."""
LOCK = "Lock while I edit"
STREETS = "{ addresses { items { _id street city } } }"


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("console-two"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def console_service(
    request: pytest.FixtureRequest, console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a member who may do everything but end the locks of others."""
    with running(tmp_path_factory.mktemp("console") / "home", settings=request.param()) as service:
        service.add_member("rosa", "Manager")
        yield service


@pytest.fixture
def ada(client: Client) -> Iterator[str]:
    """The id of an employee with an address."""
    created = client.create(
        "Employee",
        first_name="Ada",
        last_name="Byron",
        email="ada@example.com",
        salary="4200",
        addresses=[{"street": "St James's Square 12", "city": "London"}],
    )
    yield created
    client.ask("mutation($id: ID!) { Employee___delete(_id: $id) { deleted } }", id=created)


def stored(client: Client, id_: str, selection: str) -> Any:
    return client.ask(f"query($id: ID!) {{ Employee___get(_id: $id) {selection} }}", id=id_)


def change(client: Client, id_: str, **data: Any) -> None:
    query = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id } }"
    client.ask(query, data={"_id": id_, **data})


@contextmanager
def both(console: OpenVisit, id_: str, **options: Any) -> Iterator[tuple[Visit, Visit]]:
    """Open the page of an object as `admin` and as `rosa`."""
    path = f"/console/data/Employee/objects/{id_}"
    with console(**options) as admins, console(**options) as rosas:
        for seen, username in ((admins, "admin"), (rosas, "rosa")):
            seen.page.clock.install()
            open_console(seen, path, username)
        yield admins, rosas


def field(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("textbox", name=re.compile(rf"^{name}( \*)?$"))


def flip(page: Page, name: str) -> None:
    """Flip a switch, whose input is hidden behind what is seen."""
    page.locator("label").filter(has_text=name).click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def conflict(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Somebody else has changed this object")


def choose(page: Page, name: str, side: str) -> None:
    """Choose a side of a field in the dialog."""
    choices = conflict(page).get_by_role("radiogroup", name=name)
    choices.locator("label").filter(has_text=side).click()
    expect(choices.get_by_role("radio", name=re.compile(f"^{side}"))).to_be_checked()


@pytest.mark.thorough
def test_a_lock_is_seen_by_the_other_member_and_ended_by_an_administrator(
    console: OpenVisit, client: Client, ada: str, folder: Path
) -> None:
    with both(console, ada) as (admins, rosas):
        switch = rosas.page.get_by_role("switch", name=LOCK)
        flip(rosas.page, LOCK)
        expect(rosas.page.get_by_text("Nobody else can save changes until")).to_be_visible()
        assert stored(client, ada, "{ _lock { lockedBy } }") == {"_lock": {"lockedBy": "rosa"}}

        # The administrator sees it, and is refused.
        admins.page.reload()
        banner = admins.page.get_by_role("status").filter(has_text="rosa has locked this object until")
        expect(banner).to_be_visible()
        rosas.picture(folder, "lock-mine")
        admins.picture(folder, "lock-others")
        assert violations(admins.page) == []

        # Who must wait can be told.
        flip(admins.page, "Tell me when it is free")
        flip(rosas.page, LOCK)
        expect(rosas.page.get_by_text("Nobody else can save")).to_be_hidden()
        admins.page.clock.run_for(11_000)
        expect(admins.page.get_by_text("This object is free now.")).to_be_visible()

        # An administrator can end the lock. The other page says so, and keeps what was typed.
        flip(rosas.page, LOCK)
        expect(rosas.page.get_by_text("Nobody else can save changes until")).to_be_visible()
        field(rosas.page, "Phone").fill("+390612345678")
        admins.page.reload()
        admins.page.get_by_role("button", name="End the lock").click()
        asked = admins.page.get_by_role("alertdialog", name="End the lock of rosa?")
        admins.picture(folder, "lock-end")
        asked.get_by_role("button", name="End the lock").click()
        expect(asked).to_be_hidden()
        expect(banner).to_be_hidden()
        assert stored(client, ada, "{ _lock { lockedBy } }") == {"_lock": None}
        rosas.page.clock.run_for(ASKED_AGAIN)
        expect(rosas.page.get_by_text("Your lock has ended.")).to_be_visible()
        expect(field(rosas.page, "Phone")).to_have_value("+390612345678")
        rosas.picture(folder, "lock-lost")
        rosas.page.get_by_role("button", name="Lock again").click()
        expect(rosas.page.get_by_text("Your lock has ended.")).to_be_hidden()

        # Saving releases it.
        save(rosas.page)
        expect(rosas.page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        expect(switch).not_to_be_checked()
        assert stored(client, ada, "{ phone _lock { lockedBy } }") == {
            "phone": "+390612345678",
            "_lock": None,
        }


def go_to_another_page(page: Page) -> None:
    page.get_by_role("navigation", name="Data").get_by_text("Team").click()


def close(page: Page) -> None:
    page.goto("about:blank")


@pytest.mark.thorough
@pytest.mark.parametrize("leave", [go_to_another_page, close])
def test_a_page_that_is_left_releases_its_lock(
    leave: Callable[[Page], None], console: OpenVisit, client: Client, ada: str
) -> None:
    with console() as seen:
        open_console(seen, f"/console/data/Employee/objects/{ada}", "rosa")
        flip(seen.page, LOCK)
        expect(seen.page.get_by_text("Nobody else can save changes until")).to_be_visible()
        assert stored(client, ada, "{ _lock { lockedBy } }") == {"_lock": {"lockedBy": "rosa"}}
        leave(seen.page)
        eventually(lambda: stored(client, ada, "{ _lock { lockedBy } }") == {"_lock": None})


def test_changes_of_both_members_are_saved(
    console: OpenVisit, client: Client, ada: str, folder: Path
) -> None:
    with both(console, ada) as (admins, rosas):
        # Both change the salary, and each one something else.
        field(rosas.page, "Salary").fill("5000")
        field(rosas.page, "Phone").fill("+390612345678")
        save(rosas.page)
        expect(rosas.page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        field(admins.page, "Salary").fill("6000")
        field(admins.page, "Last name").fill("Lovelace")
        save(admins.page)
        asked = conflict(admins.page)
        expect(asked.get_by_text(re.compile("rosa saved it on .*, after you had opened it"))).to_be_visible()
        decide = asked.get_by_role("button", name="Save both changes")
        expect(decide).to_be_disabled()
        alone = asked.get_by_role("region", name="Changed by one of you")
        expect(alone.get_by_role("listitem").filter(has_text="Last name")).to_contain_text("Lovelace")
        expect(alone.get_by_role("listitem").filter(has_text="Phone")).to_contain_text("Theirs")
        admins.picture(folder, "conflict")
        choose(admins.page, "Salary", "Yours")
        decide.click()
        expect(asked).to_be_hidden()
        expect(admins.page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        expect(field(admins.page, "Phone")).to_have_value("+390612345678")
        assert stored(client, ada, "{ salary last_name phone }") == {
            "salary": "6000",
            "last_name": "Lovelace",
            "phone": "+390612345678",
        }


def test_a_conflict_is_resolved_by_the_keyboard(console: OpenVisit, client: Client, ada: str) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, f"/console/data/Employee/objects/{ada}")
        field(page, "Salary").fill("6000")
        change(client, ada, salary="5000", phone="+390612345678")
        page.keyboard.press("Control+s")
        expect(conflict(page)).to_be_visible()
        assert violations(page) == []
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("radio", name=re.compile("^Theirs"))).to_be_checked()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("radio", name=re.compile("^Yours"))).to_be_checked()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Go on editing")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(conflict(page)).to_be_hidden()
        expect(page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        assert stored(client, ada, "{ salary phone }") == {"salary": "6000", "phone": "+390612345678"}


@pytest.mark.thorough
def test_a_conflict_while_another_one_is_resolved_is_resolved_too(
    console: OpenVisit, client: Client, ada: str
) -> None:
    with both(console, ada) as (admins, _):
        field(admins.page, "Salary").fill("6000")
        change(client, ada, salary="5000")
        save(admins.page)
        choose(admins.page, "Salary", "Yours")
        change(client, ada, salary="5500", last_name="King")
        conflict(admins.page).get_by_role("button", name="Save both changes").click()
        # What was chosen between two states says nothing of the third.
        again = conflict(admins.page).get_by_role("radiogroup", name="Salary")
        expect(again).to_contain_text("5,500")
        expect(again.get_by_role("radio", checked=True)).to_have_count(0)
        choose(admins.page, "Salary", "Theirs")
        conflict(admins.page).get_by_role("button", name="Save both changes").click()
        expect(conflict(admins.page)).to_be_hidden()
        assert stored(client, ada, "{ salary last_name }") == {"salary": "5500", "last_name": "King"}
        expect(field(admins.page, "Last name")).to_have_value("King")


@pytest.mark.thorough
def test_parts_of_both_members_are_saved(console: OpenVisit, client: Client, ada: str) -> None:
    with both(console, ada) as (admins, _):
        (address,) = stored(client, ada, STREETS)["addresses"]["items"]
        change(client, ada, addresses={"create": [{"street": "Via Roma 1", "city": "Rome"}]})
        field(admins.page, "Last name").fill("Lovelace")
        save(admins.page)
        listed = conflict(admins.page).get_by_role("region", name="Changed by one of you")
        expect(listed).to_contain_text("Via Roma 1")
        conflict(admins.page).get_by_role("button", name="Save both changes").click()
        expect(admins.page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        found = stored(client, ada, "{ last_name addresses { items { street } } }")
        assert found["last_name"] == "Lovelace"
        assert [each["street"] for each in found["addresses"]["items"]] == [address["street"], "Via Roma 1"]


@pytest.mark.thorough
def test_an_object_that_was_deleted_meanwhile_can_be_created_again(
    console: OpenVisit, client: Client, folder: Path
) -> None:
    id_ = client.create("Employee", first_name="Edsger", last_name="Dijkstra", email="edsger@example.com")
    with both(console, id_) as (admins, _):
        field(admins.page, "Phone").fill("+390612345678")
        client.ask("mutation($id: ID!) { Employee___delete(_id: $id) { deleted } }", id=id_)
        save(admins.page)
        gone = admins.page.get_by_role("dialog", name="This object no longer exists")
        admins.picture(folder, "deleted-meanwhile")
        gone.get_by_role("button", name="Create again as a copy").click()
        expect(admins.page.get_by_role("heading", level=1)).to_have_text("New employee", ignore_case=True)
        expect(field(admins.page, "Phone")).to_have_value("+390612345678")
        expect(field(admins.page, "Last name")).to_have_value("Dijkstra")
        admins.page.get_by_role("button", name="Create", exact=True).click()
        expect(admins.page.get_by_role("heading", level=1)).to_have_text("Edsger Dijkstra")


@pytest.mark.thorough
def test_a_lock_or_a_conflict_whose_request_fails_loses_nothing(
    console: OpenVisit, client: Client, ada: str
) -> None:
    def refuse(route: Route) -> None:
        body = route.request.post_data or ""
        if "lock(" in body or "___update(" in body:
            problem = {"title": "Internal Server Error", "status": 500, "detail": "The disk is full."}
            route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(problem))
        else:
            route.continue_()

    with both(console, ada) as (admins, _):
        page = admins.page
        page.route("**/graphql/**", refuse)
        flip(page, LOCK)
        expect(page.get_by_role("alert")).to_have_text("The disk is full.")
        expect(page.get_by_role("switch", name=LOCK)).not_to_be_checked()
        page.unroute_all()
        field(page, "Salary").fill("6000")
        change(client, ada, salary="5000")
        save(page)
        choose(page, "Salary", "Yours")
        page.route("**/graphql/**", refuse)
        conflict(page).get_by_role("button", name="Save both changes").click()
        expect(page.get_by_role("alert").filter(has_text="Not saved. The disk is full.")).to_be_visible()
        expect(field(page, "Salary")).to_have_value("6,000.00")
        page.unroute_all()
        save(page)
        expect(page.get_by_role("alertdialog").get_by_text("Saved.")).to_be_visible()
        assert stored(client, ada, "{ salary }") == {"salary": "6000"}
