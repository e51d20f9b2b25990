"""Lists in the console: what they show, how objects are found in them, and what they ask the service for."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.scenarios.browser import PATIENCE, PHONE, OpenVisit, Visit
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import RunningService, running

pytestmark = pytest.mark.built

LIST = "/console/data/Employee"
GRAPHQL = "**/auth/api/graphql/**"
NAMES = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Niklaus")
NO_RESPONSE = "Failed to load resource: net::ERR_"
"""What the browser logs for each request that gets no response."""


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("lists"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def console_service(
    request: pytest.FixtureRequest, console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with 60 employees in two teams, led by the first one, and a member who may read little."""
    with running(tmp_path_factory.mktemp("console") / "home", settings=request.param()) as service:
        service.add_member("mia", "Member")
        client = Client(service)
        teams = [client.create("Team", name=name) for name in ("Engines", "Compilers")]
        boss = None
        for number in range(60):
            person = {
                "first_name": NAMES[number % len(NAMES)],
                "last_name": f"Person {number:02}",
                "email": f"p{number}@example.com",
                "hired_on": f"2026-{number % 12 + 1:02}-15",
                "salary": str(1000 + number),
                "team": teams[number % 2] if number else None,
            }
            created = client.create("Employee", **person, **({"manager": boss} if boss else {}))
            boss = boss or created
        yield service


def rows(page: Page) -> Locator:
    """Return the rows of the list."""
    return page.get_by_role("main").locator("tbody").get_by_role("row")


def documents(seen: Visit) -> list[Any]:
    """Return the GraphQL requests of a visit."""
    return [json.loads(each.post_data or "") for each in seen.sent if "/api/graphql/" in each.url]


def choose(page: Page, label: str, value: str) -> None:
    """Choose an option of a select in the open panel."""
    page.get_by_role("dialog").get_by_label(label, exact=True).select_option(label=value)


