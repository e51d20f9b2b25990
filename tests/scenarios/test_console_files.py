"""Files are uploaded, shown, replaced and downloaded in the console, also over a connection that fails."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.everything_model import FILE
from tests.scenarios.browser import OpenVisit, Visit
from tests.scenarios.console_sign_in import open_console
from tests.scenarios.graph_client import Client
from tests.scenarios.test_files_in_a_browser import picture
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

PNG = picture()
PART = 4 * 1024 * 1024
LARGE = bytes(range(256)) * (2 * PART // 256 + 1000)
"""The bytes of a file that takes three requests."""
KEPT_UPLOADS = "Object.keys(sessionStorage).some((key) => key.startsWith('stratabase.upload.'))"
NO_RESPONSE = "Failed to load resource: net::ERR_"


@pytest.fixture(scope="module")
def console_service(
    console_build: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("console") / "home"
    with running(home, model=FILE, application="Everything") as service:
        yield service


def a_file(name: str, content: bytes, mime_type: str = "image/png") -> FilePayload:
    return {"name": name, "mimeType": mime_type, "buffer": content}


def choose(page: Page, button: str, file: FilePayload | Path) -> None:
    """Choose a file by the dialog that a button opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=button).click()
    chooser.value.set_files(file)


def group(page: Page, label: str) -> Locator:
    """Return the field of a file."""
    return page.get_by_role("group", name=label, exact=True)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Save", exact=True)).not_to_be_attached()


def uploads(seen: Visit) -> list[str]:
    """Return the methods of the requests to the addresses of uploads."""
    pattern = re.compile(r"/auth/file/\w+/\w+(/pending/\w+)?$")
    return [each.method for each in seen.requests if pattern.search(each.url) and each.method != "GET"]


def specimen(client: Client) -> str:
    return client.create("Specimen", code="none", fragile=False, mood="GOOD")


def stored(client: Client, class_name: str, id_: str, attribute: str) -> Any:
    query = f"query($id: ID!) {{ {class_name}___get(_id: $id) {{ {attribute} {{ name size link }} }} }}"
    return client.ask(query, id=id_)[attribute]


def content(service: RunningService, link: str) -> bytes:
    path = link.partition(f":{service.port}")[2]
    return service.request("GET", path, headers={"Authorization": basic("admin", PASSWORD)}).body


def test_a_picture_is_uploaded_shown_downloaded_replaced_and_removed(
    console: OpenVisit, client: Client, console_service: RunningService, tmp_path: Path
) -> None:
    id_ = specimen(client)
    with console(accept_downloads=True) as seen:
        open_console(seen, f"/console/data/Specimen/objects/{id_}")
        page = seen.page
        field = group(page, "Picture")
        # What the model doesn't allow isn't uploaded.
        choose(page, "Choose a file", a_file("notes.txt", b"text", "text/plain"))
        expect(field.get_by_role("alert")).to_contain_text("Choose one that ends with PNG or JPEG.")
        choose(page, "Choose a file", a_file("large.png", bytes(1_000_001)))
        expect(field.get_by_role("alert")).to_contain_text("Choose a file of at most 1 MB.")
        assert uploads(seen) == []

        choose(page, "Choose a file", a_file("caffè.png", PNG))
        expect(field.get_by_text("Not saved yet")).to_be_visible()
        expect(field.get_by_role("button", name="Show caffè.png")).to_be_visible()
        save(page)
        expect(field.get_by_text("Not saved yet")).not_to_be_attached()
        assert uploads(seen) == ["POST"]
        found = stored(client, "Specimen", id_, "picture")
        assert [found["name"], content(console_service, found["link"])] == ["caffè.png", PNG]

        field.get_by_role("button", name="Show caffè.png").click()
        image = page.get_by_role("dialog", name="caffè.png").get_by_role("img")
        expect(image).to_be_visible()
        assert image.evaluate("image => image.naturalWidth") == 2
        page.keyboard.press("Escape")
        with page.expect_download() as download:
            field.get_by_role("button", name="Download caffè.png").click()
        assert download.value.suggested_filename == "caffè.png"
        download.value.save_as(tmp_path / "copy.png")
        assert (tmp_path / "copy.png").read_bytes() == PNG

        choose(page, "Replace caffè.png", a_file("tea.jpeg", b"\xff\xd8\xff", "image/jpeg"))
        expect(field.get_by_role("button", name="Remove tea.jpeg")).to_be_visible()
        save(page)
        assert stored(client, "Specimen", id_, "picture")["name"] == "tea.jpeg"
        field.get_by_role("button", name="Remove tea.jpeg").click()
        expect(field.get_by_role("button", name="Choose a file")).to_be_focused()
        save(page)
        assert stored(client, "Specimen", id_, "picture") is None


