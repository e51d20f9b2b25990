"""Objects in the console: created with their parts, edited, previewed, copied and deleted."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_sign_in import open_console
from tests.service import RunningService, running

pytestmark = pytest.mark.built

NO_RESPONSE = "Failed to load resource: net::ERR_"
PROJECT = """{
  it: Project___getByCode(code: %s) {
    title budget(format: "iso") members { items { _label } } tasks { items { title hours } }
  }
}"""


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a customer, three employees, and a member who may not see everything."""
    with running(tmp_path_factory.mktemp("console") / "home") as service:
        service.add_member("mia", "Member")
        create(service, "Customer", name="Acme")
        create(service, "Customer", name="Apex")
        for first, last in (("Ada", "King"), ("Alan", "Turing"), ("Grace", "Hopper")):
            create(service, "Employee", first_name=first, last_name=last, email=f"{first}@example.com")
        yield service


def create(service: RunningService, class_name: str, /, **data: Any) -> str:
    """Create an object, and return its id."""
    document = f"mutation($data: {class_name}Create!) {{ it: {class_name}___create(data: $data) {{ _id }} }}"
    return str(service.graphql(document, {"data": data})["data"]["it"]["_id"])


def project(service: RunningService, code: str, **data: Any) -> str:
    """Create a project of the customer Acme, and return the path of its page."""
    found = service.graphql('{it: Customer___getPage(options: {filter: {name___eq: "Acme"}}) {items {_id}}}')
    customer = found["data"]["it"]["items"][0]["_id"]
    id_ = create(service, "Project", code=code, title=f"The {code}", customer=customer, **data)
    return f"/console/data/Project/objects/{id_}"


def stored(service: RunningService, code: str) -> Any:
    """Return a project as it is stored, or None."""
    return service.graphql(PROJECT % json.dumps(code))["data"]["it"]


def asked(seen: Visit, word: str = "") -> list[Request]:
    """Return the requests of a page to the GraphQL API that have a word."""
    return [each for each in seen.requests if "/api/graphql/" in each.url and word in (each.post_data or "")]


def variables_of(request: Request) -> dict[str, Any]:
    """Return the variables that a request has sent."""
    body: dict[str, Any] = json.loads(request.post_data or "")
    return dict(body["variables"])


def choose(page: Page, label: str, text: str, name: str) -> None:
    """Find an object by a text, and choose it by its name."""
    field = page.get_by_role("combobox", name=label)
    field.click()
    field.press_sequentially(text)
    page.get_by_role("option", name=name).click()


def task(page: Page, number: int) -> Any:
    """Return the fields of a task, counted from 0."""
    return page.get_by_role("region", name="Tasks").get_by_role("listitem").nth(number)


def test_an_object_is_created_with_its_parts_in_one_write(
    console: OpenVisit, console_service: RunningService
) -> None:
    with console() as seen:
        open_console(seen, "/console/data/Project/new")
        page = seen.page
        page.get_by_label("Code").fill("X1")
        page.get_by_label("Title").fill("Compiler")
        # The service is asked when the field is left, and only what was visited is judged.
        expect(page.get_by_text("It must match")).to_be_visible()
        expect(page.get_by_text("Requires one Customer")).to_have_count(0)
        choose(page, "Customer", "ac", "Acme")
        page.get_by_role("button", name="Add Task").click()
        expect(task(page, 0).get_by_label("Title")).to_be_focused()
        page.keyboard.type("Parse")
        page.get_by_role("button", name="Add Task").click()
        task(page, 1).get_by_label("Hours").fill("500")
        page.get_by_role("button", name="Create", exact=True).click()
        # The first field that is wrong has the focus, and each says why.
        expect(page.get_by_label("Code")).to_be_focused()
        expect(task(page, 1).get_by_text("This field is required")).to_be_visible()
        expect(task(page, 1).get_by_text("is too high")).to_be_visible()
        expect(page.get_by_text("3 fields need a change")).to_be_visible()
        assert asked(seen, "mutation") == []

        page.get_by_label("Code").fill("PRJ-0001")
        page.get_by_label("Budget").fill("2000000")
        task(page, 1).get_by_label("Title").fill("Emit")
        task(page, 1).get_by_label("Hours").fill("5")
        page.get_by_role("button", name="Create", exact=True).click()
        expect(page.get_by_text("A budget of more than a million.")).to_be_visible()
        assert stored(console_service, "PRJ-0001") is None
        page.get_by_role("button", name="Save anyway").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("PRJ-0001")
        assert stored(console_service, "PRJ-0001") == {
            "title": "Compiler",
            "budget": "2000000",
            "members": {"items": []},
            "tasks": {"items": [{"title": "Parse", "hours": None}, {"title": "Emit", "hours": "5"}]},
        }
        # Refused once for the warning, and written once. The page shows what the write has returned.
        assert len(asked(seen, "mutation")) == 2
        assert asked(seen, "Project___get(") == []


