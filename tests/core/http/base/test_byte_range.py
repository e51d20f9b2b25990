"""A Range header selects a part of a file, is ignored, or is refused."""

import pytest

from stratabase.core.http.base.preconditions import parse_range
from stratabase.core.http.base.refusals import RangeNotSatisfiable
from tests.rows import each_row

HUGE = "9" * 5000


@each_row(
    ("header", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-9", (0, 10)),
        ("bytes=3-5", (3, 6)),
        ("bytes=3-", (3, 10)),
        ("bytes=3-99", (3, 10)),
        (f"bytes=3-{HUGE}", (3, 10)),
        ("bytes=-4", (6, 10)),
        ("bytes=-99", (0, 10)),
        (f"bytes=-{HUGE}", (0, 10)),
        ("BYTES=3-5", (3, 6)),
        ("bytes= 3-5 ", (3, 6)),
        ("bytes=" + "0" * 5000 + "3-5", (3, 6)),
    ],
)
def test_a_range_selects_a_part(header: str, part: tuple[int, int]) -> None:
    assert parse_range(header, 10) == part


@each_row(
    "header",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=5-3",
        "bytes=-1-2",
        "bytes=+1-2",
        "bytes=1.0-2",
        "bytes=٣-٥",  # noqa: RUF001
        "items=0-1",
        "bytes=0-1,4-5",
        "bytes=0-1,",
        "bytes 0-1",
        "bytes=0-1\n",
    ],
)
def test_a_range_that_is_invalid_or_not_supported_is_ignored(header: str) -> None:
    assert parse_range(header, 10) is None


@each_row(
    ("header", "size"),
    [
        ("bytes=10-", 10),
        ("bytes=10-20", 10),
        (f"bytes={HUGE}-", 10),
        (f"bytes={HUGE}-{HUGE}", 10),
        ("bytes=-0", 10),
        ("bytes=0-", 0),
        ("bytes=0-0", 0),
        ("bytes=-5", 0),
    ],
)
def test_a_range_outside_of_the_file_is_refused_with_its_size(header: str, size: int) -> None:
    with pytest.raises(RangeNotSatisfiable, match=f"which has {size} bytes") as refused:
        parse_range(header, size)

    assert refused.value.size == size
