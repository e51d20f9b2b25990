"""A member sets a password by the link in a mail, in a real browser."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from stratabase.core.http.base.messages import Request, Response
from stratabase.members.mailed_link import LINK_LIFETIME
from stratabase.values.formats.preferences import Formats
from tests.link_service import NEW, LinkService
from tests.scenarios.browser import DESKTOP, PHONE, OpenVisit
from tests.server.http.serving import http_server
from tests.soak import mostly

pytestmark = pytest.mark.built


@pytest.fixture
def link(service: LinkService, origin: str) -> str:
    """Return the link in a mail to anna."""
    service.token(origin)
    return service.mails.link


def choose(page: Page, password: str, repeat: str | None = None) -> None:
    """Fill in and submit the form."""
    page.fill("#password", password)
    page.fill("#repeat", password if repeat is None else repeat)
    page.click("#set")


def set_by(service: LinkService, password: str = NEW) -> bool:
    return service.anna().password == f"hash of {password}"


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(PHONE, id="phone"),
        # Other tests set passwords on a desktop.
        pytest.param(DESKTOP, id="desktop", marks=pytest.mark.thorough),
    ],
)
def test_a_password_can_be_set(
    size: dict[str, Any], visit: OpenVisit, link: str, service: LinkService, folder: Path
) -> None:
    name = str(size["viewport"]["width"])
    with visit(**size) as seen:
        seen.page.goto(link)
        seen.picture(folder, f"form-{name}")
        expect(seen.page).to_have_title("Choose your password · Hr")
        choose(seen.page, NEW)
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
        seen.picture(folder, f"done-{name}")
        assert "token" not in seen.page.url
        assert set_by(service)

        seen.page.goto(link)
        expect(seen.page.get_by_role("heading", name="This link doesn't work")).to_be_visible()
        seen.picture(folder, f"used-{name}")


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(PHONE, id="phone", marks=pytest.mark.thorough),
        # The size makes no difference to forms without scripts. The test above uses a phone.
        pytest.param(DESKTOP, id="desktop"),
    ],
)
def test_the_page_works_without_javascript(
    size: dict[str, Any], visit: OpenVisit, link: str, service: LinkService, folder: Path
) -> None:
    with visit(java_script_enabled=False, **size) as seen:
        seen.page.goto(link)
        expect(seen.page.locator("#show")).to_be_hidden()
        for password, repeat, words in [
            ("short", "short", "too short"),
            ("commonpassword", "commonpassword", "too common"),
            (NEW, NEW + "!", "don't match"),
        ]:
            choose(seen.page, password, repeat)
            expect(seen.page.get_by_role("alert")).to_contain_text(words)
            expect(seen.page.get_by_role("alert")).to_be_focused()
            expect(seen.page).to_have_title("Error: Choose your password · Hr")
            assert seen.page.input_value("#password") == seen.page.input_value("#repeat") == ""
        seen.picture(folder, f"error-{size['viewport']['width']}")
        choose(seen.page, NEW)
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
    assert set_by(service)


@pytest.mark.parametrize(
    ("typed", "words", "field"),
    [
        (("", ""), "at least 12 characters", "password"),
        pytest.param(
            ("eleven char", "eleven char"), "at least 12 characters", "password", marks=pytest.mark.thorough
        ),
        pytest.param(
            ("x" * 129, "x" * 129), "at most 128 characters", "password", marks=pytest.mark.thorough
        ),
        ((NEW, "correct horse batter"), "don't match", "repeat"),
    ],
)
def test_client_side_errors_are_shown_immediately(
    typed: tuple[str, str], words: str, field: str, visit: OpenVisit, link: str
) -> None:
    with visit() as seen:
        seen.page.goto(link)
        choose(seen.page, *typed)
        expect(seen.page.get_by_role("alert")).to_contain_text(words)
        assert seen.focused == "error"
        assert seen.page.get_attribute(f"#{field}", "aria-invalid") == "true"
        assert "error" in str(seen.page.get_attribute(f"#{field}", "aria-describedby"))
        assert (seen.page.input_value("#password"), seen.page.input_value("#repeat")) == typed
        assert seen.sent == []


def test_the_page_counts_characters_like_the_service(
    visit: OpenVisit, link: str, service: LinkService
) -> None:
    with visit() as seen:
        seen.page.goto(link)
        choose(seen.page, "🎉e\u0301" * 5 + "x")
        expect(seen.page.get_by_role("alert")).to_contain_text("at least 12 characters")
        assert seen.sent == []
        choose(seen.page, "🎉e\u0301" * 6)
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
    assert set_by(service, "🎉\u00e9" * 6)


def test_a_link_that_expires_on_the_open_page_gives_advice(
    visit: OpenVisit, link: str, service: LinkService
) -> None:
    with visit() as seen:
        seen.page.goto(link)
        service.clock.instant += LINK_LIFETIME
        choose(seen.page, NEW)
        expect(seen.page.get_by_role("heading", name="This link has expired")).to_be_visible()
    assert not set_by(service)


def test_the_page_works_with_the_keyboard(visit: OpenVisit, link: str, service: LinkService) -> None:
    with visit() as seen:
        seen.page.goto(link)
        press, type_ = seen.page.keyboard.press, seen.page.keyboard.type
        press("Tab")
        order = []
        for _ in range(4):
            order.append(seen.focused)
            style = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style == "solid", f"the focus on {seen.focused} cannot be seen"
            press("Tab")
        assert order == ["password", "repeat", "show", "set"]

        seen.page.focus("#password")
        type_("short")
        press("Enter")
        expect(seen.page.get_by_role("alert")).to_be_focused()
        press("Tab")
        assert seen.focused == "password"
        press("Control+A")
        type_(NEW)
        press("Tab")
        type_(NEW)
        press("Tab")
        press("Space")
        assert seen.page.get_attribute("#password", "type") == "text"
        press("Tab")
        press("Enter")
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
    assert set_by(service)


def test_the_passwords_can_be_shown_and_hidden(visit: OpenVisit, link: str, folder: Path) -> None:
    with visit() as seen:
        seen.page.goto(link)
        seen.page.fill("#password", NEW)
        for shown, label in [("text", "Hide passwords"), ("password", "Show passwords")]:
            seen.page.click("#show")
            assert seen.page.get_attribute("#password", "type") == shown
            assert seen.page.get_attribute("#repeat", "type") == shown
            expect(seen.page.get_by_role("button", name=label)).to_be_visible()
            assert seen.page.input_value("#password") == NEW


def test_a_second_click_shows_the_success_of_the_first(
    visit: OpenVisit, link: str, service: LinkService
) -> None:
    with visit() as seen:
        seen.page.goto(link)
        seen.page.fill("#password", NEW)
        seen.page.fill("#repeat", NEW)
        seen.page.dblclick("#set")
        expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
        assert len(seen.sent) == 1
    assert set_by(service)


# Italian words are longer.
@pytest.mark.parametrize("language", mostly(["en", "it"], "en"))
def test_nothing_is_clipped_on_the_smallest_phone(
    language: str, visit: OpenVisit, link: str, service: LinkService
) -> None:
    service.edit(username="a-name-without-any-end-" * 3, formats=Formats(language=language))
    for size in ("100%", "200%"):
        with visit(viewport={"width": 320, "height": 480}) as seen:
            seen.page.goto(link)
            seen.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            choose(seen.page, "")
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320
            for target in ("#show", "#set", "#password"):
                box = seen.page.locator(target).bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= 320
                assert box["height"] >= 24


def test_the_page_follows_the_dark_colour_scheme(visit: OpenVisit, link: str, folder: Path) -> None:
    for scheme in ("light", "dark"):
        with visit(color_scheme=scheme) as seen:
            seen.page.goto(link)
            choose(seen.page, "short")
            seen.picture(folder, f"error-{scheme}")
            colour = seen.page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
            assert (colour == "rgb(255, 255, 255)") is (scheme == "light")


def test_the_page_works_below_a_base_path(visit: OpenVisit, service: LinkService) -> None:
    handler = service.handler().http

    def deployed(request: Request) -> Response:
        resource = request.resource.removeprefix("/live")
        return handler.answer(replace(request, resource=resource, base_url=root))

    with http_server(deployed, ["/live/public/administration/setPassword"]) as client:
        token, root = service.token(), f"http://127.0.0.1:{client.port}/live"
        with visit(origin=root) as seen:
            seen.page.goto(f"{root}/public/administration/setPassword?token={token}")
            choose(seen.page, NEW)
            expect(seen.page.get_by_role("heading", name="Your password is set")).to_be_visible()
    assert set_by(service)