@pytest.mark.thorough
def test_only_what_has_changed_is_sent(console: OpenVisit, console_service: RunningService) -> None:
    path = project(console_service, "PRJ-0002", tasks=[{"title": "Draft", "hours": "3"}, {"title": "Build"}])
    with console() as seen:
        open_console(seen, path)
        page = seen.page
        # One request reads the object with its roles and parts.
        expect(task(page, 0).get_by_label("Title")).to_have_value("Draft")
        assert len(asked(seen)) == 1
        page.get_by_label("Budget").fill("150.5")
        page.get_by_label("Title").first.fill("something")
        page.get_by_label("Title").first.fill("The PRJ-0002")
        choose(page, "Add to Members", "tur", "Alan Turing")
        task(page, 0).get_by_label("Hours").fill("7.5")
        task(page, 1).get_by_role("button", name="Remove Build").click()
        page.get_by_role("button", name="Preview changes").click()
        dialog = page.get_by_role("dialog")
        # The derived value follows the parts.
        expect(dialog.get_by_role("row", name="Planned hours 3 7.5")).to_be_visible()
        expect(dialog.get_by_text("Alan Turing")).to_be_visible()
        expect(dialog.get_by_text("Deleted")).to_be_visible()
        assert asked(seen, "mutation") == []
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)

        (written,) = asked(seen, "mutation")
        sent = variables_of(written)["data"]
        assert sent.keys() == {"_id", "budget", "members", "tasks"}
        assert sent["budget"] == "150.5"
        (update,) = sent["tasks"]["update"]
        assert update.keys() == {"_id", "_ifRevision", "hours"}
        assert len(sent["tasks"]["delete"]) == 1
        assert variables_of(written)["ifRevision"]
        assert stored(console_service, "PRJ-0002") == {
            "title": "The PRJ-0002",
            "budget": "150.5",
            "members": {"items": [{"_label": "Alan Turing"}]},
            "tasks": {"items": [{"title": "Draft", "hours": "7.5"}]},
        }


@pytest.mark.parametrize("fault", ["500", pytest.param("503", marks=pytest.mark.thorough), "offline"])
def test_nothing_typed_is_lost_when_saving_fails(
    console: OpenVisit, console_service: RunningService, fault: str
) -> None:
    code = f"PRJ-10{['500', '503', 'offline'].index(fault)}0"
    path = project(console_service, code)
    with console() as seen:
        open_console(seen, path)
        page = seen.page
        page.get_by_label("Budget").fill("99")
        page.get_by_role("button", name="Add Task").click()
        page.keyboard.type("Typed")
        is_broken = True
        done: list[str] = []

        def answer(route: Route) -> None:
            if not is_broken or "mutation" not in (route.request.post_data or ""):
                return route.continue_()
            if fault == "offline":
                # The service writes, and its answer is lost.
                done.append(route.fetch().text())
                return route.abort()
            return route.fulfill(status=int(fault), body="{}", content_type="application/json")

        page.route("**/api/graphql/**", answer)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("alert").filter(has_text="Not saved.")).to_be_visible()
        expect(page.get_by_label("Budget")).to_have_value("99.00")
        expect(task(page, 0).get_by_label("Title")).to_have_value("Typed")
        is_broken = False
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
        # Also if the first attempt was written, there is one task.
        assert stored(console_service, code)["tasks"]["items"] == [{"title": "Typed", "hours": None}]
        assert len(done) == (fault == "offline")
        seen.complaints[:] = [each for each in seen.complaints if not each.startswith(NO_RESPONSE)]


