"""An answer that is larger than Lambda carries is refused before Lambda does, with the way out."""

import json

import pytest

from stratabase.edge.authentication import Authentication
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.event import answer_of
from stratabase.edge.front_door import FrontDoor
from stratabase.edge.operation import Operation
from stratabase.edge.refusals import AnswerTooLarge
from stratabase.edge.response import Response
from stratabase.edge.size import LARGEST_ANSWER, check_size

TYPE = (("Content-Type", "text/plain"),)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"a" * (LARGEST_ANSWER - 1_000), 200),
        (b"a" * LARGEST_ANSWER, 413),
        (b'"' * (LARGEST_ANSWER // 2 - 1_000), 200),
        (b'"' * (LARGEST_ANSWER // 2), 413),
    ],
)
def test_what_counts_is_the_answer_as_json(body: bytes, status: int) -> None:
    operation = Operation(lambda *_: Response(200, TYPE, body), "read", "A text.")
    door = FrontDoor([Endpoint("/text", {"GET": operation})], Authentication({}))

    answer = door({"httpMethod": "GET", "resource": "/text", "path": "/text"})

    assert answer["statusCode"] == status
    if status == 413:
        assert answer["multiValueHeaders"]["Content-Type"] == ["application/problem+json"]
        assert "smaller pages" in json.loads(answer["body"])["detail"]


@pytest.mark.parametrize(
    ("wrote", "end"),
    [
        (False, "or accept gzip."),
        (True, "or accept gzip; what the mutation could do has been done: read before you repeat it."),
    ],
)
def test_who_may_have_written_is_told_to_look(wrote: bool, end: str) -> None:
    with pytest.raises(AnswerTooLarge) as refusal:
        check_size(answer_of(Response(200, TYPE, b"a" * LARGEST_ANSWER)), wrote=wrote)
    assert str(refusal.value).endswith(f"fewer fields, {end}")
