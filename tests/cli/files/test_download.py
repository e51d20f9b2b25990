"""`stratabase files download` saves files safely, and continues interrupted downloads."""

import os
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.transfer.client import download
from tests.cli.files.conftest import Progress
from tests.cli.files.instances import MEGABYTE, PNG, Files, create_employee
from tests.rows import each_row
from tests.service import RunningService

LARGE = 24 * MEGABYTE
"""The size of a file that doesn't fit in the buffers of a connection."""
PART = 3 * MEGABYTE


def interrupt() -> None:
    raise KeyboardInterrupt


def put(files: Files, employee: str, content: bytes, attribute: str = "document") -> None:
    """Upload and bind a file named `report.pdf`, which is not in the folder after that."""
    path = files.write("report.pdf", content)
    files.done("upload", str(path), "Employee", attribute, "--object", employee)
    path.unlink()


@pytest.fixture
def employee(service: RunningService) -> str:
    return create_employee(service)


def names(files: Files) -> set[str]:
    return {path.name for path in files.folder.iterdir()}


@pytest.mark.parametrize("size", [0, 1, 5 * MEGABYTE])
def test_a_file_is_saved_under_its_name(files: Files, employee: str, size: int) -> None:
    content = os.urandom(size)
    put(files, employee, content)
    assert files.done("download", "employee", employee, "DOCUMENT") == "report.pdf"
    assert (files.folder / "report.pdf").read_bytes() == content
    assert names(files) == {"report.pdf"}


def test_a_link_is_enough(service: RunningService, files: Files, employee: str) -> None:
    put(files, employee, b"content")
    query = f'{{ Employee___get(_id: "{employee}") {{ document {{ link }} }} }}'
    link = service.graphql(query)["data"]["Employee___get"]["document"]["link"]
    assert files.done("download", link) == "report.pdf"
    assert (files.folder / "report.pdf").read_bytes() == b"content"


def test_a_historical_version_has_its_own_file(service: RunningService, files: Files, employee: str) -> None:
    put(files, employee, b"first")
    put(files, employee, b"second")
    page = f'{{ Employee___getVersionPage(_id: "{employee}") {{ items {{ document {{ link }} }} }} }}'
    items = service.graphql(page)["data"]["Employee___getVersionPage"]["items"]
    links = [item["document"]["link"] for item in items if item["document"]]
    link = next(each for each in links if "?version=" in each)
    start = link.rpartition("=")[2]
    files.done("download", link, "--output", "by-link")
    files.done("download", "Employee", employee, "document", "--version", start, "--output", "by-start")
    files.done("download", "Employee", employee, "document", "--output", "current")
    contents = [(files.folder / name).read_bytes() for name in ("by-link", "by-start", "current")]
    assert contents == [b"first", b"first", b"second"]


def test_a_large_file_comes_in_ranges(
    files: Files, employee: str, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "RANGE_SIZE", 1000)
    content = os.urandom(3500)
    put(files, employee, content)
    progress.shown.clear()
    files.done("download", "Employee", employee, "document")
    assert {1000, 2000, 3000, 3500} <= set(progress.shown)
    assert (files.folder / "report.pdf").read_bytes() == content


def test_the_output_can_be_a_file_or_a_folder(files: Files, employee: str) -> None:
    put(files, employee, b"content")
    (files.folder / "folder").mkdir()
    command = ("download", "Employee", employee, "document", "--output")
    assert files.done(*command, "other.bin") == "other.bin"
    assert files.done(*command, "folder") == str(Path("folder/report.pdf"))
    assert names(files) == {"other.bin", "folder"}


def test_an_existing_file_is_replaced_only_by_force(files: Files, employee: str) -> None:
    put(files, employee, b"content")
    mine = files.write("report.pdf", b"mine")
    command = ("download", "Employee", employee, "document")
    assert files.refused(*command).startswith("report.pdf exists. Replace it with --force")
    assert mine.read_bytes() == b"mine"
    files.done(*command, "--force")
    assert mine.read_bytes() == b"content"


def test_a_dangling_link_counts_as_existing(files: Files, employee: str) -> None:
    put(files, employee, b"content")
    (files.folder / "report.pdf").symlink_to("elsewhere")
    assert "report.pdf exists" in files.refused("download", "Employee", employee, "document")


