"""Parsing of API Gateway events."""

from typing import Any

import pytest

from stratabase.core.http.base.messages import Response
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.response_body import proxy_response
from stratabase_aws.functions.handler import decode_event_body, request_from_event


def test_path_parameters_are_decoded(event: Any) -> None:
    request = request_from_event(event(parameters={"id": "a%2Fb%20%C3%A9"}))
    assert request.parameters == {"id": "a/b é"}


def test_header_names_are_lowercased_and_values_keep_their_order(event: Any) -> None:
    sent = event()
    sent["multiValueHeaders"] = {"Accept": ["a", "b"], "ACCEPT": ["c"]}
    request = request_from_event(sent)
    assert request.headers == {"accept": ("a", "b", "c")}
    assert (request.header("accept"), request.header("host")) == ("c", None)


def test_single_value_fields_are_used_if_multi_value_fields_are_missing(event: Any) -> None:
    sent = event() | {
        "multiValueHeaders": None,
        "headers": {"Host": "h"},
        "queryStringParameters": {"a": "1"},
    }
    request = request_from_event(sent)
    assert (request.headers, request.query) == ({"host": ("h",)}, {"a": ("1",)})


def test_the_request_has_its_source_address(event: Any) -> None:
    request = request_from_event(event())
    assert (request.trace_id, request.source_address) == ("trace-1", "192.0.2.7")


@pytest.mark.parametrize("header", ["Host", "X-Forwarded-Host", "Forwarded"])
def test_the_base_url_ignores_client_headers(header: str, event: Any) -> None:
    sent = event(headers={header: "evil.test"})
    assert request_from_event(sent).base_url == "https://api.example.com/prod"
    assert request_from_event(sent, "https://hr.example.com").base_url == "https://hr.example.com"


@pytest.mark.parametrize(
    ("body", "encoded", "expected"),
    [(None, False, b""), (None, True, b""), ("é", False, b"\xc3\xa9"), ("AP8=", True, b"\x00\xff")],
)
def test_bodies_of_events_are_decoded(body: str | None, encoded: bool, expected: bytes, event: Any) -> None:
    assert decode_event_body(event(body=body, base64_body=encoded)) == expected


@pytest.mark.parametrize("body", ["A", "AA=A", "é", "A A="])
def test_an_invalid_base64_body_is_refused(body: str, event: Any) -> None:
    with pytest.raises(Malformed):
        decode_event_body(event(body=body, base64_body=True))


def test_repeated_headers_stay_separate() -> None:
    answer = proxy_response(Response(200, (("Set-Cookie", "a"), ("Set-Cookie", "b"))))
    assert answer["multiValueHeaders"] == {"Set-Cookie": ["a", "b"]}


def test_an_answer_to_head_has_headers_only() -> None:
    answer = proxy_response(Response(200, (("ETag", "x"),), b"\xff", binary=True).without_body())
    assert (answer["body"], answer["isBase64Encoded"], answer["multiValueHeaders"]) == (
        "",
        False,
        {"ETag": ["x"]},
    )