@pytest.mark.thorough
def test_a_file_that_is_no_picture_is_never_shown(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person()
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'ran'</script></svg>"
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        choose(seen.page, "Choose a file", a_file("drawing.svg", drawing, "image/svg+xml"))
        field = group(seen.page, "Photo")
        expect(field.get_by_role("button", name="Download drawing.svg")).to_be_visible()
        expect(field.get_by_role("button", name="Show drawing.svg")).not_to_be_attached()
        assert field.get_by_role("img").count() == 0


@pytest.mark.thorough
def test_a_large_file_goes_on_where_the_connection_was_lost(
    console: OpenVisit, client: Client, console_service: RunningService
) -> None:
    id_, _team = client.person()
    parts: list[int] = []

    def lose_the_second(route: Route) -> None:
        parts.append(int(route.request.headers.get("upload-offset", -1)))
        if len(parts) == 2:
            route.abort("connectionreset")
        else:
            route.continue_()

    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        page.route("**/pending/*", lambda route: _patches(route, lose_the_second))
        choose(page, "Choose a file", a_file("film.bin", LARGE, "application/octet-stream"))
        field = group(page, "Photo")
        expect(field.get_by_text("Waiting for the connection.")).to_be_visible()
        # A save doesn't leave the file behind.
        page.get_by_role("button", name="Save", exact=True).click()
        expect(field.get_by_text("Not saved yet")).to_be_visible()
        save(page)
        assert parts == [0, PART, PART, 2 * PART]
        assert [each for each in seen.complaints if not each.startswith(NO_RESPONSE)] == []
        seen.complaints.clear()
    found = stored(client, "Person", id_, "photo")
    assert found["size"] == len(LARGE)
    assert content(console_service, found["link"]) == LARGE


def _patches(route: Route, handle: Any) -> None:
    if route.request.method == "PATCH":
        handle(route)
    else:
        route.continue_()


@pytest.mark.thorough
@pytest.mark.soak
def test_a_large_file_goes_on_after_the_page_was_loaded_again(
    console: OpenVisit, client: Client, console_service: RunningService, tmp_path: Path
) -> None:
    id_, _team = client.person()
    file = tmp_path / "film.bin"
    file.write_bytes(LARGE)
    offsets: list[str] = []

    def stop_at_the_second(route: Route) -> None:
        offsets.append(route.request.headers["upload-offset"])
        if offsets != ["0", str(PART)]:
            route.continue_()

    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        page.route("**/pending/*", partial(_patches, handle=stop_at_the_second))
        choose(page, "Choose a file", file)
        page.wait_for_function(KEPT_UPLOADS)
        expect(group(page, "Photo").get_by_text("4.2 MB of")).to_be_visible()
        page.reload()
        choose(page, "Choose a file", file)
        expect(group(page, "Photo").get_by_text("Not saved yet")).to_be_visible()
        save(page)
        assert offsets == ["0", str(PART), str(PART), str(2 * PART)]
        assert not page.evaluate(KEPT_UPLOADS)
    assert content(console_service, stored(client, "Person", id_, "photo")["link"]) == LARGE


@pytest.mark.thorough
def test_an_upload_can_be_canceled(console: OpenVisit, client: Client) -> None:
    id_, _team = client.person()
    with console() as seen:
        open_console(seen, f"/console/data/Person/objects/{id_}")
        page = seen.page
        waiting: list[Route] = []
        page.route("**/pending/*", partial(_patches, handle=waiting.append))
        choose(page, "Choose a file", a_file("film.bin", LARGE, "application/octet-stream"))
        page.get_by_role("button", name="Cancel the upload of film.bin").click()
        expect(group(page, "Photo").get_by_role("button", name="Choose a file")).to_be_visible()
        expect(page.get_by_role("button", name="Save", exact=True)).not_to_be_attached()
        expect(page.get_by_role("alert")).not_to_be_attached()


@pytest.mark.thorough
def test_a_refused_upload_says_why_and_can_be_repeated(console: OpenVisit, client: Client) -> None:
    """The request is broken, as by a service that has no room."""
    id_ = specimen(client)
    problem = '{"title": "Too Many Requests", "status": 429, "detail": "Your pending files are too many."}'
    answer: dict[str, Any] = {"status": 429, "content_type": "application/problem+json", "body": problem}
    with console() as seen:
        open_console(seen, f"/console/data/Specimen/objects/{id_}")
        page = seen.page
        page.get_by_label("Email").fill("a@example.com")
        page.route("**/auth/file/**", lambda route: route.fulfill(**answer))
        choose(page, "Choose a file", a_file("a.png", PNG))
        field = group(page, "Picture")
        expect(field.get_by_role("alert")).to_have_text("Your pending files are too many.")
        expect(page.get_by_label("Email")).to_have_value("a@example.com")
        page.unroute("**/auth/file/**")
        field.get_by_role("button", name="Upload a.png again").click()
        expect(field.get_by_text("Not saved yet")).to_be_visible()
        save(page)
    assert stored(client, "Specimen", id_, "picture")["name"] == "a.png"


@pytest.mark.thorough
@pytest.mark.soak
def test_a_pending_file_that_has_expired_says_so(console: OpenVisit, client: Client) -> None:
    id_ = specimen(client)
    with console() as seen:
        seen.page.clock.install()
        open_console(seen, f"/console/data/Specimen/objects/{id_}")
        choose(seen.page, "Choose a file", a_file("a.png", PNG))
        expect(group(seen.page, "Picture").get_by_text("Not saved yet")).to_be_visible()
        seen.page.clock.fast_forward("01:00:05")
        expect(group(seen.page, "Picture").get_by_role("alert")).to_contain_text(
            "has deleted it. Choose it again."
        )
