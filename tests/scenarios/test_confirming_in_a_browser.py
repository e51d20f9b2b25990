"""A member confirms a new email address by a mailed link, in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from stratabase.values.formats.preferences import Formats
from tests.link_service import NEW_EMAIL, LinkService
from tests.scenarios.browser import DESKTOP, PHONE, OpenVisit
from tests.soak import mostly

pytestmark = pytest.mark.built

WORDS = {
    "en": ("Confirm your email address", "Confirm address", "Your email address is confirmed"),
    "it": (
        "Conferma il tuo indirizzo email",
        "Conferma l'indirizzo",
        "Il tuo indirizzo email è confermato",
    ),
}
"""The heading, the button and the heading after it, by language."""


_SIZES = {"phone": PHONE, "desktop": DESKTOP}
WAYS = [
    pytest.param(
        *(language, size, scripts),
        id=f"{language}-{name}-{'with' if scripts else 'without'}-scripts",
        # Each language, size and kind of browser is tried, but not each with all others.
        marks=() if scripts == ((language == "en") == (name == "phone")) else pytest.mark.thorough,
    )
    for language in WORDS
    for name, size in _SIZES.items()
    for scripts in (True, False)
]


@pytest.mark.parametrize(("language", "size", "scripts"), WAYS)
def test_an_address_is_confirmed_in_the_language_of_the_member(  # noqa: PLR0917 - fixtures
    language: str,
    size: dict[str, Any],
    scripts: bool,
    visit: OpenVisit,
    origin: str,
    service: LinkService,
    folder: Path,
) -> None:
    service.edit(formats=Formats(language=language))
    service.email_token(base_url=origin)
    link = service.mails.link
    heading, button, done = WORDS[language]
    name = f"{language}-{size['viewport']['width']}"
    with visit(locale="de-DE", java_script_enabled=scripts, **size) as seen:
        seen.page.goto(link)
        expect(seen.page).to_have_title(f"{heading} · Hr")
        expect(seen.page.get_by_text(NEW_EMAIL)).to_be_visible()
        expect(seen.page.get_by_text("anna", exact=True)).to_be_visible()
        seen.picture(folder, f"button-{name}")
        assert service.anna().email == "anna@example.com"
        seen.page.get_by_role("button", name=button).click()
        expect(seen.page.get_by_role("heading", name=done)).to_be_visible()
        seen.picture(folder, f"done-{name}")
        assert "token" not in seen.page.url
        assert service.anna().email == NEW_EMAIL

        seen.page.goto(link)
        expect(seen.page.locator("form")).to_have_count(0)
        expect(seen.page.locator("html")).to_have_attribute("lang", language)
        seen.picture(folder, f"used-{name}")


# Italian words are longer.
@pytest.mark.parametrize("language", mostly(WORDS, "en"))
def test_nothing_is_clipped_on_the_smallest_phone(
    language: str, visit: OpenVisit, origin: str, service: LinkService
) -> None:
    service.edit(username="a-name-without-any-end-" * 3, formats=Formats(language=language))
    service.email_token("an-address-without-any-end-" * 2 + "@example.org", origin)
    for size in ("100%", "200%"):
        with visit(viewport={"width": 320, "height": 480}) as seen:
            seen.page.goto(service.mails.link)
            seen.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320
            box = seen.page.locator("#set").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 320
            assert box["height"] >= 24