@each_row(
    ("arguments", "reason", "code"),
    [
        (("download", "Nobody", "{id}", "document"), "(404)", 1),
        (("download", "Employee", "{id}", "nothing"), "(404)", 1),
        (("download", "Employee", "no-id", "document"), "(404)", 1),
        (("download", "Employee", "{id}", "photo"), "(404)", 1),
        (("download", "Employee", "../{id}", "document"), "(404)", 1),
        (("download", "Employee", "{id}", "document", "--version", "1"), "(404)", 1),
        (("download", "Employee", "{id}"), "CLASS OBJECT ATTRIBUTE", 2),
        (("download", "Employee"), "or a link", 2),
        (("download", "/auth/file/employee/{id}/document"), "or a link", 2),
        (("download", "http://other.example/auth/file/employee/{id}/document"), "Leave out --url", 2),
        (("download", "{url}/auth/file/employee/{id}/document", "--version", "1"), "Leave out --version", 2),
        (("download", "Employee", "{id}", "document", "--output", "none/x"), "folder none does not exist", 1),
    ],
)
def test_a_wrong_download_is_refused_with_one_line(
    files: Files, employee: str, arguments: tuple[str, ...], reason: str, code: int
) -> None:
    put(files, employee, b"content")
    filled = [argument.format(id=employee, url=files.url) for argument in arguments]
    assert reason in files.refused(*filled, code=code)
    assert names(files) == set()


@each_row("version", ["x", "-1", "1.5", "٣", "9" * 5000])
def test_a_wrong_version_is_refused(files: Files, version: str) -> None:
    with pytest.raises(SystemExit):
        files.run("download", "Employee", "x", "document", f"--version={version}")


def test_an_attribute_that_the_member_may_not_read_has_no_file(
    files: Files, employee: str, reader: str
) -> None:
    put(files, employee, PNG, "document")
    path = files.write("ada.png", PNG)
    files.done("upload", str(path), "Employee", "photo", "--object", employee)
    assert "(404)" in files.refused("download", "Employee", employee, "photo", user=reader)


def test_a_download_continues_when_the_service_was_killed_and_restarted(
    service: RunningService, files: Files, employee: str, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = os.urandom(LARGE)
    put(files, employee, content)
    progress.shown.clear()
    progress.then = (PART, service.kill)
    monkeypatch.setattr("stratabase.core.waiting.pause", lambda _seconds: service.start())
    outcome = files.run("download", "Employee", employee, "document")
    assert outcome.code == 0
    assert "Trying again" in outcome.err
    assert progress.shown == sorted(progress.shown)
    assert (files.folder / "report.pdf").read_bytes() == content


def interrupted(files: Files, employee: str, progress: Progress) -> None:
    """Interrupt a download of a new file after a part of it."""
    progress.then = (PART, interrupt)
    outcome = files.run("download", "Employee", employee, "document")
    assert outcome.code == 130
    assert "Interrupted. To go on, run the same command again." in outcome.err
    assert names(files) == {"report.pdf.part"}
    progress.shown.clear()


def test_a_download_that_the_user_interrupted_continues_with_the_same_command(
    files: Files, employee: str, progress: Progress
) -> None:
    content = os.urandom(LARGE)
    put(files, employee, content)
    interrupted(files, employee, progress)
    files.done("download", "Employee", employee, "document")
    assert progress.shown[0] >= PART
    assert (files.folder / "report.pdf").read_bytes() == content
    assert names(files) == {"report.pdf"}


def test_a_download_begins_anew_when_the_object_has_another_file(
    files: Files, employee: str, progress: Progress
) -> None:
    put(files, employee, bytes(LARGE))
    interrupted(files, employee, progress)
    content = os.urandom(LARGE)
    put(files, employee, content)
    progress.shown.clear()
    files.done("download", "Employee", employee, "document")
    assert progress.shown[0] == 0
    assert (files.folder / "report.pdf").read_bytes() == content


@pytest.mark.parametrize("size", [0, 1500, 6000])
def test_a_file_that_is_replaced_during_the_download_begins_anew(
    files: Files, employee: str, progress: Progress, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(download, "RANGE_SIZE", 1000)
    put(files, employee, bytes(3500))
    content = os.urandom(size)
    replacement = files.write("new.bin", content)
    command = ["files", "upload", "new.bin", "Employee", "document", "--object", employee]

    def replace() -> None:
        assert main([*command, "--user", "admin", "--url", files.url]) == 0
        replacement.unlink()

    progress.then = (2000, replace)
    assert files.done("download", "Employee", employee, "document").endswith("new.bin")
    assert (files.folder / "new.bin").read_bytes() == content


@pytest.mark.parametrize("damage", [b"", b"x" * (LARGE + 1)])
def test_an_unfinished_file_of_another_size_is_repaired(
    files: Files, employee: str, progress: Progress, damage: bytes
) -> None:
    content = os.urandom(LARGE)
    put(files, employee, content)
    interrupted(files, employee, progress)
    files.write("report.pdf.part", damage)
    files.done("download", "Employee", employee, "document")
    assert (files.folder / "report.pdf").read_bytes() == content


def test_an_unfinished_file_of_another_program_is_kept(files: Files, employee: str) -> None:
    put(files, employee, b"content")
    mine = files.write("report.pdf.part", b"mine")
    command = ("download", "Employee", employee, "document")
    assert files.refused(*command).startswith("report.pdf.part exists, and does not come from a download")
    assert mine.read_bytes() == b"mine"
    files.done(*command, "--force")
    assert names(files) == {"report.pdf"}
