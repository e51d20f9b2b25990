"""The header Idempotency-Key, and the fingerprint of a request."""

from decimal import Decimal

import pytest

from stratabase.core.http.base.idempotency_key import idempotency_key, parse_idempotency_key
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import Malformed
from tests.rows import each_row


@each_row(
    ("sent", "key"),
    [
        ("8e03978e-40d5", "8e03978e-40d5"),
        ('"8e03978e-40d5"', "8e03978e-40d5"),
        ("  a  ", "a"),
        ("!" * 255, "!" * 255),
        ('"' + "x" * 255 + '"', "x" * 255),
        (r'"a\"b\\c"', r'a"b\c'),
        ("a,b", "a,b"),
    ],
)
def test_a_key_may_be_quoted_as_in_the_draft(sent: str, key: str) -> None:
    assert parse_idempotency_key((sent,)) == key


@each_row(
    "sent",
    [
        "",
        " ",
        '""',
        "a b",
        '"a b"',
        "é",
        "a\x7f",
        "x" * 256,
        '"' + "x" * 256 + '"',
        '"a',
        '"a"b',
        '"a";q=1',
        r'"a\b"',
    ],
)
def test_other_values_are_refused_with_an_example(sent: str) -> None:
    with pytest.raises(Malformed, match="Use a random UUID, such as"):
        parse_idempotency_key((sent,))


def test_two_headers_are_refused() -> None:
    with pytest.raises(Malformed, match="only once"):
        parse_idempotency_key(("a", "a"))


def test_equal_requests_have_equal_fingerprints() -> None:
    request = Request("POST", "/", "/", headers={"idempotency-key": ("k",)})
    same = [
        idempotency_key(request, "{a}", {"x": 1, "y": {"b": 2, "a": "é"}}, None),
        idempotency_key(request, "{a}", {"y": {"a": "é", "b": 2}, "x": 1}, None),
    ]
    assert same[0] == same[1]
    others = [
        idempotency_key(request, "{b}", {"x": 1, "y": {"b": 2, "a": "é"}}, None),
        idempotency_key(request, "{a}", {"x": "1", "y": {"b": 2, "a": "é"}}, None),
        idempotency_key(request, "{a}", {"x": 1, "y": {"b": 2, "a": "é"}}, "q"),
        idempotency_key(request, "{a}", {"x": 10**30}, None),
        idempotency_key(request, "{a}", {"x": str(10**30)}, None),
        idempotency_key(request, "{a}", {"x": Decimal("0.1234567890123456789")}, None),
        idempotency_key(request, "{a}", None, None),
    ]
    assert len({each.fingerprint for each in [same[0], *others]}) == len(others) + 1
    assert idempotency_key(request, "{a}", None, None) == idempotency_key(request, "{a}", {}, None)
