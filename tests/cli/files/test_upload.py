"""`stratabase files upload` sends files of any size, and continues interrupted uploads."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from stratabase.core.domain.files.resumable_upload import MAX_CHUNK_SIZE
from stratabase.transfer.client.connection import WAITS
from tests.cli.files.conftest import Progress
from tests.cli.files.instances import MEGABYTE, PNG, Files, base_url, create_employee
from tests.rows import each_row
from tests.service import PASSWORD, RunningService, basic

LARGE = 3 * MAX_CHUNK_SIZE + 1
"""The size of a file that takes four requests."""


def interrupt() -> None:
    raise KeyboardInterrupt


def stored(service: RunningService, object_id: str, attribute: str = "document") -> bytes:
    """Return the file of an object."""
    headers = {"Authorization": basic("admin", PASSWORD)}
    reply = service.request("GET", f"/auth/file/employee/{object_id}/{attribute}", headers=headers)
    assert reply.status == 200
    return reply.body


@pytest.mark.parametrize("size", [0, 1, MAX_CHUNK_SIZE, MAX_CHUNK_SIZE + 1, LARGE])
def test_a_file_of_any_size_is_uploaded_and_bound(service: RunningService, files: Files, size: int) -> None:
    content = os.urandom(size)
    path = files.write("report.pdf", content)
    employee = create_employee(service)
    reference = json.loads(files.done("upload", str(path), "Employee", "document", "--object", employee))
    assert reference.keys() == {"pendingFileId", "fileId", "name", "mimeType", "size", "uploadedOn"}
    assert (reference["name"], reference["size"]) == ("report.pdf", size)
    assert stored(service, employee) == content


def test_a_printed_reference_binds_the_file(service: RunningService, files: Files) -> None:
    reference = json.loads(files.done("upload", str(files.write("ada.png", PNG)), "employee", "PHOTO"))
    assert reference["mimeType"] == "image/png"
    mutation = (
        "mutation($file: PendingFileReference!)"
        ' { Employee___create(data: {name: "Ada", photo: $file}) { photo { name } } }'
    )
    answer = service.graphql(mutation, {"file": reference})
    assert answer["data"]["Employee___create"]["photo"] == {"name": "ada.png"}


@each_row("size", [10, MAX_CHUNK_SIZE + 1])
@each_row("name", ["Zoë 日本 🦊.txt", 'a"b;c=d.txt', "-n.txt"])
def test_a_name_in_any_script_is_kept(files: Files, name: str, size: int) -> None:
    path = files.write(name, bytes(size))
    assert json.loads(files.done("upload", str(path), "Employee", "document"))["name"] == name


def test_a_name_that_is_not_utf_8_is_replaced(files: Files) -> None:
    path = Path(os.fsdecode(os.fsencode(files.folder) + b"/a\xff.txt"))
    try:
        path.write_bytes(b"text")
    except OSError:
        pytest.skip("the file system allows only UTF-8")
    assert json.loads(files.done("upload", str(path), "Employee", "document"))["name"] == "a\ufffd.txt"


@each_row(
    ("arguments", "reason"),
    [
        (("ada.png", "Nobody", "photo"), '(404): The class "nobody" does not exist.'),
        (("ada.png", "Employee", "nothing"), '(404): The class Employee has no file attribute "nothing"'),
        (("ada.png", "Employee/../x", "photo"), "(404)"),
        (("text.txt", "Employee", "photo"), "Use a file with the extension png"),
        (("large.png", "Employee", "photo"), "(413)"),
        (("huge.png", "Employee", "photo"), "(413)"),
        (("missing.png", "Employee", "photo"), "Opening missing.png failed: No such file or directory."),
        ((".", "Employee", "photo"), ". is a folder. Name one file to upload."),
        (("/dev/null", "Employee", "photo"), "/dev/null is not a regular file. Name one file to upload."),
        (("ada.png", "Employee", "photo", "--object", "no-id"), "Employee no-id"),
        (("ada.png", "Employee", "photo", "--object", "06h0b51mu9aiogh3b080umfec8"), "does not exist"),
        (("ada.png", "employee", "photo", "--object", "x"), "Did you mean 'Employee___get'"),
        (("ada.png", "Employee", "photo", "--object", "x", "--application", "Shop"), "(404)"),
    ],
)
def test_a_wrong_upload_is_refused_with_one_line(
    files: Files, arguments: tuple[str, ...], reason: str
) -> None:
    files.write("ada.png", PNG)
    files.write("text.txt", b"text")
    files.write("large.png", PNG + bytes(1000))
    files.write("huge.png", PNG + bytes(5 * MEGABYTE))
    assert reason in files.refused("upload", *arguments)


@each_row("name", ["Employee(x: 1)", "Employee { }"])
def test_a_class_that_is_no_name_is_not_sent_in_a_mutation(files: Files, name: str) -> None:
    files.write("ada.png", PNG)
    error = files.refused("upload", "ada.png", name, "photo", "--object", "x", code=2)
    assert error == f'"{name}" is not a name in a model.'


def test_a_file_that_cannot_be_bound_is_an_error_with_the_reason(
    service: RunningService, files: Files, reader: str
) -> None:
    employee = create_employee(service)
    path = files.write("ada.png", PNG)
    lock = f'mutation {{ lock(locks: [{{entityName: Employee, _id: "{employee}"}}]) {{ locked }} }}'
    assert "errors" not in service.graphql(lock)
    outcome = files.run("upload", str(path), "Employee", "document", "--object", employee, user=reader)
    assert outcome.code == 1
    assert "is locked by admin" in outcome.err


def test_a_member_needs_the_permission_to_set_the_attribute(files: Files, reader: str) -> None:
    path = files.write("ada.png", PNG)
    refusal = files.refused("upload", str(path), "Employee", "photo", user=reader)
    assert '(404): The class Employee has no file attribute "photo".' in refusal


def test_a_wrong_password_is_refused(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATABASE_PASSWORD", "wrong")
    path = files.write("ada.png", PNG)
    assert "The username or password is incorrect." in files.refused("upload", str(path), "Employee", "photo")


def test_a_token_replaces_the_password(
    service: RunningService, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"username": "admin", "password": PASSWORD})
    headers = {"Content-Type": "application/json"}
    reply = service.request("POST", "/public/token/getJwtToken", headers=headers, body=body)
    path = files.write("ada.png", PNG)
    monkeypatch.setenv("STRATABASE_TOKEN", reply.json()["access_token"])
    assert files.done("upload", str(path), "Employee", "photo", user=None)
    monkeypatch.setenv("STRATABASE_TOKEN", "expired")
    assert "Set it to a new token." in files.refused("upload", str(path), "Employee", "photo", user=None)


@pytest.mark.parametrize("token", ["", "two words", "naïve", "a\nb"])
def test_credentials_are_required(files: Files, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("STRATABASE_TOKEN", token)
    files.write("ada.png", PNG)
    error = files.refused("upload", "ada.png", "Employee", "photo", user=None, code=2)
    assert "STRATABASE_TOKEN" in error


def test_an_unreachable_instance_is_named(service: RunningService, files: Files) -> None:
    path = files.write("ada.png", PNG)
    outcome = files.run("upload", str(path), "Employee", "photo", url="http://127.0.0.1:9")
    assert outcome.code == 1
    assert outcome.err.startswith("Can't connect to http://127.0.0.1:9: connection refused.")


@each_row("url", ["127.0.0.1:8000", "ftp://example.com", "http://a:b@example.com", "http://x/?y"])
def test_a_wrong_base_url_is_refused(files: Files, url: str) -> None:
    path = files.write("ada.png", PNG)
    outcome = files.run("upload", str(path), "Employee", "photo", url=url)
    assert outcome.code == 2
    assert "is not a base URL" in outcome.err


def test_an_upload_continues_when_the_service_was_killed_and_restarted(
    service: RunningService, files: Files, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = os.urandom(LARGE)
    path = files.write("report.pdf", content)
    employee = create_employee(service)
    progress.then = (MAX_CHUNK_SIZE, service.kill)
    monkeypatch.setattr("stratabase.core.waiting.pause", lambda _seconds: service.start())
    outcome = files.run("upload", str(path), "Employee", "document", "--object", employee)
    assert outcome.code == 0
    assert "Trying again" in outcome.err
    assert progress.shown == sorted(progress.shown)
    assert stored(service, employee) == content


def test_an_upload_that_the_user_interrupted_continues_with_the_same_command(
    service: RunningService, files: Files, progress: Progress
) -> None:
    content = os.urandom(LARGE)
    employee = create_employee(service)
    files.write("report.pdf", content)
    command = ("upload", "report.pdf", "Employee", "document", "--object", employee)
    progress.then = (2 * MAX_CHUNK_SIZE, interrupt)
    outcome = files.run(*command)
    assert outcome.code == 128 + signal.SIGINT
    assert "Interrupted. To go on, run the same command again." in outcome.err
    progress.shown.clear()
    files.done(*command)
    assert progress.shown[0] == 2 * MAX_CHUNK_SIZE
    assert stored(service, employee) == content


def test_a_complete_upload_is_not_sent_again_to_bind_it(
    service: RunningService, files: Files, progress: Progress
) -> None:
    employee = create_employee(service)
    files.write("report.pdf", os.urandom(LARGE))
    command = ("upload", "report.pdf", "Employee", "document", "--object", employee)
    progress.then = (LARGE, interrupt)
    assert files.run(*command).code == 130
    progress.shown.clear()
    files.done(*command)
    assert set(progress.shown) == {LARGE}


@pytest.mark.parametrize(
    "change", [lambda path: os.utime(path, (1, 1)), lambda path: path.write_bytes(bytes(LARGE + 1))]
)
def test_an_upload_of_another_file_does_not_continue(
    files: Files, progress: Progress, change: Callable[[Path], object]
) -> None:
    path = files.write("report.pdf", bytes(LARGE))
    progress.then = (MAX_CHUNK_SIZE, interrupt)
    assert files.run("upload", str(path), "Employee", "document").code == 130
    change(path)
    progress.shown.clear()
    files.done("upload", str(path), "Employee", "document")
    assert progress.shown[0] == 0


def test_an_upload_that_the_service_no_longer_has_begins_anew(files: Files, progress: Progress) -> None:
    files.write("report.pdf", bytes(LARGE))
    progress.then = (MAX_CHUNK_SIZE, interrupt)
    assert files.run("upload", "report.pdf", "Employee", "document").code == 130
    (remembered,) = (files.folder.parent / "work-cache").rglob("*.json")
    remembered.write_text('"06h0b51mu9aiogh3b080umfec8"')
    progress.shown.clear()
    files.done("upload", "report.pdf", "Employee", "document")
    assert progress.shown[0] == 0


@pytest.mark.parametrize("size", [LARGE - 9, LARGE + 9])
def test_a_file_that_changes_during_the_upload_is_refused(
    files: Files, progress: Progress, size: int
) -> None:
    path = files.write("report.pdf", bytes(LARGE))
    progress.then = (MAX_CHUNK_SIZE, lambda: path.write_bytes(b"x" * size))
    error = files.refused("upload", "report.pdf", "Employee", "document")
    assert error == "report.pdf changed during the upload. Run the command again."
    assert list((files.folder.parent / "work-cache").rglob("*.json")) == []


def test_an_upload_gives_up_in_the_end_and_says_how_to_continue(
    service: RunningService, files: Files, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write("report.pdf", bytes(LARGE))
    waits: list[float] = []
    monkeypatch.setattr("stratabase.core.waiting.pause", waits.append)
    progress.then = (MAX_CHUNK_SIZE, service.kill)
    try:
        outcome = files.run("upload", "report.pdf", "Employee", "document")
    finally:
        service.start()
    assert outcome.code == 1
    last = outcome.err.splitlines()[-1]
    assert last.startswith(f"The connection to {base_url(service)} broke: ")
    assert last.endswith("To continue, run the same command again.")
    assert len(waits) > len(WAITS)
    files.done("upload", "report.pdf", "Employee", "document")


def test_a_cache_folder_that_cannot_be_written_prevents_no_upload(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write("file", b"not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(files.folder / "file"))
    files.write("report.pdf", bytes(LARGE))
    assert files.done("upload", "report.pdf", "Employee", "document")


def test_no_credentials_are_kept(files: Files, progress: Progress) -> None:
    files.write("report.pdf", bytes(LARGE))
    progress.then = (MAX_CHUNK_SIZE, interrupt)
    files.run("upload", "report.pdf", "Employee", "document")
    (remembered,) = (files.folder.parent / "work-cache").rglob("*.json")
    assert len(json.loads(remembered.read_text())) == 26
