"""Responses are compressed only for clients that accept gzip, and only if that saves bytes."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from stratabase.core.http.base import preconditions
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint, Operation, Responder
from stratabase.core.http.base.messages import Response
from stratabase.core.http.base.response_body import MAX_RESPONSE_SIZE, MIN_COMPRESSED_SIZE, MIN_OFFLOADED_SIZE
from stratabase.core.http.handler import HttpHandler
from stratabase_aws.functions.handler import LambdaHandler
from tests.rows import each_row

JSON = ("Content-Type", "application/json")
TEXT = b"a text that repeats itself; " * 100
Headers = tuple[tuple[str, str], ...]


def sent_to(
    act: Responder, headers: Mapping[str, list[str]], method: str = "GET", cors: Cors | None = None
) -> Any:
    """Return a handler's response for an endpoint."""
    operation = Operation(act, "read", "A text.", has_format=False)
    handler = LambdaHandler(
        HttpHandler({"/text": Endpoint({"GET": operation})}, Authentication({}), cors=cors)
    )
    return handler({"httpMethod": method, "resource": "/text", "path": "/text", "multiValueHeaders": headers})


def asked(
    accept: str | None,
    body: bytes = TEXT,
    headers: Headers = (JSON,),
    *,
    binary: bool = False,
    **options: Any,
) -> Any:
    """Return the response to a client that accepts these encodings."""
    value = {} if accept is None else {"Accept-Encoding": [accept]}
    return sent_to(lambda *_: Response(200, headers, body, binary), value, **options)


def is_compressed(answer: dict[str, Any]) -> bool:
    """Return whether an answer says that it is gzip; then it is, and otherwise it is as it was."""
    said: bool = answer["multiValueHeaders"].get("Content-Encoding") == ["gzip"]
    assert answer["isBase64Encoded"] == said
    return said


def body_of(answer: dict[str, Any]) -> bytes:
    return (
        gzip.decompress(base64.b64decode(answer["body"]))
        if is_compressed(answer)
        else answer["body"].encode()
    )


@each_row(
    ("accept", "compressed"),
    [
        (None, False),
        ("", False),
        ("identity", False),
        ("br, deflate", False),
        ("gzip", True),
        ("GZip", True),
        ("x-gzip", True),
        ("deflate, gzip, br, zstd", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
        ("br;q=1, *;q=0.1", True),
        ("gzip;q=0.2, identity;q=0.2", True),
        ("gzip;q=0.2, identity;q=0.5", False),
        ("gzip;q=0.2, *;q=0.5", False),
        ("identity;q=0, gzip;q=0.001", True),
        ("gzip;q=nonsense", True),
        (",,gzip,", True),
    ],
)
def test_accept_encoding_weights_are_respected(accept: str | None, *, compressed: bool) -> None:
    answer = asked(accept)
    assert is_compressed(answer) is compressed
    assert body_of(answer) == TEXT


def test_repeated_accept_encoding_headers_are_combined() -> None:
    answer = sent_to(lambda *_: Response(200, (JSON,), TEXT), {"Accept-Encoding": ["br", "gzip"]})
    assert is_compressed(answer)


@each_row(
    ("size", "compressed"),
    [(MIN_COMPRESSED_SIZE - 1, False), (MIN_COMPRESSED_SIZE, True), (MIN_OFFLOADED_SIZE + 1, True)],
)
def test_a_small_response_is_not_compressed(size: int, *, compressed: bool) -> None:
    answer = asked("gzip", b"x" * size)
    assert is_compressed(answer) is compressed
    assert body_of(answer) == b"x" * size
    assert ("Vary" in answer["multiValueHeaders"]) is compressed


@each_row(
    ("content_type", "compressed"),
    [
        ("application/json", True),
        ("application/graphql-response+json; charset=utf-8", True),
        ("application/problem+xml", True),
        ("image/svg+xml", True),
        ("text/plain; charset=utf-8", True),
        ("Text/HTML", True),
        ("image/png", False),
        ("application/octet-stream", False),
    ],
)
def test_only_text_types_are_compressed(content_type: str, *, compressed: bool) -> None:
    answer = asked("gzip", headers=(("Content-Type", content_type),))
    assert is_compressed(answer) is compressed


@each_row(
    "header", [("ETag", '"strong"'), ("Content-Encoding", "br"), ("Content-Range", "bytes 0-2799/9999")]
)
def test_responses_with_exact_byte_semantics_are_not_compressed(header: tuple[str, str]) -> None:
    answer = asked("gzip", headers=(JSON, header))
    assert answer["body"].encode() == TEXT
    assert header[1] in answer["multiValueHeaders"][header[0]]


def test_binary_responses_are_not_compressed() -> None:
    answer = asked("gzip", binary=True)
    assert base64.b64decode(answer["body"]) == TEXT
    assert "Content-Encoding" not in answer["multiValueHeaders"]


def test_vary_is_sent_to_every_client() -> None:
    for accept in ("gzip", None):
        assert asked(accept)["multiValueHeaders"]["Vary"] == ["Accept-Encoding"]


def test_vary_lists_all_headers_in_one_line() -> None:
    answer = asked("gzip", cors=Cors(("https://a.test",)))
    assert answer["multiValueHeaders"]["Vary"] == ["Accept-Encoding, Origin"]


def test_head_has_the_headers_of_get_and_no_body() -> None:
    got, head = asked("gzip"), asked("gzip", method="HEAD")
    assert head["multiValueHeaders"] == got["multiValueHeaders"]
    assert (head["body"], head["isBase64Encoded"]) == ("", False)


@each_row("accept", ["gzip", "identity"])
@each_row("asks_again", ["gzip", "identity"])
def test_one_etag_is_valid_for_both_encodings(accept: str, asks_again: str) -> None:
    def got(**headers: str) -> Any:
        data = {name.replace("_", "-"): [value] for name, value in headers.items()}
        return sent_to(
            lambda request, _: preconditions.cacheable_response(request, "application/json", TEXT), data
        )

    first = got(Accept_Encoding=accept)
    (tag,) = first["multiValueHeaders"]["ETag"]
    again = got(Accept_Encoding=asks_again, If_None_Match=tag)

    assert tag.startswith('W/"')
    assert (again["statusCode"], again["body"]) == (304, "")
    for name in ("ETag", "Vary", "Cache-Control"):
        assert again["multiValueHeaders"][name] == first["multiValueHeaders"][name]
    assert got(Accept_Encoding=asks_again, If_None_Match='"other"')["statusCode"] == 200


def test_the_size_limit_applies_to_the_compressed_body() -> None:
    body = TEXT * (MAX_RESPONSE_SIZE // len(TEXT) + 1)

    refused, sent = asked("identity", body), asked("gzip", body)

    assert refused["statusCode"] == 413
    assert "or accept gzip" in json.loads(refused["body"])["detail"]
    assert (sent["statusCode"], body_of(sent)) == (200, body)


def test_a_body_too_large_even_if_compressed_is_refused_without_gzip_advice() -> None:
    body = b"".join(number.to_bytes(4, "big").hex().encode() for number in range(4_000_000))

    refused = asked("gzip", body[::-1])

    assert refused["statusCode"] == 413
    assert "accept gzip" not in json.loads(refused["body"])["detail"]
