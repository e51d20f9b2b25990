"""Many objects of a list are changed and deleted in the console, after their number is known."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.everything_model import FILE
from tests.scenarios.browser import OpenVisit
from tests.scenarios.console_sign_in import open_console
from tests.scenarios.graph_client import Client
from tests.service import RunningService, running

pytestmark = pytest.mark.built

LIST = "/console/data/Specimen?filter=code.starts_with."


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("console") / "home"
    with running(home, model=FILE, application="Everything") as service:
        yield service


def specimens(client: Client, prefix: str, number: int) -> list[str]:
    """Create specimens whose codes have a prefix of two letters."""
    return [
        client.create("Specimen", code=f"{prefix}{each:03}", fragile=False, mood="GOOD", amount=1)
        for each in range(number)
    ]


def values(client: Client, prefix: str, attribute: str) -> list[object]:
    """Return an attribute of all specimens with a prefix, in the order of their codes."""
    options = "{filter: {code___starts_with: $code}, orderBy: [code___ASC], next: 500}"
    query = (
        f"query($code: String!) {{ Specimen___getPage(options: {options}) {{ items {{ {attribute} }} }} }}"
    )
    return [each[attribute.partition("(")[0]] for each in client.ask(query, code=prefix)["items"]]


def select_all(page: Page) -> None:
    page.get_by_role("checkbox", name="Select all on this page").click(force=True)


def open_dialog(page: Page, button: str) -> None:
    page.get_by_role("region", name="Selection").get_by_role("button", name=button).click()


def test_the_selected_objects_are_changed_after_their_number_is_shown(
    console: OpenVisit, client: Client
) -> None:
    specimens(client, "AA", 3)
    with console() as seen:
        open_console(seen, f"{LIST}AA")
        page = seen.page
        for code in ("AA000", "AA002"):
            page.get_by_role("checkbox", name=f"Select {code}").click(force=True)
        open_dialog(page, "Edit…")
        dialog = page.get_by_role("dialog", name="Edit objects")
        dialog.get_by_label("Field to change").select_option(label="Amount")
        dialog.get_by_role("textbox", name="Amount").fill("7")
        dialog.get_by_label("Another field to change").select_option(label="Found on")
        dialog.get_by_role("group", name="Found on").get_by_role("spinbutton").first.click()
        page.keyboard.type("29022000")
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_text("This changes Amount and Found on of 2 objects.")).to_be_visible()
        assert values(client, "AA", "amount") == [1, 1, 1]
        dialog.get_by_role("button", name="Change 2 objects").click()
        expect(page.get_by_text("2 objects are changed.")).to_be_visible()
        expect(page.get_by_role("region", name="Selection")).not_to_be_attached()
    assert values(client, "AA", "amount") == [7, 1, 7]
    assert values(client, "AA", 'found_on(format: "iso")') == ["2000-02-29", None, "2000-02-29"]


@pytest.mark.thorough
def test_warnings_pass_on_purpose_and_errors_leave_objects_as_they_are(
    console: OpenVisit, client: Client
) -> None:
    specimens(client, "BB", 2)
    with console() as seen:
        open_console(seen, f"{LIST}BB")
        page = seen.page
        select_all(page)
        open_dialog(page, "Edit…")
        dialog = page.get_by_role("dialog", name="Edit objects")
        dialog.get_by_label("Field to change").select_option(label="Price")
        dialog.get_by_role("textbox", name="Price").fill("1,234.5")
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_text("It costs more than a thousand.").first).to_be_visible()
        dialog.get_by_role("button", name="Back").click()
        expect(dialog.get_by_role("textbox", name="Price")).to_have_value("1,234.50")
        dialog.get_by_role("button", name="Check").click()
        dialog.get_by_role("button", name="Change 2 objects anyway").click()
        expect(page.get_by_text("2 objects are changed.")).to_be_visible()
        assert values(client, "BB", "price") == ["1234.5", "1234.5"]

        select_all(page)
        open_dialog(page, "Edit…")
        dialog.get_by_label("Field to change").select_option(label="Amount")
        dialog.get_by_role("textbox", name="Amount").fill("101")
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Objects with these issues stay as they are:")
        dialog.get_by_role("button", name="Change 2 objects").click()
        expect(dialog.get_by_text("2 objects stay as they were:")).to_be_visible()
        dialog.get_by_role("button", name="Close").last.click()
    assert values(client, "BB", "amount") == [1, 1]


@pytest.mark.thorough
def test_many_objects_are_deleted_once_their_number_is_typed(console: OpenVisit, client: Client) -> None:
    specimens(client, "CC", 130)
    with console() as seen:
        open_console(seen, f"{LIST}CC")
        page = seen.page
        select_all(page)
        page.get_by_role("button", name="Select all that match").click()
        open_dialog(page, "Delete…")
        dialog = page.get_by_role("alertdialog", name="Delete objects")
        expect(dialog.get_by_text("This deletes 130 objects, with their parts.")).to_be_visible()
        button = dialog.get_by_role("button", name="Delete 130 objects")
        expect(button).to_be_disabled()
        dialog.get_by_label("To confirm, type 130").fill("13")
        expect(button).to_be_disabled()
        dialog.get_by_label("To confirm, type 130").fill("130")
        button.click()
        expect(page.get_by_text("130 objects are deleted.")).to_be_visible()
        expect(page.get_by_text("Nothing matches")).to_be_visible()
        written = [each for each in seen.sent if "deleteBulk" in (each.post_data or "")]
        assert len(written) == 2
    assert values(client, "CC", "code") == []


@pytest.mark.thorough
def test_a_deletion_goes_on_after_the_connection_was_lost(console: OpenVisit, client: Client) -> None:
    """The request is broken: what was done stays done, and the rest is done later."""
    specimens(client, "DD", 4)
    lost: list[Route] = []

    def lose_the_answer(route: Route) -> None:
        if "___deleteBulk" not in (route.request.post_data or "") or lost:
            route.continue_()
            return
        lost.append(route)
        route.fetch()
        route.abort("connectionreset")

    with console() as seen:
        open_console(seen, f"{LIST}DD")
        page = seen.page
        select_all(page)
        open_dialog(page, "Delete…")
        page.route("**/graphql/**", lose_the_answer)
        dialog = page.get_by_role("alertdialog", name="Delete objects")
        dialog.get_by_role("button", name="Delete 4 objects").click()
        expect(dialog.get_by_role("alert")).to_contain_text("can't be reached")
        dialog.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("4 objects are deleted.")).to_be_visible()
        seen.complaints.clear()
    assert values(client, "DD", "code") == []


@pytest.mark.thorough
def test_objects_that_others_need_stay(console: OpenVisit, client: Client) -> None:
    """A team can't be deleted while somebody has to be in it."""
    names = [f"team {each}" for each in range(3)]
    teams = [client.create("Team", name=each) for each in names]
    client.person(team=teams[1])
    with console() as seen:
        open_console(seen, "/console/data/Team?filter=name.starts_with.team")
        page = seen.page
        select_all(page)
        open_dialog(page, "Delete…")
        dialog = page.get_by_role("alertdialog", name="Delete objects")
        expect(dialog.get_by_role("alert")).to_contain_text("Objects with these issues stay as they are:")
        dialog.get_by_role("button", name="Delete 3 objects").click()
        expect(dialog.get_by_text("2 objects are deleted.")).to_be_visible()
        expect(dialog.get_by_text("1 object stays as it was:")).to_be_visible()
        dialog.get_by_role("button", name="Close").last.click()
        expect(page.get_by_role("link", name="team 1")).to_be_visible()
        expect(page.get_by_role("link", name="team 0")).not_to_be_attached()
