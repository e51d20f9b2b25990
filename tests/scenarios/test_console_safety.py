"""Texts of people and of the model are never markup, may be long or of any direction, and lead nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.scenarios.browser import PHONE, OpenVisit, visit_of_service
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.scenarios.graph_client import Client
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

STRIKE = "<img src=//evil.example/x onerror='window.struck = true'><marquee>"
IN_MODEL = STRIKE.replace('"', "'")
NAME = f'Eve "{STRIKE}" & Co'
ARABIC = "مكتبة المدينة"
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
MODEL = f"""
extend schema @application(name: "Evil") @profile(name: "Administrator", administrator: true)

"Described {IN_MODEL}"
type Thing
  @class(versioned: true, label: "name")
  @warning(name: "tall", condition: "height > 5", message: "Warned {IN_MODEL}") {{
  "Told {IN_MODEL}"
  name: String!
  height: Int @domain(max: "9")
  mood: Mood
  notes: Text
  file: File
  friends: [Thing!]
}}

enum Mood {{
  "Good {IN_MODEL}"
  GOOD
}}
"""


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a model and objects that attack."""
    folder: Path = tmp_path_factory.mktemp("evil")
    model = folder / "model.graphql"
    model.write_text(MODEL)
    with running(folder / "home", model=model, application="Evil") as service:
        yield service


@pytest.fixture(scope="module")
def eve(console_service: RunningService) -> str:
    """Return the id of the object whose texts attack. It has friends with a long and an Arabic name."""
    client = Client(console_service)
    friends = [client.create("Thing", name=name, notes=name) for name in (ARABIC, LONG)]
    file = {"file": _upload(console_service)}
    return client.create("Thing", name=NAME, notes=STRIKE, mood="GOOD", height=3, friends=friends, **file)


@pytest.fixture
def console(browser: Browser, console_service: RunningService, eve: str) -> OpenVisit:
    """Open a page. At the end, assert that it stayed at its origin and reported no errors."""
    return visit_of_service(browser, console_service.port)


def _upload(service: RunningService) -> object:
    headers = {"Authorization": basic("admin", PASSWORD), "Content-Type": CONTENT_TYPE}
    named = b'form-data; name="file"; filename="<marquee onclick=\'window.struck=1\'>.svg"'
    body = form(part(named, b"<svg onload='window.struck = true'/>", [b"Content-Type: image/svg+xml"]))
    reply = service.request("POST", "/auth/file/Thing/file", headers=headers, body=body)
    assert reply.status == 201, reply.body
    return reply.json()


def assert_unharmed(page: Page) -> None:
    """Assert that no text has become an element or has run."""
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.struck") is None
    assert page.locator("marquee, img[src*='evil']").count() == 0


def assert_fits(page: Page) -> None:
    """Assert that the page is no wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.thorough
def test_markup_is_shown_as_text(console: OpenVisit, eve: str) -> None:
    with console() as seen:
        page = seen.page
        open_console(seen, "/console/data/Thing")
        expect(page.get_by_text("Described <img")).to_be_visible()
        page.get_by_role("link", name="Eve").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
        assert NAME in page.title()
        expect(page.get_by_text("Told <img")).to_be_visible()
        expect(page.get_by_label("Notes")).to_have_value(STRIKE)
        expect(page.get_by_text("marquee onclick")).to_be_visible()
        assert_unharmed(page)
        page.get_by_label("Height").fill("7")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Warned <img").first).to_be_visible()
        assert_unharmed(page)


def test_markup_is_shown_as_text_on_other_pages(console: OpenVisit, eve: str) -> None:
    with console() as seen:
        open_console(seen, f"/console/data/Thing/objects/{eve}/history")
        for path in ("/console/data/Thing/new", "/console/service/model", "/console/data/Thing/deleted"):
            assert_unharmed(seen.page)
            seen.page.goto(path)
            expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
        assert_unharmed(seen.page)


@pytest.mark.thorough
def test_names_in_addresses_are_shown_as_text(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/data/%3Cmarquee%3E?search=%3Cmarquee%3E")
        assert_unharmed(seen.page)


@pytest.mark.thorough
def test_texts_from_right_to_left_keep_their_direction(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen, "/console/data/Thing")
        seen.page.get_by_role("link", name=ARABIC).click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text(ARABIC)
        for label in ("Name", "Notes"):
            expect(seen.page.get_by_label(label)).to_have_css("direction", "rtl")
        expect(seen.page.get_by_label("Height")).to_have_css("direction", "ltr")


@pytest.mark.thorough
def test_a_long_word_breaks_no_page(console: OpenVisit, eve: str) -> None:
    with console(**PHONE) as seen:
        seen.page.goto("/console/data/Thing")
        fill_in(seen.page, "admin")
        expect(seen.page.get_by_role("link", name=LONG)).to_be_attached()
        assert_fits(seen.page)
        seen.page.get_by_role("link", name=LONG).click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text(LONG)
        assert_fits(seen.page)
        seen.page.goto(f"/console/data/Thing/objects/{eve}")
        expect(seen.page.get_by_role("heading", level=1)).to_have_text(NAME)
        seen.page.wait_for_load_state("networkidle")
        assert_fits(seen.page)
