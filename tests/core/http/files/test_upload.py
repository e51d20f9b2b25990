"""The endpoint for uploads, request by request."""

import base64
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.issues.refusals import (
    FileTooLarge,
    FileTypeNotAllowed,
    Refusal,
    TooMuchPending,
    Unavailable,
)
from stratabase.core.http.base.authentication import Authentication, Authenticator
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.files.upload import upload_endpoint
from stratabase.core.http.handler import HttpHandler
from stratabase.core.operations.files.upload import SentFile
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.files.fake_uploads import FakeUploads
from tests.core.http.files.forms import CONTENT, CONTENT_TYPE, form, part
from tests.core.http.reply import Reply
from tests.http_fixtures import CALLERS, sign_in
from tests.rows import each_row

ADDRESS = "/auth/file/{class}/{name}"
TARGET = {"class": "employee", "name": "PHOTO"}
BODY = form(part(headers=[b"Content-Type: image/jpeg"]))
REFERENCE = {
    "pendingFileId": "p1",
    "fileId": "f1",
    "name": "photo.jpg",
    "mimeType": "image/jpeg",
    "size": len(CONTENT),
    "uploadedOn": "13/09/2020 12:26",
}
FROM_TOKEN = Caller(
    "9", "tom", "Clerk", formats=Formats("yyyy.MM.dd", "HH.mm.ss", "Europe/Rome"), proof=SentToken(1)
)
ORIGIN = "https://app.example.com"

Send = Callable[..., Reply]


@pytest.fixture
def uploads() -> FakeUploads:
    return FakeUploads()


