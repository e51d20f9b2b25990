"""How many requests the pages of the console send, and how many bytes come before the first list."""

import re
import time
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_library import Library
from tests.scenarios.console_sign_in import fill_in, open_console
from tests.service import RunningService

pytestmark = pytest.mark.built

FIRST_PAGE = 220 * 1024
"""The most bytes of the console until the first list is there: compressed, with headers, without texts."""
CATALOG = 20 * 1024
"""The most bytes of the texts of another language than English, which come with the first page."""
GRAPHQL = "POST /auth/api/graphql/Library"


@pytest.fixture(scope="module")
def console_service(library: Library) -> RunningService:
    return library.service


def asked(seen: Visit) -> list[str]:
    """Return the requests to the API since the last call, without the files of the page, and print them."""
    found = [_line(each) for each in seen.requests if re.search("/(auth|public)/", each.url)]
    seen.requests.clear()
    print(*found, sep="\n")  # noqa: T201 - a test shows what it has counted
    return found


def _line(request: Request) -> str:
    return f"{request.method} {urlsplit(request.url).path}"


def settle(page: Page, title: str) -> None:
    """Wait until the page with a heading is complete."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.wait_for_load_state("networkidle")


def test_the_first_list_takes_five_requests(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen)
        settle(seen.page, "Book")
        assert sorted(asked(seen)) == [
            "GET /auth/administration/member",
            "GET /auth/api/model/Library",
            "GET /public/signIn",
            GRAPHQL,
            "POST /public/token/getJwtToken",
        ]


def test_a_list_takes_one_request(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen)
        settle(seen.page, "Book")
        asked(seen)
        seen.page.get_by_role("link", name="Copy").click()
        settle(seen.page, "Copy")
        assert asked(seen) == [GRAPHQL]
        seen.page.get_by_role("button", name="Condition").click()
        seen.page.wait_for_load_state("networkidle")
        expect(seen.page.get_by_role("columnheader", name="Condition")).to_have_attribute(
            "aria-sort", "ascending"
        )
        assert asked(seen) == [GRAPHQL]


def test_an_object_with_roles_and_parts_takes_one_request(console: OpenVisit) -> None:
    with console() as seen:
        open_console(seen)
        settle(seen.page, "Book")
        asked(seen)
        seen.page.get_by_role("link", name="The Periodic Table").click()
        settle(seen.page, "The Periodic Table")
        assert asked(seen) == [GRAPHQL]
        # Nothing of the list is read again while it is young.
        seen.page.go_back()
        settle(seen.page, "Book")
        assert asked(seen) in ([], [GRAPHQL])


@pytest.mark.parametrize("locale", ["en-GB", "it-IT"])
def test_the_first_page_is_small(locale: str, console: OpenVisit) -> None:
    with console(locale=locale) as seen:
        network = seen.page.context.new_cdp_session(seen.page)
        network.send("Network.enable")
        urls: dict[str, str] = {}
        received: dict[str, float] = {}
        network.on(
            "Network.responseReceived",
            lambda event: urls.update({event["requestId"]: event["response"]["url"]}),
        )
        network.on(
            "Network.loadingFinished",
            lambda event: received.update({event["requestId"]: event["encodedDataLength"]}),
        )
        seen.page.goto("/console/")
        began = time.monotonic()
        if locale == "en-GB":
            fill_in(seen.page, "admin")
        else:
            seen.page.get_by_label("Nome utente").fill("admin")
            seen.page.keyboard.press("Tab")
            seen.page.keyboard.type("correct horse battery staple")
            seen.page.keyboard.press("Enter")
        expect(seen.page.get_by_role("link", name="Invisible Cities")).to_be_visible()
        seconds = time.monotonic() - began
        seen.page.wait_for_load_state("networkidle")
        sizes = {urls[request]: size for request, size in received.items() if "/console" in urls[request]}
        texts = sum(size for url, size in sizes.items() if f"/{locale[:2]}-" in url)
        total = sum(sizes.values())
        measured = f"{total / 1024:.0f} KB in {len(sizes)} responses, {texts / 1024:.0f} KB of them texts"
        print(f"{locale}: {measured}; the list after {seconds:.2f} s")  # noqa: T201 - time has no limit
        assert 0 < total - texts <= FIRST_PAGE
        assert (texts > 0) is (locale != "en-GB")
        assert texts <= CATALOG
