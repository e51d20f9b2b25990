"""Another site cannot act with the password that a browser remembers."""

import json
from collections.abc import Mapping

import pytest

from stratabase.core.domain.caller import Caller, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.http.base import authentication
from stratabase.core.http.base.messages import Request
from tests.core.http.fakes import FakeServices
from tests.http_fixtures import Send

ALL = "/auth/administration/members"
ADA = json.dumps({"username": "ada", "email": "ada@example.com", "profile": "Administrator"})
HOST = {"Host": "api.example.com"}
FOREIGN: list[Mapping[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://api.example.com"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
]
OWN: list[Mapping[str, str]] = [
    {},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://api.example.com"},
    {"Origin": "https://api.example.com"},
]
SIMPLE = [
    "",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
]


@pytest.mark.parametrize("media_type", SIMPLE)
@pytest.mark.parametrize("foreign", FOREIGN, ids=str)
def test_a_cross_site_form_creates_no_member(
    foreign: Mapping[str, str], media_type: str, send: Send, fakes: FakeServices
) -> None:
    headers = {**HOST, **foreign, **({"Content-Type": media_type} if media_type else {})}
    reply = send("POST", ALL, signed_in=True, headers=headers, body=ADA)
    assert (reply.status, fakes.invitations) == (403, [])
    assert "A web page on another site sent this request" in reply.json()["detail"]


@pytest.mark.parametrize("own", OWN, ids=str)
def test_programs_and_same_origin_pages_are_allowed(
    own: Mapping[str, str], send: Send, fakes: FakeServices
) -> None:
    headers = {**HOST, **own, "Content-Type": "text/plain"}
    assert send("POST", ALL, signed_in=True, headers=headers, body=ADA).status == 201
    assert len(fakes.invitations) == 1


@pytest.mark.parametrize("media_type", ["application/json", "application/merge-patch+json; charset=utf-8"])
def test_preflighted_requests_are_not_refused(media_type: str, send: Send) -> None:
    """The preflight has answered whether a page may send the request (see Cors)."""
    headers = {**HOST, **FOREIGN[0], "Content-Type": media_type}
    assert send("POST", ALL, signed_in=True, headers=headers, body=ADA).status == 201
    headers = {**HOST, **FOREIGN[0]}
    body = json.dumps({"notes": "x"})
    assert (
        send(
            "PUT", f"{ALL}/{{id}}", parameters={"id": "2"}, signed_in=True, headers=headers, body=body
        ).status
        == 200
    )


def test_a_cross_site_link_may_read(send: Send) -> None:
    for method in ("GET", "HEAD"):
        assert send(method, ALL, signed_in=True, headers={**HOST, **FOREIGN[0]}).status == 200


def test_a_cross_site_image_cannot_trigger_a_get_with_side_effects(send: Send) -> None:
    assert send("GET", "/auth/once", signed_in=True, headers=HOST).status == 200
    assert send("GET", "/auth/once", signed_in=True, headers={**HOST, **FOREIGN[0]}).status == 403


def test_a_cross_site_request_with_a_token_is_allowed_and_without_one_refused() -> None:
    headers = {"sec-fetch-site": ("cross-site",)}
    request = Request("POST", "/auth/x", "/auth/x", headers=headers)
    for token in (SentToken(0), SentToken(), SentKey("k")):
        authentication.check_csrf(request, Caller("1", "anna", "Clerk", proof=token))
    for other in (SentPassword(), None):
        with pytest.raises(Forbidden):
            authentication.check_csrf(request, Caller("1", "anna", "Clerk", proof=other))
