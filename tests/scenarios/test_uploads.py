"""Uploads to a running service: what is accepted, and that whatever is refused leaves no bytes behind."""

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.core.http.files.forms import BOUNDARY, CONTENT_TYPE, form, part
from tests.service import PASSWORD, Reply, RunningService, basic, running

RESUME = "/auth/file/employee/resume"
CREDENTIALS = {"Authorization": basic("admin", PASSWORD)}
MEGABYTE = 1024 * 1024
PDF = b"%PDF-1.7\n" + bytes(range(256)) * 100
PDF_TYPE = b"Content-Type: application/pdf"
NAMED = 'form-data; name="file"; filename="%s"'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("uploads") / "home"
    with running(home) as started:
        yield started


def upload(
    service: RunningService, body: bytes, content_type: str = CONTENT_TYPE, address: str = RESUME
) -> Reply:
    headers = {**CREDENTIALS, "Content-Type": content_type}
    return service.request("POST", address, headers=headers, body=body)


def pdf(name: str = "cv.pdf", content: bytes = PDF) -> bytes:
    return part(NAMED % name, content, [PDF_TYPE])


def stored(service: RunningService) -> set[Path]:
    """Return the files in the folder of files, without those of locks."""
    folder = service.home / "files"
    return {file for file in folder.rglob("*") if file.is_file() and file.stat().st_size > 0}


def test_an_upload_is_pending_until_an_object_takes_it(service: RunningService) -> None:
    reply = upload(service, form(pdf("été/../Mein Lebenslauf 😀.pdf")), address="/auth/file/EMPLOYEE/Resume")

    assert reply.status == 201
    reference = reply.json()
    assert (reference["name"], reference["mimeType"]) == ("Mein Lebenslauf 😀.pdf", "application/pdf")
    assert reference["size"] == len(PDF)
    pending = reply.headers["location"].partition("/auth/")[2]
    assert service.request("GET", f"/auth/{pending}", headers=CREDENTIALS).body == PDF
    assert service.request("HEAD", f"/auth/{pending}", headers=CREDENTIALS).status == 200

    created = service.graphql(
        """mutation ($file: PendingFileReference!) {
          Employee___create(data: {first_name: "Ada", last_name: "Byron", email: "a@b.it", resume: $file}) {
            _id
          }
        }""",
        {"file": reference},
    )

    id_ = created["data"]["Employee___create"]["_id"]
    bound = service.request("GET", f"/auth/file/employee/{id_}/resume", headers=CREDENTIALS)
    assert (bound.status, bound.body, bound.headers["content-type"]) == (200, PDF, "application/pdf")
    assert service.request("GET", f"/auth/{pending}", headers=CREDENTIALS).status == 410


def test_a_largest_request_is_accepted(service: RunningService) -> None:
    content = PDF + b"x" * (4 * MEGABYTE + MEGABYTE // 4)
    reply = upload(service, form(pdf(content=content)))
    assert (reply.status, reply.json()["size"]) == (201, len(content))


def test_a_sender_that_stops_leaves_nothing_and_others_go_on(service: RunningService) -> None:
    before = stored(service)
    body = form(pdf())
    head = (
        f"POST {RESUME} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {CREDENTIALS['Authorization']}\r\n"
        f"Content-Type: {CONTENT_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    slow = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(20)]
    for number, connection in enumerate(slow):
        connection.sendall(head + body[: number * 100])

    assert upload(service, b"", "text/plain").status == 415

    for connection in slow:
        connection.close()
    assert upload(service, b"", "text/plain").status == 415
    assert stored(service) == before


def test_a_body_in_chunks_is_read_as_one(service: RunningService) -> None:
    connection: HTTPConnection = service.connection()
    body = form(pdf())
    pieces = (body[start : start + 7] for start in range(0, len(body), 7))
    headers = {**CREDENTIALS, "Content-Type": f'multipart/form-data; boundary="{BOUNDARY}"'}
    try:
        connection.request("POST", RESUME, body=pieces, headers=headers, encode_chunked=True)
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["size"]) == (201, len(PDF))
    finally:
        connection.close()
