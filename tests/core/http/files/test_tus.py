"""Uploads in several requests, as the protocol tus 1.0 defines them."""

import base64
import hashlib
import json
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.files.download import REFERENCE_MEDIA_TYPE, pending_file_endpoint
from stratabase.core.http.files.tus import with_tus, with_tus_creation
from stratabase.core.http.files.upload import upload_endpoint
from stratabase.core.http.handler import HttpHandler
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.core.http.reply import Reply
from tests.core.operations.files.resumable_scenario import ResumableScenario
from tests.http_fixtures import sign_in
from tests.rows import each_row

UPLOADS = "/auth/file/{class}/{name}"
PENDING = "/auth/file/{class}/{name}/pending/{pendingFileId}"
ATTRIBUTE = {"class": "PHOTO", "name": "Thumbnail"}
BASE_URL = "https://api.example.com/prod"
CHUNK = "application/offset+octet-stream"
METADATA = f"filename {base64.b64encode('Perché.png'.encode()).decode()},filetype dGV4dC9wbGFpbg==,other"
DAY = 24 * 3600

Send = Callable[..., Reply]


@pytest.fixture
def scenario() -> ResumableScenario:
    return ResumableScenario()


@pytest.fixture
def send(scenario: ResumableScenario, event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request of tus as bert, or as another member. An ID selects the address of an upload."""
    endpoints = {
        UPLOADS: with_tus_creation(upload_endpoint(scenario.uploads), lambda: scenario.resumable),
        PENDING: with_tus(pending_file_endpoint(scenario.downloads), lambda: scenario.resumable),
    }
    documented = Documented(endpoints)
    authentication = Authentication({"Basic": BasicAuthenticator(sign_in)})
    handler = LambdaHandler(HttpHandler(endpoints, authentication, cors=Cors(("https://app.example.com",))))

    def sent(
        method: str,
        id_: str | None = None,
        body: bytes = b"",
        *,
        who: str | None = "bert",
        target: dict[str, str] = ATTRIBUTE,
        tus: str | None = "1.0.0",
        **headers: str | None,
    ) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        if who:
            named["Authorization"] = f"Basic {base64.b64encode(f'{who}:right'.encode()).decode()}"
        if tus:
            named["Tus-Resumable"] = tus
        if body:
            named = {"Content-Type": CHUNK, **named}
        address = UPLOADS if id_ is None else PENDING
        parameters = target if id_ is None else {**target, "pendingFileId": id_}
        answer = handler(
            event(
                method,
                address,
                headers=named,
                parameters=parameters,
                body=base64.b64encode(body).decode(),
                base64_body=True,
            )
        )
        if (method, answer["statusCode"], tus) != ("POST", 201, "1.0.0"):  # has no body, unlike other uploads
            documented.check(method, address, answer)
        if tus and method != "OPTIONS":
            assert answer["multiValueHeaders"]["Tus-Resumable"] == ["1.0.0"]
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def begin(send: Send, size: int = 10, body: bytes = b"", **headers: str) -> str:
    """Begin an upload, and return its ID."""
    reply = send("POST", body=body, Upload_Length=str(size), **headers)
    assert reply.status == 201, reply.body
    return (reply.header("Location") or "").rpartition("/")[2]


def offset(send: Send, id_: str) -> int:
    return int(send("HEAD", id_).header("Upload-Offset") or -1)


def detail(reply: Reply) -> str:
    return str(json.loads(reply.body)["detail"])


def expires_in(scenario: ResumableScenario, reply: Reply) -> float:
    """Return the seconds until an upload expires."""
    header = reply.header("Upload-Expires")
    assert header
    return parsedate_to_datetime(header).timestamp() - scenario.clock.instant / 1000


def test_a_file_is_uploaded_in_several_requests(send: Send, scenario: ResumableScenario) -> None:
    created = send("POST", Upload_Length="10", Upload_Metadata=METADATA)
    location = created.header("Location") or ""
    id_ = location.rpartition("/")[2]
    assert (created.status, location) == (201, f"{BASE_URL}/auth/file/photo/thumbnail/pending/{id_}")
    assert created.body == ""
    assert expires_in(scenario, created) == DAY

    head = send("HEAD", id_)
    assert head.status == 200
    assert (head.header("Upload-Offset"), head.header("Upload-Length")) == ("0", "10")
    assert (head.header("Upload-Metadata"), head.header("Cache-Control")) == (METADATA, "no-store")

    first = send("PATCH", id_, b"01234", Upload_Offset="0")
    assert (first.status, first.header("Upload-Offset"), first.body) == (204, "5", "")
    assert expires_in(scenario, first) == DAY
    last = send("PATCH", id_, b"56789", Upload_Offset="5")
    assert (last.status, last.header("Upload-Offset")) == (204, "10")
    assert expires_in(scenario, last) == 3600

    head = send("HEAD", id_)
    assert (head.header("Upload-Offset"), head.header("Upload-Length")) == ("10", "10")
    assert head.header("Upload-Metadata") == METADATA
    file = send("GET", id_, tus=None)
    assert (file.status, base64.b64decode(file.body)) == (200, b"0123456789")
    reference = json.loads(send("GET", id_, tus=None, Accept=REFERENCE_MEDIA_TYPE).body)
    assert (reference["pendingFileId"], reference["size"]) == (id_, 10)
    assert (reference["name"], reference["mimeType"]) == ("Perché.png", "text/plain")


def test_an_upload_can_be_created_with_its_first_bytes(send: Send) -> None:
    created = send("POST", body=b"01234", Upload_Length="10")
    assert (created.status, created.header("Upload-Offset")) == (201, "5")

    assert offset(send, begin(send, 10, b"012")) == 3
    assert offset(send, begin(send, 3, b"012")) == 3
    assert offset(send, begin(send, 0)) == 0


def test_options_says_what_is_supported(send: Send) -> None:
    for id_ in (None, "x"):
        reply = send("OPTIONS", id_, who=None, tus=None, Origin="https://app.example.com")

        assert reply.status == 204
        assert reply.header("Tus-Version") == "1.0.0"
        assert reply.header("Tus-Resumable") == "1.0.0"
        assert reply.header("Tus-Extension") == (
            "creation,creation-with-upload,termination,expiration,checksum"
        )
        assert reply.header("Tus-Max-Size") == "100000000"
        assert reply.header("Tus-Checksum-Algorithm") == "sha1,sha256,sha512,md5"
        allowed = reply.header("Access-Control-Allow-Headers") or ""
        assert {"Tus-Resumable", "Upload-Offset", "Upload-Metadata"} <= set(allowed.split(", "))
        exposed = reply.header("Access-Control-Expose-Headers") or ""
        assert {"Location", "Upload-Offset", "Upload-Length", "Tus-Version"} <= set(exposed.split(", "))
    assert reply.header("Allow") == "GET, HEAD, PATCH, POST, DELETE, OPTIONS"


@each_row("version", [None, "", "0.2.2", "1.0", "2.0.0"])
@each_row("method", ["PATCH", "DELETE"])
def test_another_version_is_refused(send: Send, method: str, version: str | None) -> None:
    id_ = begin(send)

    reply = send(method, id_, b"01234", tus=None, Upload_Offset="0", Tus_Resumable=version)

    assert (reply.status, reply.header("Tus-Version")) == (412, "1.0.0")
    assert offset(send, id_) == 0


def test_another_version_is_refused_at_creation_and_for_the_offset(send: Send) -> None:
    id_ = begin(send)

    for reply in (
        send("POST", tus=None, Tus_Resumable="0.2"),
        send("HEAD", id_, tus=None, Tus_Resumable="2"),
    ):
        assert (reply.status, reply.header("Tus-Version")) == (412, "1.0.0")


def test_other_requests_are_as_before(send: Send) -> None:
    uploaded = send("POST", body=form(part()), tus=None, Content_Type=CONTENT_TYPE)
    assert uploaded.status == 201
    id_ = json.loads(uploaded.body)["pendingFileId"]

    head = send("HEAD", id_, tus=None)

    assert head.status == 200
    assert head.header("Upload-Offset") is None
    assert head.header("Content-Disposition")
    assert send("HEAD", id_).header("Upload-Length") == head.header("Content-Length")


@each_row(
    ("headers", "status", "text"),
    [
        ({"Upload_Offset": None}, 400, "Upload-Offset is missing"),
        ({"Upload_Offset": "x"}, 400, "number of bytes"),
        ({"Upload_Offset": "-1"}, 400, "number of bytes"),
        ({"Upload_Offset": "9" * 5000}, 400, "number of bytes"),
        ({"Upload_Offset": "1"}, 409, "not at the offset 1"),
        ({"Upload_Offset": "10"}, 409, "offset"),
        ({"Content_Type": "application/octet-stream"}, 415, CHUNK),
        ({"Content_Type": ""}, 415, CHUNK),
        ({"Upload_Checksum": "sha1 AAAA"}, 460, "checksum"),
        ({"Upload_Checksum": "crc99 AAAA"}, 400, "sha1, sha256, sha512, or md5"),
        ({"Upload_Checksum": "sha1"}, 400, "Base64"),
        ({"Upload_Checksum": "sha1 #"}, 400, "Base64"),
        ({"Content_Encoding": "gzip"}, 415, "gzip"),
    ],
)
def test_wrong_chunks_are_refused(send: Send, headers: dict[str, str | None], status: int, text: str) -> None:
    id_ = begin(send)

    reply = send("PATCH", id_, b"01234", **{"Upload_Offset": "0", **headers})

    assert reply.status == status
    assert text in detail(reply)
    assert offset(send, id_) == 0


def test_the_checksum_is_compared_with_the_bytes(send: Send) -> None:
    id_ = begin(send)
    for at, algorithm in enumerate(("sha1", "sha256", "sha512", "md5")):
        body = str(at).encode()
        checksum = base64.b64encode(hashlib.new(algorithm, body).digest()).decode()
        checked = {"Upload_Offset": str(at), "Upload_Checksum": f"{algorithm} {checksum}"}
        assert send("PATCH", id_, body, **checked).status == 204
    assert offset(send, id_) == 4

    wrong = send("POST", body=b"01234", Upload_Length="10", Upload_Checksum="sha1 AAAA")
    assert wrong.status == 460
    assert json.loads(wrong.body)["title"] == "Checksum Mismatch"


def test_large_chunks_and_files_are_refused(send: Send) -> None:
    large = bytes(4 * 1024 * 1024 + 1)
    id_ = begin(send, 10_000_000)

    for reply in (
        send("PATCH", id_, large, Upload_Offset="0"),
        send("POST", body=large, Upload_Length="10000000"),
    ):
        assert reply.status == 413
        assert "4 MiB" in detail(reply)
    assert send("POST", Upload_Length="100000001").status == 413
    assert send("PATCH", begin(send, 3), b"0123", Upload_Offset="0").status == 413


@pytest.mark.parametrize(
    ("headers", "text"),
    [
        ({}, "Upload-Length is missing"),
        ({"Upload_Defer_Length": "1"}, "Upload-Defer-Length is not supported"),
        ({"Upload_Length": "10", "Upload_Concat": "partial"}, "Upload-Concat is not supported"),
        ({"Upload_Length": "1.5"}, "number of bytes"),
        ({"Upload_Length": "\u0661"}, "number of bytes"),
        ({"Upload_Length": "10", "Upload_Metadata": "filename #"}, "Base64"),
        ({"Upload_Length": "10", "Upload_Metadata": "a YQ==,a YQ=="}, "comes twice"),
        ({"Upload_Length": "10", "Upload_Metadata": ",a YQ=="}, "pairs"),
        ({"Upload_Length": "10", "Upload_Metadata": "filename /w=="}, "filename"),
    ],
)
def test_wrong_creations_are_refused(
    send: Send, scenario: ResumableScenario, headers: dict[str, str], text: str
) -> None:
    reply = send("POST", **headers)

    assert reply.status == 400
    assert text in detail(reply)
    assert list(scenario.ledger.released.due(10**14)) == []


def test_the_body_of_a_creation_must_be_bytes_of_the_file(send: Send) -> None:
    reply = send("POST", body=form(part()), Upload_Length="10", Content_Type=CONTENT_TYPE)

    assert reply.status == 415


@each_row("method", ["HEAD", "PATCH", "DELETE"])
def test_unknown_uploads_and_those_of_others_are_gone(send: Send, method: str) -> None:
    id_ = begin(send)

    def status(id_: str = id_, **more: Any) -> int:
        return send(method, id_, b"0" if method == "PATCH" else b"", Upload_Offset="0", **more).status

    assert status("0" * 26) == 410
    assert status("not-an-id") == 404
    assert status(who="carl") == 410
    assert status(target={"class": "photo", "name": "nothing"}) == 404
    assert status(who=None) == 401
    assert offset(send, id_) == 0


def test_an_upload_can_be_terminated(send: Send) -> None:
    id_ = begin(send)

    reply = send("DELETE", id_)

    assert (reply.status, reply.body) == (204, "")
    assert send("HEAD", id_).status == 410
    assert send("DELETE", id_).status == 410


def test_clients_that_cannot_use_all_methods_send_post(send: Send) -> None:
    id_ = begin(send)

    patched = send("POST", id_, b"01234", Upload_Offset="0", X_HTTP_Method_Override="PATCH")
    assert (patched.status, patched.header("Upload-Offset")) == (204, "5")
    assert send("POST", id_, X_HTTP_Method_Override="DELETE").status == 204
    assert send("POST", id_, X_HTTP_Method_Override="PUT").status == 405
    assert send("POST", id_).status == 405
