"""A browser shows pictures, sound and PDF, and runs no script of any file."""

import io
import struct
import wave
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.files.download import bound_file_endpoint
from stratabase.core.http.handler import HttpHandler
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from tests.core.http.files.fake_downloads import FakeDownloads
from tests.scenarios.browser import PATIENCE, chromium
from tests.server.http.serving import http_server

pytestmark = pytest.mark.built

BOUND = "/auth/file/{class}/{name}/{attribute}"
SCRIPT = b"<html><script>document.title = 'ran'</script></html>"
SVG_SCRIPT = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'ran'</script></svg>"


class Window(NamedTuple):
    """A page of a browser, and the files that the service has."""

    page: Page
    downloads: FakeDownloads
    address: str

    def open(self, mime_type: str, content: bytes) -> None:
        """Open the address of a file."""
        self.downloads.hold(content, mime_type=mime_type)
        self.page.goto(self.address)


@pytest.fixture(scope="module")
def window() -> Iterator[Window]:
    downloads = FakeDownloads()
    basic = BasicAuthenticator(lambda username, _password, _address: Caller("1", username, "Clerk"))
    handler = HttpHandler({BOUND: bound_file_endpoint(downloads)}, Authentication({"Basic": basic}))
    credentials = {"username": "anna", "password": "right"}
    with http_server(handler) as client, chromium() as browser:
        context = browser.new_context(http_credentials=credentials)  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        yield Window(page, downloads, f"http://127.0.0.1:{client.port}/auth/file/person/p1/photo")
        context.close()


def test_a_picture_is_shown(window: Window) -> None:
    window.open("image/png", picture())

    window.page.wait_for_function("document.images[0].naturalWidth === 2")


def test_sound_is_loaded(window: Window) -> None:
    window.open("audio/wav", sound())

    window.page.wait_for_function("document.querySelector('audio, video').readyState === 4")


@pytest.mark.parametrize("mime_type", ["image/png", "audio/wav", "video/mp4"])
def test_script_in_place_of_media_does_not_run(window: Window, mime_type: str) -> None:
    window.open(mime_type, SCRIPT)

    assert window.page.evaluate("document.contentType") == mime_type
    assert window.page.title() != "ran"


@pytest.mark.parametrize(
    ("mime_type", "content"),
    [
        ("text/html", SCRIPT),
        ("image/svg+xml", SVG_SCRIPT),
        ("application/xhtml+xml", SCRIPT),
        ("text/xml", SVG_SCRIPT),
        ("text/javascript", b"document.title = 'ran'"),
        ("", SCRIPT),
        ("text/html, image/png", SCRIPT),
    ],
)
def test_files_that_can_contain_script_are_saved(window: Window, mime_type: str, content: bytes) -> None:
    window.downloads.hold(content, name="Perché?.html", mime_type=mime_type)
    window.page.goto("about:blank")

    with window.page.expect_download() as download:
        window.page.evaluate("address => { location.href = address }", window.address)

    assert download.value.suggested_filename == "Perché_.html"


def test_a_page_cannot_load_a_file_as_script(window: Window) -> None:
    window.downloads.hold(b"document.title = 'ran'", mime_type="text/plain")
    window.page.goto(window.address.rpartition("/auth")[0])

    loaded = window.page.evaluate(
        """address => new Promise(resolve => {
            const script = document.createElement("script")
            script.onload = () => resolve("loaded")
            script.onerror = () => resolve("refused")
            script.src = address
            document.head.append(script)
        })""",
        window.address,
    )

    assert loaded == "refused"
    assert window.page.title() != "ran"


def picture() -> bytes:
    """Return a PNG of 2 by 2 pixels."""
    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    pixels = zlib.compress(2 * (b"\0" + 2 * b"\xff\0\0"))
    chunks = [(b"IHDR", head), (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def sound() -> bytes:
    """Return a second of silence as WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(16_000))
    return file.getvalue()
