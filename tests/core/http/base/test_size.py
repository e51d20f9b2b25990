"""A response too large for Lambda is refused with advice."""

import json

import pytest

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint, Operation
from stratabase.core.http.base.messages import Response
from stratabase.core.http.base.refusals import ResponseTooLarge
from stratabase.core.http.base.response_body import MAX_RESPONSE_SIZE, check_response_size
from stratabase.core.http.handler import HttpHandler
from stratabase_aws.functions.handler import LambdaHandler
from tests.rows import each_row

TYPE = (("Content-Type", "text/plain"),)


@each_row(
    ("body", "status"),
    [
        (b"a" * (MAX_RESPONSE_SIZE - 1_000), 200),
        (b"a" * MAX_RESPONSE_SIZE, 413),
        (b'"' * (MAX_RESPONSE_SIZE // 2 - 1_000), 200),
        (b'"' * (MAX_RESPONSE_SIZE // 2), 413),
    ],
)
def test_the_size_is_that_of_the_response_as_json(body: bytes, status: int) -> None:
    operation = Operation(lambda *_: Response(200, TYPE, body), "read", "A text.")
    handler = LambdaHandler(HttpHandler({"/text": Endpoint({"GET": operation})}, Authentication({})))

    answer = handler({"httpMethod": "GET", "resource": "/text", "path": "/text"})

    assert answer["statusCode"] == status
    if status == 413:
        assert answer["multiValueHeaders"]["Content-Type"] == ["application/problem+json"]
        assert "smaller pages" in json.loads(answer["body"])["detail"]


@each_row(
    ("wrote", "end"),
    [
        (False, "or accept gzip."),
        (True, "or accept gzip. The mutation was already executed. Check the data before you send it again."),
    ],
)
def test_a_too_large_response_says_whether_a_write_was_executed(wrote: bool, end: str) -> None:
    with pytest.raises(ResponseTooLarge) as refusal:
        check_response_size(Response(200, TYPE, b"a" * MAX_RESPONSE_SIZE), may_have_written=wrote)
    assert str(refusal.value).endswith(f"fewer fields, {end}")
