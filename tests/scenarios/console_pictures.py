"""Takes the pictures of the console for the documentation and for reviews.

- `python -m tests.scenarios.console_pictures FOLDER`: all pages, light and dark, on a desktop and a phone, in
  English and Italian, as PNG files.
- `python -m tests.scenarios.console_pictures --docs`: the pictures in `docs/images`, as small WebP files.
"""

import base64
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, expect

from tests.console_build import build_console
from tests.scenarios.browser import PATIENCE, chromium
from tests.scenarios.console_sample import Sample, fill
from tests.service import PASSWORD, RunningService, basic, running

IMAGES = Path(__file__).resolve().parents[2] / "docs/images"
SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "it")
_BUSY = ".loading, .skeleton, [aria-busy=true]"
_NO_PAGE = ".lucide-search-x"
_WEBP = """async ([png, width]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = Math.round(image.height * width / image.width);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", 0.82).split(",")[1];
}"""
"""Encodes a picture in the browser, which needs no other program."""


class Picture(NamedTuple):
    """A page of the console."""

    name: str
    path: Callable[[Sample], str]
    act: Callable[[Page], object] = lambda _: None
    """What to do on the page before the picture is taken. It must work in every language."""


def _employee(sample: Sample, name: str = "Ada Lombardi") -> str:
    return f"data/Employee/objects/{sample.employees[name]}"


def _show_diagram(page: Page) -> None:
    expect(page.locator(".class-box").first).to_be_visible()


PICTURES = (
    Picture("list", lambda _: "data/Employee"),
    Picture("object", _employee),
    Picture("locked", lambda sample: _employee(sample, "Bruno Conti")),
    Picture("history", lambda sample: f"{_employee(sample)}/history"),
    Picture("deleted", lambda _: "data/Employee/deleted"),
    Picture("new", lambda _: "data/Project/new"),
    Picture("project", lambda sample: f"data/Project/objects/{sample.projects['PRJ-0012']}"),
    Picture("company", lambda _: "data/Company/object"),
    Picture("members", lambda _: "members"),
    Picture("account", lambda _: "account"),
    Picture("service", lambda _: "service"),
    Picture("model", lambda _: "service/model", _show_diagram),
    Picture("indexes", lambda _: "service/indexes"),
    Picture("settings", lambda _: "service/settings"),
)
IN_DOCS = {"list", "object", "locked", "history", "members", "model"}


def main(arguments: list[str]) -> None:
    """Take the pictures that the arguments ask for."""
    match arguments:
        case ["--docs"]:
            take_for_docs(IMAGES)
        case [folder] if not folder.startswith("-"):
            take_all(Path(folder))
        case _:
            sys.exit(__doc__)


def take_all(folder: Path) -> None:
    """Take the pictures of all pages, in all looks, and save them in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with _filled() as (browser, service, sample):
        for size, scheme, language in product(SIZES, SCHEMES, LANGUAGES):
            options = {**SIZES[size], "color_scheme": scheme, "locale": language}
            _set_language(service, language)
            for picture, image in _taken(browser, service, sample, PICTURES, options):
                (folder / f"{picture.name}.{size}.{scheme}.{language}.png").write_bytes(image)


def take_for_docs(folder: Path) -> None:
    """Take the pictures of the documentation: light, on a desktop, in English, with sharp letters."""
    folder.mkdir(parents=True, exist_ok=True)
    with _filled() as (browser, service, sample):
        chosen = [each for each in PICTURES if each.name in IN_DOCS]
        options = {**SIZES["desktop"], "device_scale_factor": 2, "locale": "en"}
        encoder = browser.new_page()
        for picture, image in _taken(browser, service, sample, chosen, options):
            encoded = encoder.evaluate(_WEBP, [base64.b64encode(image).decode(), 1600])
            file = folder / f"console-{picture.name}.webp"
            file.write_bytes(base64.b64decode(encoded))
            sys.stdout.write(f"{file.name}: {file.stat().st_size:,} bytes\n")


@contextmanager
def _filled() -> Iterator[tuple[Browser, RunningService, Sample]]:
    """Run a browser, and a service with the sample data."""
    build_console()
    with TemporaryDirectory() as folder, running(Path(folder) / "home") as service, chromium() as browser:
        yield browser, service, fill(service)


def _set_language(service: RunningService, language: str) -> None:
    """Set the language of the administrator, whom the pictures show."""
    headers = {"Authorization": basic("admin", PASSWORD), "Content-Type": "application/json"}
    id_ = service.request("GET", "/auth/administration/member", headers=headers).json()["id"]
    address, body = f"/auth/administration/members/{id_}", json.dumps({"language": language})
    reply = service.request("PUT", address, headers=headers, body=body)
    assert reply.status < 300, reply.body


def _taken(
    browser: Browser, service: RunningService, sample: Sample, pictures: Any, options: dict[str, Any]
) -> Iterator[tuple[Picture, bytes]]:
    """Yield the pictures of pages, which one member opens one after the other."""
    base_url = f"http://127.0.0.1:{service.port}"
    context = browser.new_context(**options, base_url=base_url, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto("/console/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("button[type=submit]").click()
    expect(page.locator(".sidebar-account").first).to_be_attached()
    for picture in pictures:
        page.goto(f"/console/{picture.path(sample)}")
        expect(page.locator("main h1")).to_be_visible()
        picture.act(page)
        expect(page.locator(_BUSY)).to_have_count(0)
        expect(page.locator(_NO_PAGE)).to_have_count(0)
        page.mouse.move(0, 0)
        yield picture, page.screenshot()
    context.close()


if __name__ == "__main__":
    main(sys.argv[1:])