@pytest.fixture
def send(uploads: FakeUploads, event: Callable[..., dict[str, Any]]) -> Send:
    """Upload a file as anna, or as another caller. The response must be as the OpenAPI document says."""
    endpoints = {ADDRESS: upload_endpoint(uploads)}
    documented = Documented(endpoints)
    schemes: dict[str, Authenticator] = {
        "Bearer": BearerAuthenticator(lambda _token: FROM_TOKEN),
        "Basic": BasicAuthenticator(sign_in),
    }
    handler = LambdaHandler(HttpHandler(endpoints, Authentication(schemes), cors=Cors((ORIGIN,))))

    def sent(
        method: str = "POST",
        *,
        who: str | None = "anna",
        body: bytes = BODY,
        headers: Mapping[str, str] | None = None,
        target: Mapping[str, str] = TARGET,
        **more: Any,
    ) -> Reply:
        credentials = base64.b64encode(f"{who}:right".encode()).decode()
        authorization = {"Authorization": f"Basic {credentials}"} if who else {}
        answer = handler(
            event(
                method,
                ADDRESS,
                headers={"Content-Type": CONTENT_TYPE, **authorization, **(headers or {})},
                parameters=target,
                body=base64.b64encode(body).decode(),
                base64_body=True,
                **more,
            )
        )
        documented.check(method, ADDRESS, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def detail(reply: Reply) -> str:
    return str(json.loads(reply.body)["detail"])


def test_an_upload_returns_the_reference_to_the_pending_file(send: Send, uploads: FakeUploads) -> None:
    reply = send()
    assert (reply.status, json.loads(reply.body)) == (201, REFERENCE)
    assert reply.header("Location") == "https://api.example.com/prod/auth/file/employee/photo/pending/p1"
    assert reply.header("Cache-Control") == "no-store"
    sent = SentFile("photo.jpg", "image/jpeg", CONTENT)
    assert uploads.sent == [(CALLERS["anna"], FileTarget("Employee", "photo"), sent)]


def test_the_reference_can_be_xml(send: Send) -> None:
    reply = send(query={"format": ["xml"]})
    assert (reply.status, reply.header("Content-Type")) == (201, "application/xml")
    document = ET.fromstring(reply.body)
    assert document.tag == "pendingFileReference"
    assert {each.tag: each.text for each in document} == {n: str(value) for n, value in REFERENCE.items()}


def test_the_date_is_in_the_formats_of_the_caller(send: Send) -> None:
    reply = send(who=None, headers={"Authorization": "Bearer t"})
    assert json.loads(reply.body)["uploadedOn"] == "2020.09.13 14.26.40"


@each_row("target", [{}, {"class": "team", "name": "photo"}, {"class": "employee", "name": "x"}])
def test_an_unknown_attribute_is_not_found(target: dict[str, str], send: Send, uploads: FakeUploads) -> None:
    assert (send(target=target).status, uploads.sent) == (404, [])


def test_a_caller_without_the_grant_is_refused_before_the_body_is_read(send: Send) -> None:
    assert send(who="carl", body=b"no form").status == 403
    assert send(who="bert", body=b"no form").status == 400


def test_an_upload_requires_credentials(send: Send) -> None:
    assert send(who=None).status == 401


@each_row(
    ("refusal", "status", "headers"),
    [
        (FileTooLarge(verbatim("Too large.")), 413, {}),
        (FileTypeNotAllowed(verbatim("Not this type.")), 415, {}),
        (TooMuchPending(verbatim("Too much."), 60), 429, {"Retry-After": "60"}),
        (Unavailable(verbatim("Busy."), 7), 503, {"Retry-After": "7"}),
    ],
)
def test_each_refusal_has_its_status(
    refusal: Refusal, status: int, headers: Mapping[str, str], send: Send, uploads: FakeUploads
) -> None:
    uploads.refusal = refusal
    reply = send()
    assert (reply.status, detail(reply)) == (status, str(refusal))
    assert {name: reply.header(name) for name in headers} == headers


@each_row(
    ("body", "content_type", "status"),
    [
        (b"", CONTENT_TYPE, 400),
        (BODY[:-10], CONTENT_TYPE, 400),
        (form(part(), part()), CONTENT_TYPE, 400),
        (BODY, "multipart/form-data", 400),
        (BODY, "application/octet-stream", 415),
        (form(*[part()] * 17), CONTENT_TYPE, 413),
    ],
)
def test_a_body_that_is_refused_stores_nothing(
    body: bytes, content_type: str, status: int, send: Send, uploads: FakeUploads
) -> None:
    reply = send(body=body, headers={"Content-Type": content_type})
    assert (reply.status, uploads.sent) == (status, [])
    assert detail(reply)


def test_a_compressed_body_is_refused(send: Send, uploads: FakeUploads) -> None:
    assert send(headers={"Content-Encoding": "gzip"}).status == 415
    assert uploads.sent == []


def test_a_format_that_is_unknown_is_refused_before_the_file_is_stored(
    send: Send, uploads: FakeUploads
) -> None:
    assert send(query={"format": ["yaml"]}).status == 400
    assert uploads.sent == []


def test_a_file_of_megabytes_is_accepted(send: Send, uploads: FakeUploads) -> None:
    content = bytes(range(256)) * 16 * 1024
    assert send(body=form(part(content=content))).status == 201
    assert uploads.sent[0][2].content == content


FOREIGN: list[Mapping[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": ORIGIN},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
]


@each_row("foreign", FOREIGN)
@each_row("content_type", [CONTENT_TYPE, "multipart/form-data", "text/plain"])
def test_a_page_of_another_site_uploads_nothing_with_the_password_of_the_browser(
    foreign: Mapping[str, str], content_type: str, send: Send, uploads: FakeUploads
) -> None:
    reply = send(headers={"Host": "api.example.com", "Content-Type": content_type, **foreign})
    assert (reply.status, uploads.sent) == (403, [])
    assert "A web page on another site sent this request" in detail(reply)


@each_row("foreign", FOREIGN)
def test_a_page_of_another_site_uploads_with_a_token(foreign: Mapping[str, str], send: Send) -> None:
    assert send(who=None, headers={**foreign, "Authorization": "Bearer t"}).status == 201


@each_row("own", [{}, {"Sec-Fetch-Site": "same-origin", "Origin": "https://api.example.com"}])
def test_programs_and_own_pages_upload_with_a_password(own: Mapping[str, str], send: Send) -> None:
    assert send(headers={"Host": "api.example.com", **own}).status == 201


def test_options_names_the_methods_without_credentials(send: Send) -> None:
    reply = send("OPTIONS", who=None, headers={"Origin": ORIGIN})
    assert (reply.status, reply.header("Allow")) == (204, "POST, OPTIONS")
    assert reply.header("Access-Control-Allow-Origin") == ORIGIN


def test_other_methods_are_not_allowed(send: Send) -> None:
    reply = send("PUT")
    assert (reply.status, reply.header("Allow")) == (405, "POST, OPTIONS")