def test_a_list_is_one_request_for_each_page(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        expect(rows(page)).to_have_count(50)
        expect(page.get_by_text("60 objects")).to_be_visible()
        expect(rows(page).first).to_contain_text("Ada Person 00")
        expect(rows(page).nth(1).get_by_role("link", name="Engines")).to_have_count(0)
        expect(rows(page).nth(1).get_by_role("link", name="Compilers")).to_be_visible()

        page.get_by_role("button", name="Next page").click()
        expect(rows(page)).to_have_count(10)
        expect(page.get_by_role("button", name="Last page")).to_be_disabled()
        page.get_by_role("button", name="Previous page").click()
        expect(rows(page)).to_have_count(50)
        page.get_by_role("button", name="Last page").click()
        expect(rows(page).last).to_contain_text("Person 59")
        page.go_back()
        expect(rows(page).first).to_contain_text("Person 00")

        assert len(documents(seen)) == 4
        first = documents(seen)[0]
        assert first["variables"] == {"options": {"next": 50}}
        assert "team { _id _label }" in first["query"]


def test_objects_are_found_by_a_search_a_filter_and_a_link(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.get_by_role("searchbox", name="Search", exact=True).fill("barbara")
        expect(rows(page)).to_have_count(10)
        expect(page).to_have_url(re.compile(r"\?search=barbara$"))

        page.get_by_role("button", name="Filter").click()
        choose(page, "Filter by", "Team")
        page.get_by_role("combobox", name="Team").fill("engi")
        page.get_by_role("option", name="Engines").click()
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_role("button", name="Team is Engines", exact=True)).to_be_visible()
        expect(rows(page)).to_have_count(10)

        page.get_by_role("button", name="Filter", exact=True).click()
        choose(page, "Filter by", "Salary")
        choose(page, "Condition", "is more than")
        page.get_by_role("dialog").get_by_label("Value").fill("1030")
        page.get_by_role("dialog").get_by_text("Show the objects that do not meet it").click()
        page.get_by_role("button", name="Apply").click()
        expect(
            page.get_by_role("button", name="Salary is not more than 1,030.00", exact=True)
        ).to_be_visible()
        expect(rows(page)).to_have_count(5)
        address = page.url

        page.go_back()
        expect(rows(page)).to_have_count(10)
        page.get_by_role("button", name="Clear all").click()
        expect(rows(page)).to_have_count(50)
        expect(page.get_by_role("searchbox", name="Search", exact=True)).to_have_value("")

        before = len(documents(seen))
        page.goto(address)
        expect(rows(page)).to_have_count(5)
        expect(page.get_by_role("button", name="Team is Engines", exact=True)).to_be_visible()
        assert len(documents(seen)) == before + 1


@pytest.mark.thorough
def test_a_list_is_sorted_in_both_directions_by_several_attributes(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        header = page.get_by_role("columnheader", name="Hired on")
        header.get_by_role("button").click()
        expect(header).to_have_attribute("aria-sort", "ascending")
        expect(rows(page).first).to_contain_text("15/01/2026")
        header.get_by_role("button").click()
        expect(header).to_have_attribute("aria-sort", "descending")
        expect(rows(page).first).to_contain_text("15/12/2026")
        page.get_by_role("columnheader", name="Email").get_by_role("button").click(modifiers=["Shift"])
        expect(page).to_have_url(re.compile(r"sort=-hired_on%2Cemail$"))
        expect(rows(page).first).to_contain_text("p11@example.com")

        page.get_by_role("button", name="Sort", exact=True).click()
        expect(page.get_by_role("dialog").get_by_label("Sort by")).to_have_value("hired_on")
        page.get_by_role("dialog").get_by_role("button", name="Remove").first.click()
        expect(page).to_have_url(re.compile(r"sort=email$"))


@pytest.mark.thorough
def test_the_columns_that_a_member_chooses_are_kept(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.get_by_role("button", name="Columns").click()
        panel = page.get_by_role("dialog", name="Columns")
        panel.get_by_text("Phone", exact=True).click()
        panel.get_by_role("searchbox").fill("reports")
        panel.get_by_text("Reports", exact=True).click()
        panel.get_by_role("searchbox").fill("")
        panel.get_by_role("button", name="Move Email to the end").click()
        page.keyboard.press("Escape")
        titles = [
            "",
            "Employee",
            "Codice fiscale",
            "Email",
            "Date of birth",
            "Hired on",
            "Team",
            "Leads",
            "Reports",
        ]
        expect(page.get_by_role("columnheader")).to_have_text(titles)
        expect(rows(page).first).to_contain_text("Grace Person 01, Alan Person 02, Edsger Person 03 +56")

        page.reload()
        expect(page.get_by_role("columnheader")).to_have_text(titles)
        page.get_by_role("button", name="Columns").click()
        page.get_by_role("button", name="Show the usual columns").click()
        expect(page.get_by_role("columnheader").nth(2)).to_have_text("Email")


@pytest.mark.thorough
def test_groups_have_totals_and_lead_to_their_objects(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.get_by_role("button", name="Summarize").click()
        page.get_by_label("Group by").select_option(label="Team")
        page.get_by_label("Totals").select_option(label="Salary (sum)")
        table = page.get_by_role("table")
        for name, count, total in (
            ("Empty", 1, "1,000"),
            ("Engines", 29, "29,870"),
            ("Compilers", 30, "30,900"),
            ("All objects", 60, "61,770"),
        ):
            row = table.get_by_role("row").filter(has_text=name)
            expect(row.get_by_role("cell")).to_have_text([str(count), total])
        page.get_by_label("Number").fill("2")
        expect(page.get_by_text("2 groups")).to_be_visible()
        table.get_by_role("columnheader", name="Count").get_by_role("button").click()
        expect(table.get_by_role("row").nth(1)).to_contain_text("30")
        address = page.url

        page.get_by_role("link", name="Engines").click()
        expect(page.get_by_role("button", name="Team is Engines", exact=True)).to_be_visible()
        expect(rows(page)).to_have_count(29)
        page.go_back()
        expect(page).to_have_url(address)

        page.goto(f"{LIST}?group=hired_on.QUARTER&total=salary.avg")
        page.get_by_role("link", name="Quarter 2 of 2026").click()
        expect(rows(page)).to_have_count(15)
        expect(page.get_by_role("button", name="Hired on is 01/04/2026 or after", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_an_empty_class_and_an_empty_result_say_what_to_do(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/data/Meeting")
        page = seen.page
        expect(page.get_by_role("heading", name="No objects yet")).to_be_visible()
        expect(page.get_by_role("link", name="Create the first one")).to_have_attribute(
            "href", re.compile("/new$")
        )

        page.goto(f"{LIST}?search=nobody&filter=remote.eq.true")
        expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
        page.get_by_role("button", name="Clear search and filters").click()
        expect(rows(page)).to_have_count(50)

        page.goto("/console/data/Address")
        expect(page.get_by_role("heading", name="There is no such list")).to_be_visible()
        page.goto("/console/data/Company")
        expect(page).to_have_url(re.compile("/data/Company/object$"))


@pytest.mark.thorough
def test_what_the_service_refuses_is_said_with_a_way_back(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, f"{LIST}?expression=salary%20%3E%20nothing&sort=email")
        page = seen.page
        expect(page.get_by_role("alert")).to_contain_text("nothing")
        page.get_by_role("button", name="Clear search and filters").click()
        expect(rows(page)).to_have_count(50)
        expect(page).to_have_url(re.compile(r"sort=email$"))


@pytest.mark.thorough
def test_a_search_in_too_many_objects_leads_to_what_an_index_can_answer(console: OpenVisit) -> None:
    refused = {
        "errors": [{"message": "Too much.", "extensions": {"classification": "READ_LIMIT"}}],
        "data": {"page": None},
    }
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.route(GRAPHQL, lambda route: route.fulfill(json=refused))
        page.get_by_role("searchbox", name="Search", exact=True).fill("Ada")
        expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("Too much.")
        page.unroute(GRAPHQL)
        page.get_by_role("button", name="First name starts with Ada").click()
        expect(rows(page)).to_have_count(10)
        expect(page.get_by_role("searchbox", name="Search", exact=True)).to_have_value("")


@pytest.mark.thorough
def test_a_broken_request_is_said_and_can_be_tried_again(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.route(
            GRAPHQL, lambda route: route.fulfill(status=500, body="{}", content_type="application/json")
        )
        page.get_by_role("button", name="Next page").click()
        expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("Something went wrong")
        page.unroute(GRAPHQL)
        page.route(GRAPHQL, lambda route: route.abort())
        page.get_by_role("main").get_by_role("button", name="Try again").click()
        # The console tries again twice before.
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("No connection", timeout=PATIENCE)
        page.unroute(GRAPHQL)
        page.get_by_role("main").get_by_role("button", name="Try again").click()
        expect(rows(page)).to_have_count(10)
        seen.complaints[:] = [each for each in seen.complaints if not each.startswith(NO_RESPONSE)]


@pytest.mark.thorough
def test_a_broken_summary_keeps_what_was_chosen(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, f"{LIST}?group=team&total=salary.sum")
        page = seen.page
        summary = page.get_by_role("region", name="Summary")
        expect(summary.get_by_text("3 groups")).to_be_visible()
        page.route(
            GRAPHQL, lambda route: route.fulfill(status=500, body="{}", content_type="application/json")
        )
        summary.get_by_label("Group by").select_option(label="Hired on (month)")
        expect(summary.get_by_role("alert")).to_contain_text("Something went wrong")
        expect(summary.get_by_role("button", name="Remove Salary (sum)")).to_be_visible()
        page.unroute(GRAPHQL)
        summary.get_by_role("button", name="Try again").click()
        expect(summary.get_by_text("13 groups")).to_be_visible()


@pytest.mark.thorough
def test_a_member_who_may_read_little_asks_for_nothing_else(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, f"{LIST}?sort=-salary&filter=salary.gt.1&group=&total=salary.sum", "mia")
        page = seen.page
        expect(rows(page)).to_have_count(50)
        expect(page.get_by_label("Totals").get_by_role("option", name=re.compile("Salary"))).to_have_count(0)
        page.get_by_role("button", name="Columns").click()
        expect(page.get_by_role("dialog").get_by_text("Email", exact=True)).to_be_visible()
        expect(page.get_by_role("dialog").get_by_text("Salary", exact=True)).to_have_count(0)
        assert not [each for each in documents(seen) if "salary" in json.dumps(each)]
        page.goto("/console/data/Customer")
        expect(page.get_by_role("heading", name="There is no such list")).to_be_visible()


@pytest.mark.thorough
def test_the_keyboard_alone_finds_and_opens_an_object(console: OpenVisit) -> None:
    with console() as seen:
        seen.page.goto(LIST)
        fill_in(seen.page, "admin")
        page = seen.page
        expect(rows(page)).to_have_count(50)
        page.get_by_role("searchbox", name="Search", exact=True).focus()
        page.keyboard.type("person 42")
        expect(rows(page)).to_have_count(1)
        page.get_by_role("columnheader", name="Employee").get_by_role("button").focus()
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Ada Person 42":
                break
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/data/Employee/objects/"))


@pytest.mark.thorough
def test_selected_objects_are_counted(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, LIST)
        page = seen.page
        page.get_by_role("checkbox", name="Select Ada Person 00").check(force=True)
        bar = page.get_by_role("region", name="Selection")
        expect(bar).to_contain_text("1 object is selected.")
        page.get_by_role("checkbox", name="Select all on this page").check(force=True)
        expect(bar).to_contain_text("50 objects are selected.")
        bar.get_by_role("button", name="Select all that match").click()
        expect(bar).to_contain_text("All objects that match are selected.")
        page.get_by_role("columnheader", name="Email").get_by_role("button").click()
        expect(bar).to_be_visible()
        page.get_by_role("searchbox", name="Search", exact=True).fill("ada")
        expect(bar).to_have_count(0)


@pytest.mark.thorough
def test_a_phone_keeps_the_label_in_sight(console: OpenVisit) -> None:
    with console(**PHONE) as seen:
        seen.page.goto(LIST)
        fill_in(seen.page, "admin")
        page = seen.page
        expect(rows(page)).to_have_count(50)
        label = page.get_by_role("link", name="Ada Person 00")
        before = label.bounding_box()
        page.locator(".list-frame").evaluate("frame => { frame.scrollLeft = 300; }")
        assert label.bounding_box() == before
        page.get_by_role("button", name="Sort", exact=True).click()
        choose(page, "Sort by", "Hired on")
        expect(page).to_have_url(re.compile(r"sort=hired_on$"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
