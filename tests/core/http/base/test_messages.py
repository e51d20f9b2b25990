"""What is derived from the headers of a request is kept for requests that repeat them."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from stratabase.core.http.base.messages import Request

Values = Mapping[str, tuple[str, ...]]


def test_what_headers_lead_to_is_derived_once() -> None:
    asked: list[Values] = []

    def count(headers: Values) -> int:
        asked.append(headers)
        return len(headers)

    first = Request("GET", "/", "/", headers={"a": ("1",)})
    assert [each.of_headers(count) for each in (first, first.with_body(b"x"), replace(first, path="/b"))] == [
        1
    ] * 3
    assert asked == [first.headers]
    assert Request("GET", "/", "/").of_headers(count) == 0


def test_headers_that_are_refused_are_refused_each_time() -> None:
    def refuse(headers: Values) -> None:
        raise ValueError(f"refused: {headers}")

    request = Request("GET", "/", "/")
    for _ in range(2):
        with pytest.raises(ValueError, match="refused"):
            request.of_headers(refuse)
