"""What administrators see of the service in the console, and what other members don't."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.scenarios.browser import PATIENCE, PHONE, OpenVisit, Visit, visit_of_service
from tests.scenarios.console_models import console_model
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.service import RunningService, running

pytestmark = pytest.mark.built

REPORT = "**/auth/administration/service"
NO_RESPONSE = "Failed to load resource: net::ERR_"
"""What the browser logs for each request that gets no response."""


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service of the sample model with a member who may do little."""
    with running(tmp_path_factory.mktemp("console") / "home") as service:
        service.add_member("mia", "Member")
        yield service


def reports(seen: Visit) -> int:
    """Return how often a page asked for the report of the service."""
    return sum(each.url.endswith("/auth/administration/service") for each in seen.requests)


def asked_for_costs(seen: Visit) -> int:
    """Return how often a page asked for the cost of a request."""
    return sum("insight" in (each.post_data or "") for each in seen.requests)


def open_tab(page: Page, name: str) -> None:
    """Open a page of the service by its tab."""
    page.get_by_role("navigation", name="Service").get_by_role("link", name=name).click()
    expect(page.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")


def test_an_administrator_sees_the_service_by_one_request(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/service")
        expect(page.get_by_text("The service is ready. Nothing needs your attention.")).to_be_visible()
        expect(page.get_by_role("row", name="Objects")).to_contain_text("STRATABASE_HOME")

        open_tab(page, "Indexes")
        row = page.get_by_role("row", name="@unique(email)")
        expect(row).to_contain_text("Ready")
        open_tab(page, "Changes")
        expect(page.get_by_text("The model file has no changes.")).to_be_visible()

        open_tab(page, "Settings")
        expect(page.get_by_role("row", name="STRATABASE_ADMIN_PASSWORD")).to_contain_text("Secret, set")
        page.get_by_label("Search settings").fill("introspection")
        expect(page.get_by_role("row", name="STRATABASE_INTROSPECTION")).to_contain_text("Default")
        page.get_by_text("Only what differs from the default").click()
        expect(page.get_by_role("heading", name="No setting matches")).to_be_visible()
        page.get_by_label("Search settings").fill("port")
        expect(page.get_by_role("row", name="PORT The port")).to_contain_text("Changed")
        assert (reports(seen), asked_for_costs(seen)) == (1, 0)


@pytest.mark.thorough
def test_the_diagram_of_the_model_leads_to_lists(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/service/model")
        diagram = page.get_by_role("region", name="Diagram of the model.")
        team = diagram.locator('[data-class="Team"]')
        expect(team).to_be_visible()
        before = team.bounding_box()
        diagram.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("+")
        assert team.bounding_box() != before
        page.keyboard.press("0")

        main = page.get_by_role("main")
        main.get_by_label("Search classes").fill("proj")
        expect(main.get_by_text("1 class found")).to_be_attached()
        main.get_by_label("Search classes").fill("")
        main.get_by_label("Neighborhood of").select_option("Meeting")
        expect(diagram.locator("[data-class]")).to_have_count(2)
        diagram.locator('[data-class="Employee"] [data-action="focus"]').click()
        expect(main.get_by_label("Neighborhood of")).to_have_value("Employee")
        team.locator(".class-name").click()
        expect(page.get_by_role("heading", level=1, name="Team")).to_be_visible()


@pytest.mark.thorough
def test_the_text_of_the_model_is_copied(console: OpenVisit) -> None:
    with console(permissions=["clipboard-read", "clipboard-write"]) as seen:
        page = seen.page
        open_console(seen, "/console/service/model")
        page.get_by_role("button", name="Text", exact=True).click()
        text = page.get_by_role("region", name="Text of the model")
        expect(text).to_contain_text("type Employee")
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("# The model of a small company.")


@pytest.mark.thorough
def test_another_member_sees_the_model_and_nothing_of_the_service(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/service", username="mia")
        expect(page.get_by_role("heading", name="This page is for administrators")).to_be_visible()
        expect(page.get_by_role("navigation", name="Administration").get_by_role("link")).to_have_text(
            ["Model"]
        )

        page.get_by_role("link", name="Model").click()
        expect(page.locator('[data-class="Employee"]')).to_be_visible()
        page.get_by_role("button", name="Table").click()
        employee = page.get_by_role("row", name=re.compile("^Employee "))
        expect(employee).to_contain_text("first_name String!")
        expect(employee).not_to_contain_text("salary")
        expect(page.get_by_role("button", name="Text", exact=True)).to_have_count(0)
        assert (reports(seen), asked_for_costs(seen)) == (0, 0)


@pytest.mark.thorough
def test_a_report_that_does_not_come_is_asked_for_again(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        page.route(REPORT, lambda route: route.abort())
        open_console(seen, "/console/service")
        alert = page.get_by_role("alert")
        expect(alert.get_by_role("heading", name="No connection")).to_be_visible(timeout=PATIENCE)
        page.unroute(REPORT)
        page.route(REPORT, lambda route: route.fulfill(status=503, headers={"Retry-After": "0"}))
        alert.get_by_role("button", name="Try again").click()
        expect(alert.get_by_role("heading", name="The service is busy")).to_be_visible(timeout=PATIENCE)
        page.unroute(REPORT)
        alert.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("The service is ready.")).to_be_visible()
        assert {each[: len(NO_RESPONSE)] for each in seen.complaints} <= {NO_RESPONSE}
        seen.complaints.clear()


@pytest.mark.thorough
def test_a_store_that_does_not_answer_is_told_in_plain_words(console: OpenVisit) -> None:
    def answer(route: Route) -> None:
        report: Any = route.fetch().json()
        report |= {"health": {"store": "unreachable"}, "indexes": None}
        report["model"] |= {"comparisons": [], "problem": "The store can't be reached."}
        route.fulfill(json=report)

    with console() as seen:
        page = seen.page
        page.route(REPORT, answer)
        open_console(seen, "/console/service")
        expect(page.get_by_role("alert")).to_contain_text("The store of the objects can't be reached")
        open_tab(page, "Indexes")
        expect(page.get_by_role("heading", name="The store can't be reached")).to_be_visible()
        open_tab(page, "Changes")
        expect(page.get_by_text("The models can't be compared.")).to_be_visible()


@pytest.mark.thorough
def test_a_build_and_changes_say_what_to_run(console: OpenVisit) -> None:
    building = {"class": "Team", "name": "@index(founded)", "state": "BUILDING", "builtObjects": 1200}
    change = {
        "severity": "DECISION",
        "subject": "Employee.phone",
        "change": "removed",
        "reason": "Its values are no longer shown.",
        "toDo": "Keep it, or drop its values.",
    }

    def answer(route: Route) -> None:
        report: Any = route.fetch().json()
        report["indexes"].append(building)
        report["model"]["comparisons"][0]["changes"] = [change]
        route.fulfill(json=report)

    with console() as seen:
        page = seen.page
        page.route(REPORT, answer)
        open_console(seen, "/console/service")
        expect(page.get_by_text("The model file has 1 change that needs a decision.")).to_be_visible()
        page.get_by_role("link", name="Show the indexes").click()
        row = page.get_by_role("row", name="Team @index(founded)")
        expect(row).to_contain_text("1,200 objects so far")
        expect(row).to_contain_text("stratabase reindex Team")
        open_tab(page, "Changes")
        expect(page.get_by_role("row", name="Employee.phone")).to_contain_text("Keep it, or drop its values.")


@pytest.mark.thorough
def test_an_administrator_asks_what_a_page_costs(console: OpenVisit, console_service: RunningService) -> None:
    document = 'mutation { Team___create(data: {name: "Costs"}) { _id } }'
    team = console_service.graphql(document)["data"]["Team___create"]["_id"]
    with console() as seen:
        page = seen.page
        open_console(seen, f"/console/data/Team/objects/{team}")
        expect(page.get_by_role("heading", level=1, name="Costs")).to_be_visible()
        assert asked_for_costs(seen) == 0
        page.get_by_role("button", name="Cost", exact=True).click()
        dialog = page.get_by_role("dialog", name="What this page costs")
        expect(dialog.get_by_text("Round trips to the store")).to_be_visible()
        expect(dialog.get_by_text("No index is missing.")).to_be_visible()
        assert asked_for_costs(seen) == 1
        dialog.get_by_role("button", name="Close").click()

        page.route("**/auth/api/graphql/*", lambda route: route.abort())
        page.get_by_role("button", name="Cost", exact=True).click()
        expect(dialog.get_by_role("heading", name="No connection")).to_be_visible(timeout=PATIENCE)
        page.unroute("**/auth/api/graphql/*")
        dialog.get_by_role("button", name="Try again").click()
        expect(dialog.get_by_text("Round trips to the store")).to_be_visible()
        seen.complaints.clear()


@pytest.mark.thorough
def test_the_cost_of_a_page_names_the_missing_index(
    console: OpenVisit, console_service: RunningService
) -> None:
    advised = {"entityName": "Employee", "attributeNames": ["first_name"]}

    def answer(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        if insight := body.get("extensions", {}).get("insight"):
            plan = {"path": ["page"], "entityName": "Employee", "description": "read all objects"}
            insight["plans"] = [{**plan, "missingIndex": advised}]
        route.fulfill(response=response, body=json.dumps(body))

    document = 'mutation { Team___create(data: {name: "Advised"}) { _id } }'
    team = console_service.graphql(document)["data"]["Team___create"]["_id"]
    with console() as seen:
        page = seen.page
        page.route("**/auth/api/graphql/*", answer)
        open_console(seen, f"/console/data/Team/objects/{team}")
        page.get_by_role("button", name="Cost", exact=True).click()
        dialog = page.get_by_role("dialog", name="What this page costs")
        expect(dialog).to_contain_text('@index(attributes: ["first_name"])')
        expect(dialog).to_contain_text("read all objects")


@pytest.mark.thorough
def test_the_account_menu_leads_to_graphiql_in_this_tab_signed_in(console: OpenVisit) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen)
        page.get_by_role("button", name="admin").click()
        page.get_by_role("menuitem", name="GraphiQL").click()
        expect(page).to_have_url(re.compile("/public/graphiql"))
        expect(page.get_by_role("button", name="Sign out")).to_be_visible(timeout=PATIENCE)
        assert len(page.context.pages) == 1
        page.go_back()
        expect(page.get_by_role("button", name="admin")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.soak
def test_a_model_of_104_classes_is_searched_and_looked_at(
    console_build: None, browser: Browser, tmp_path: Path
) -> None:
    model = tmp_path / "large.graphql"
    model.write_text(console_model())
    with running(tmp_path / "home", model=model, application="Large") as service:
        open_visit = visit_of_service(browser, service.port)
        with open_visit() as seen:
            open_console(seen, "/console/data/Survey")
            _search_the_sidebar(seen.page)
        for options in ({}, PHONE):
            with open_visit(**options) as seen:
                page = seen.page
                page.goto("/console/service/model")
                fill_in(page, "admin")
                diagram = page.get_by_role("region", name="Diagram of the model.")
                expect(diagram.locator("[data-class]")).to_have_count(104, timeout=PATIENCE)
                page.get_by_role("main").get_by_label("Group").select_option("Area 3")
                expect(diagram.locator("[data-class]")).to_have_count(10)
                seen.picture(tmp_path, f"group {len(options)}")


def _search_the_sidebar(page: Page) -> None:
    """Find classes by the keys alone. Only the group of the present page is open at first."""
    expect(page.get_by_role("link", name="Survey")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Area 7")).to_have_attribute("aria-expanded", "false")
    page.get_by_label("Search classes").focus()
    page.keyboard.type("customer7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Customer7")).to_be_visible()
    page.get_by_label("Search classes").fill("")
    expect(page.get_by_role("button", name="Area 7")).to_have_attribute("aria-expanded", "true")
    page.get_by_label("Search classes").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Area 0")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Team0")).to_be_visible()
