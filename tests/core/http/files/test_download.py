"""Downloads of files: headers, conditions, ranges, and what is refused."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import (
    FileNotFound,
    FileTooLarge,
    FileTypeNotAllowed,
    PendingFileGone,
    Refusal,
    TooMuchPending,
    Unavailable,
)
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.refusals import status_row
from stratabase.core.http.base.response_body import MAX_RESPONSE_SIZE
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.fakes import FakeServices
from tests.core.http.files.fake_downloads import CONTENT, gone, not_found
from tests.rows import each_row

BOUND = "/auth/file/{class}/{name}/{attribute}"
PENDING = "/auth/file/{class}/{name}/pending/{pendingFileId}"
CALLED_PENDING = "/auth/file/{class}/{name}/pending"
OBJECT = {"class": "person", "name": "p1", "attribute": "photo"}
UPLOAD = {"class": "person", "name": "photo", "pendingFileId": "u1"}
REFERENCE = "application/vnd.stratabase.reference+json"

Send = Callable[..., Any]
Download = Callable[..., Any]


@pytest.fixture
def download(send: Send) -> Download:
    """Request the file of an object, with headers."""

    def get(headers: dict[str, str] | None = None, method: str = "GET", **rest: Any) -> Any:
        return send(method, BOUND, headers=headers or {}, parameters=OBJECT, signed_in=True, **rest)

    return get


def body(reply: Any) -> bytes:
    return base64.b64decode(reply.body)


def test_a_download_has_the_bytes_and_all_headers(fakes: FakeServices, download: Download) -> None:
    reply = download()

    assert (reply.status, body(reply)) == (200, CONTENT)
    assert reply.headers == {
        "Content-Type": ["image/jpeg"],
        "Content-Disposition": ["inline; filename=\"Perche.jpg\"; filename*=UTF-8''Perch%C3%A9.jpg"],
        "Content-Security-Policy": [
            (
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                "img-src 'self'; sandbox"
            )
        ],
        "X-Content-Type-Options": ["nosniff"],
        "Cross-Origin-Resource-Policy": ["same-origin"],
        "Accept-Ranges": ["bytes"],
        "ETag": ['"f1"'],
        "Last-Modified": ["Wed, 02 Sep 2026 10:00:00 GMT"],
        "Cache-Control": ["private, no-cache"],
        "Content-Length": ["10"],
    }
    assert fakes.downloads.calls == [("anna", "person", "p1", "photo", None)]


def test_head_has_the_same_headers_and_reads_nothing(fakes: FakeServices, download: Download) -> None:
    get, head = download(), download(method="HEAD")

    assert (head.status, head.headers, head.body) == (200, get.headers, "")
    assert len(fakes.downloads.readers) == 1


def test_head_ignores_ranges(download: Download) -> None:
    reply = download({"Range": "bytes=0-3"}, "HEAD")

    assert (reply.status, reply.headers["Content-Length"]) == (200, ["10"])


@pytest.mark.parametrize("mime_type", ["text/html", "image/svg+xml", "text/xml", "application/zip"])
def test_files_with_script_and_unknown_files_are_attachments(
    fakes: FakeServices, download: Download, mime_type: str
) -> None:
    fakes.downloads.hold(CONTENT, name="x.bin", mime_type=mime_type)

    reply = download()

    assert reply.headers["Content-Type"] == [mime_type]
    assert reply.headers["Content-Disposition"][0].startswith("attachment; ")
    assert reply.headers["Content-Security-Policy"][0].endswith("sandbox")


@pytest.mark.parametrize(
    ("range_", "content_range", "content"),
    [
        ("bytes=2-4", "bytes 2-4/10", b"234"),
        ("bytes=8-", "bytes 8-9/10", b"89"),
        ("bytes=-3", "bytes 7-9/10", b"789"),
    ],
)
def test_a_range_is_206(download: Download, range_: str, content_range: str, content: bytes) -> None:
    reply = download({"Range": range_})

    assert (reply.status, body(reply)) == (206, content)
    assert reply.headers["Content-Range"] == [content_range]
    assert reply.headers["Content-Length"] == [str(len(content))]
    assert reply.headers["ETag"] == ['"f1"']


@pytest.mark.parametrize("range_", ["bytes=0-1,4-5", "bytes=5-3", "lines=1-2", "nonsense"])
def test_several_or_malformed_ranges_are_answered_whole(download: Download, range_: str) -> None:
    reply = download({"Range": range_})

    assert (reply.status, body(reply)) == (200, CONTENT)
    assert "Content-Range" not in reply.headers


@pytest.mark.parametrize("range_", ["bytes=10-", f"bytes={'9' * 5000}-"])
def test_a_range_beyond_the_end_is_416(fakes: FakeServices, download: Download, range_: str) -> None:
    reply = download({"Range": range_})

    assert reply.status == 416
    assert reply.headers["Content-Range"] == ["bytes */10"]
    assert reply.json()["detail"] == "The requested range is outside of the file, which has 10 bytes."
    assert fakes.downloads.readers == []


def test_if_range_of_another_file_gets_the_whole_file(download: Download) -> None:
    assert download({"Range": "bytes=2-4", "If-Range": '"f1"'}).status == 206
    assert download({"Range": "bytes=2-4", "If-Range": '"f0"'}).status == 200
    assert download({"Range": "bytes=99-", "If-Range": '"f0"'}).status == 200


def test_an_empty_file_is_200_and_its_ranges_are_416(fakes: FakeServices, download: Download) -> None:
    fakes.downloads.hold(b"")

    assert (download().status, download().headers["Content-Length"]) == (200, ["0"])
    reply = download({"Range": "bytes=0-"})
    assert (reply.status, reply.headers["Content-Range"]) == (416, ["bytes */0"])


def test_a_client_that_has_the_file_gets_304_without_reading(fakes: FakeServices, download: Download) -> None:
    for method in ("GET", "HEAD"):
        reply = download({"If-None-Match": '"f1"', "Range": "bytes=99-"}, method)

        assert (reply.status, reply.body) == (304, "")
        assert reply.headers["ETag"] == ['"f1"']
        assert reply.headers["Cache-Control"] == ["private, no-cache"]
        assert "Content-Length" not in reply.headers
    assert fakes.downloads.readers == []


def test_a_condition_that_does_not_hold_is_412(download: Download) -> None:
    reply = download({"If-Match": '"f0"'})

    assert reply.status == 412
    assert "has changed" in reply.json()["detail"]


def test_a_file_over_the_limit_is_413_without_a_range(fakes: FakeServices, download: Download) -> None:
    fakes.downloads.hold(bytes(250))

    reply = download()

    assert reply.status == 413
    assert reply.json()["detail"] == (
        "The file has 250 bytes. One response has at most 100 bytes. "
        "Request the file in parts with the Range header, for example bytes=0-99."
    )
    assert download(method="HEAD").headers["Content-Length"] == ["250"]
    assert download({"Range": "bytes=200-"}).headers["Content-Range"] == ["bytes 200-249/250"]


def test_a_range_over_the_limit_is_cut_off(fakes: FakeServices, download: Download) -> None:
    fakes.downloads.hold(bytes(250))

    reply = download({"Range": "bytes=10-"})

    assert (reply.status, reply.headers["Content-Range"]) == (206, ["bytes 10-109/250"])
    assert len(body(reply)) == 100


def test_text_is_not_compressed(fakes: FakeServices, download: Download) -> None:
    fakes.downloads.hold(b"a" * 100, mime_type="text/plain")

    reply = download({"Accept-Encoding": "gzip"})

    assert body(reply) == b"a" * 100
    assert "Content-Encoding" not in reply.headers


def test_a_version_is_named_by_its_start(fakes: FakeServices, download: Download) -> None:
    assert download(query={"version": ["1788343200999"]}).status == 200
    assert fakes.downloads.calls[-1][-1] == 1788343200999


@pytest.mark.parametrize("values", [["x"], [""], ["-1"], ["1" * 5000], ["1.5"], ["1", "2"]])
def test_a_malformed_version_is_404(fakes: FakeServices, download: Download, values: list[str]) -> None:
    reply = download(query={"version": values})

    assert reply.status == 404
    assert "A version is named by its start" in reply.json()["detail"]
    assert fakes.downloads.calls == []


@each_row(
    ("refusal", "status"),
    [
        (FileNotFound, 404),
        (PendingFileGone, 410),
        (FileTooLarge, 413),
        (FileTypeNotAllowed, 415),
    ],
)
def test_each_refusal_of_files_has_a_status(refusal: type[Refusal], status: int) -> None:
    row = status_row(refusal(verbatim("No.")))

    assert (row.status, row.headers(refusal(verbatim("No.")))) == (status, ())


def test_too_much_pending_is_429_with_a_time() -> None:
    refusal = TooMuchPending(verbatim("No."), 60)

    assert status_row(refusal).status == 429
    assert status_row(refusal).headers(refusal) == (("Retry-After", "60"),)


def test_refusals_are_statuses(fakes: FakeServices, download: Download, send: Send) -> None:
    fakes.downloads.refusal = not_found()
    assert download().status == 404
    fakes.downloads.refusal = Unavailable(verbatim("The store is busy."), 3)
    assert download().headers["Retry-After"] == ["3"]
    fakes.downloads.refusal = gone()
    assert send("GET", PENDING, parameters=UPLOAD, signed_in=True).status == 410


def test_an_attribute_can_be_called_pending(fakes: FakeServices, send: Send) -> None:
    reply = send("GET", CALLED_PENDING, parameters={"class": "person", "name": "p1"}, signed_in=True)

    assert body(reply) == CONTENT
    assert fakes.downloads.calls == [("anna", "person", "p1", "pending", None)]


def test_a_download_needs_credentials(fakes: FakeServices, send: Send) -> None:
    assert send("GET", BOUND, parameters=OBJECT).status == 401
    assert fakes.downloads.calls == []


@pytest.mark.parametrize("accept", [None, "*/*", "image/*", "application/json", f"{REFERENCE};q=0"])
def test_a_pending_file_is_downloaded(fakes: FakeServices, send: Send, accept: str | None) -> None:
    headers = {"Accept": accept} if accept else {}

    reply = send("GET", PENDING, parameters=UPLOAD, headers=headers, signed_in=True)

    assert (reply.status, body(reply)) == (200, CONTENT)
    assert reply.headers["Vary"] == ["Accept"]
    assert fakes.downloads.calls == [("anna", "person", "photo", "u1")]


def test_a_pending_file_has_a_reference(fakes: FakeServices, send: Send) -> None:
    headers = {"Accept": f"text/html, {REFERENCE}"}

    reply = send("GET", PENDING, parameters=UPLOAD, headers=headers, signed_in=True)

    assert reply.headers["Content-Type"] == [REFERENCE]
    assert json.loads(reply.body) == {
        "pendingFileId": "u1",
        "fileId": "f1",
        "name": "Perché.jpg",
        "mimeType": "image/jpeg",
        "size": 10,
        "uploadedOn": "02/09/2026 10:00",
    }
    assert fakes.downloads.readers == []


def test_pages_of_other_origins_can_read_the_headers(download: Download) -> None:
    reply = download({"Origin": "https://hr.example.com"}, cors=Cors(("*",)))

    (exposed,) = reply.headers["Access-Control-Expose-Headers"]
    assert {"Accept-Ranges", "Content-Disposition", "Content-Range", "ETag"} <= set(exposed.split(", "))


def test_a_buffered_function_refuses_a_stream_that_does_not_fit(
    fakes: FakeServices, make_handler: Callable[..., LambdaHandler], event: Callable[..., dict[str, Any]]
) -> None:
    fakes.downloads.file = fakes.downloads.file._replace(size=MAX_RESPONSE_SIZE)
    requested = event("GET", BOUND, headers={"Range": "bytes=0-99"} | AUTHORIZED, parameters=OBJECT)
    assert make_handler()(requested)["statusCode"] == 500, "the fake has fewer bytes than it says"
    assert [reader.closed for reader in fakes.downloads.readers] == [True]


AUTHORIZED = {"Authorization": "Basic " + base64.b64encode(b"anna:right").decode()}


class TestStreaming:
    """`LambdaHandler.stream` returns the response before its body is read."""

    @pytest.fixture
    def stream(
        self, make_handler: Callable[..., LambdaHandler], event: Callable[..., dict[str, Any]]
    ) -> Callable[..., Any]:
        def get(method: str = "GET", **headers: str) -> Any:
            return make_handler().stream(
                event(method, BOUND, headers=AUTHORIZED | headers, parameters=OBJECT)
            )

        return get

    def test_the_body_is_read_chunk_by_chunk(self, fakes: FakeServices, stream: Callable[..., Any]) -> None:
        response = stream()

        (reader,) = fakes.downloads.readers
        assert reader.position == 0
        assert next(response.body) == b"0123"
        assert reader.position == 4
        assert b"".join(response.body) == b"456789"
        assert response.headers["Content-Length"] == ["10"]

    def test_an_unread_body_can_be_closed(self, fakes: FakeServices, stream: Callable[..., Any]) -> None:
        stream().body.close()

        assert fakes.downloads.readers[0].closed

    @pytest.mark.parametrize("size", [9, 11])
    def test_a_source_of_another_length_raises(
        self, fakes: FakeServices, stream: Callable[..., Any], size: int
    ) -> None:
        fakes.downloads.file = fakes.downloads.file._replace(size=size)
        fakes.downloads.content = bytes(10)
        response = stream(Range="bytes=0-8") if size == 9 else stream()
        if size == 9:
            assert b"".join(response.body) == bytes(9)
            return
        with pytest.raises(Exception, match="expected 11 bytes, and got 10"):
            b"".join(response.body)

    def test_errors_are_streamed_too(self, fakes: FakeServices, stream: Callable[..., Any]) -> None:
        fakes.downloads.refusal = FileNotFound(verbatim("There is no such file."))

        response = stream()

        content = b"".join(response.body)
        assert response.status == 404
        assert json.loads(content)["detail"] == "There is no such file."
        assert response.headers["Content-Length"] == [str(len(content))]

    def test_head_and_304_have_no_body(self, fakes: FakeServices, stream: Callable[..., Any]) -> None:
        head, same = stream("HEAD"), stream(**{"If-None-Match": '"f1"'})

        assert (head.status, head.headers["Content-Length"], [*head.body]) == (200, ["10"], [])
        assert (same.status, "Content-Length" in same.headers, [*same.body]) == (304, False, [])