@pytest.mark.thorough
def test_a_member_is_asked_before_changes_are_lost(
    console: OpenVisit, console_service: RunningService
) -> None:
    path = project(console_service, "PRJ-0003")
    with console() as seen:
        open_console(seen, "/console/data/Project")
        page = seen.page
        page.get_by_role("link", name="PRJ-0003").click()
        page.get_by_label("Budget").fill("5")
        question = page.get_by_role("alertdialog", name="Leave without saving?")
        for leave in (page.get_by_role("link", name="Team", exact=True).click, page.go_back):
            leave()
            question.get_by_role("button", name="Stay").click()
            expect(page.get_by_label("Budget")).to_have_value("5")
            assert page.url.endswith(path)
        page.go_back()
        question.get_by_role("button", name="Leave").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Project")
        page.get_by_role("link", name="PRJ-0003").click()
        expect(page.get_by_label("Budget")).to_have_value("")
        # Nothing is unsaved, so nothing is asked.
        page.get_by_role("link", name="Team", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Team")


@pytest.mark.thorough
def test_the_draft_of_a_new_object_survives_a_reload(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/data/Project/new")
        page = seen.page
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_label("Title").fill("שלום & <b>Ada</b>")
        page.get_by_role("button", name="Add Task").click()
        page.keyboard.type("Kept")
        page.reload()
        expect(page.get_by_label("Title").first).to_have_value("שלום & <b>Ada</b>")
        expect(task(page, 0).get_by_label("Title")).to_have_value("Kept")
        page.get_by_role("button", name="Start over").click()
        expect(page.get_by_label("Title")).to_have_value("")


@pytest.mark.thorough
def test_an_object_is_copied_and_deleted(console: OpenVisit, console_service: RunningService) -> None:
    path = project(console_service, "PRJ-0004", budget="7", tasks=[{"title": "Draft"}, {"title": "Build"}])
    with console() as seen:
        open_console(seen, path)
        page = seen.page
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Copy").click()
        expect(page.get_by_text("A copy of PRJ-0004")).to_be_visible()
        expect(page.get_by_label("Code")).to_have_value("")
        page.get_by_label("Code").fill("PRJ-0005")
        page.keyboard.press("Control+s")
        expect(page.get_by_role("heading", level=1)).to_have_text("PRJ-0005")
        copy = stored(console_service, "PRJ-0005")
        assert (copy["title"], copy["budget"], len(copy["tasks"]["items"])) == ("The PRJ-0004", "7", 2)

        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(page.get_by_role("alertdialog").get_by_text("Tasks: 2")).to_be_visible()
        page.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Project")
        assert stored(console_service, "PRJ-0005") is None


@pytest.mark.thorough
def test_a_deletion_that_a_required_role_forbids_says_so(
    console: OpenVisit, console_service: RunningService
) -> None:
    project(console_service, "PRJ-0006")
    with console() as seen:
        open_console(seen, "/console/data/Customer")
        page = seen.page
        page.get_by_role("row", name="Acme").get_by_role("link").first.click()
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(page.get_by_role("heading", name="can't be deleted")).to_be_visible()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("requires it")
        expect(page.get_by_role("button", name="Delete", exact=True)).to_have_count(0)
        assert asked(seen, "mutation") == []


@pytest.mark.thorough
def test_a_narrowed_profile_asks_for_nothing_that_it_may_not_see(
    console: OpenVisit, console_service: RunningService
) -> None:
    found = console_service.graphql('{it: Employee___getByEmail(email: "Ada@example.com") {_id}}')
    path = f"/console/data/Employee/objects/{found['data']['it']['_id']}"
    with console() as seen:
        open_console(seen, path, "mia")
        page = seen.page
        expect(page.get_by_role("heading", level=1)).to_have_text("Ada King")
        page.get_by_label("Phone").fill("12345")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
        assert asked(seen, "salary") == []
        # A member may not delete employees, and sees no such button.
        page.get_by_role("button", name="More actions").click()
        expect(page.get_by_role("menuitem", name="Copy")).to_be_visible()
        expect(page.get_by_role("menuitem", name="Delete")).to_have_count(0)


@pytest.mark.thorough
def test_a_form_of_the_model_shows_its_result(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/data/LeaveRequest/new")
        page = seen.page
        page.get_by_role("button", name="Show the result").click()
        expect(page.get_by_text("Requires one Employee.")).to_be_visible()
        choose(page, "Employee", "hopper", "Grace Hopper")
        for field, day in (("First day", "01032026"), ("Last day", "05032026")):
            page.get_by_role("group", name=field).get_by_role("spinbutton").first.click()
            page.keyboard.type(day)
        page.get_by_role("button", name="Show the result").click()
        expect(page.get_by_role("region", name="Result").get_by_text("5", exact=True)).to_be_visible()
        assert asked(seen, "mutation") == []
