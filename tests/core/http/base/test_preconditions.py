"""Conditional requests are decided in the order of RFC 9110 section 13.2.2."""

import pytest

from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.preconditions import Validators, allows_range, is_unmodified
from stratabase.core.http.base.refusals import PreconditionFailed
from tests.rows import each_row

BEFORE = "Tue, 01 Sep 2026 10:00:00 GMT"
SAME = "Wed, 02 Sep 2026 10:00:00 GMT"
AFTER = "Thu, 03 Sep 2026 10:00:00 GMT"
CURRENT = Validators('"f1"', 1788343200)


def request(**headers: str) -> Request:
    named = {name.replace("_", "-"): (value,) for name, value in headers.items()}
    return Request("GET", "/f", "/f", headers=named)


def test_the_validators_are_headers() -> None:
    assert CURRENT.headers() == (("ETag", '"f1"'), ("Last-Modified", SAME))


@each_row(
    "headers",
    [
        {"if_none_match": '"f1"'},
        {"if_none_match": 'W/"f1"'},
        {"if_none_match": '"x", "f1"'},
        {"if_none_match": '"a,b","f1"'},
        {"if_none_match": "*"},
        {"if_modified_since": SAME},
        {"if_modified_since": "Wednesday, 02-Sep-26 10:00:00 GMT"},
        {"if_modified_since": "Wed Sep  2 10:00:00 2026"},
        {"if_none_match": '"f1"', "if_modified_since": BEFORE},
        {"if_match": '"f1"', "if_none_match": '"f1"'},
        {"if_match": "*", "if_modified_since": SAME},
        {"if_unmodified_since": SAME, "if_none_match": '"f1"'},
    ],
)
def test_a_client_that_has_the_file_gets_304(headers: dict[str, str]) -> None:
    assert is_unmodified(request(**headers), CURRENT)


@each_row(
    "headers",
    [
        {},
        {"if_none_match": '"x"'},
        {"if_none_match": "f1"},
        {"if_none_match": ""},
        {"if_modified_since": BEFORE},
        {"if_modified_since": AFTER},
        {"if_modified_since": "yesterday"},
        {"if_modified_since": ""},
        {"if_modified_since": "Wed, 99 Sep 2026 10:00:00 GMT"},
        {"if_modified_since": "Mon, 01 Jan 0001 00:00:00 +1400"},
        {"if_modified_since": f"Wed, 02 Sep {'9' * 5000} 10:00:00 GMT"},
        {"if_modified_since": "Wed, 02 Sep 999999999999999999999 10:00:00 GMT"},
        {"if_none_match": '"x"', "if_modified_since": AFTER},
        {"if_match": '"f1"'},
        {"if_match": '"x", "f1"'},
        {"if_match": '"f1"', "if_unmodified_since": BEFORE},
        {"if_unmodified_since": SAME},
        {"if_unmodified_since": "yesterday"},
    ],
)
def test_other_clients_get_the_file(headers: dict[str, str]) -> None:
    assert not is_unmodified(request(**headers), CURRENT)


@each_row(
    "headers",
    [
        {"if_match": '"x"'},
        {"if_match": 'W/"f1"'},
        {"if_match": ""},
        {"if_match": '"x"', "if_none_match": '"f1"'},
        {"if_match": '"x"', "if_unmodified_since": AFTER},
        {"if_unmodified_since": BEFORE},
        {"if_unmodified_since": AFTER},
        {"if_unmodified_since": BEFORE, "if_none_match": '"f1"'},
    ],
)
def test_a_client_that_needs_another_state_gets_412(headers: dict[str, str]) -> None:
    with pytest.raises(PreconditionFailed):
        is_unmodified(request(**headers), CURRENT)


def test_a_date_that_several_states_have_identifies_none() -> None:
    shared = Validators('"f1"', CURRENT.last_modified, is_exact=False)

    assert not is_unmodified(request(if_modified_since=SAME), shared)
    assert not allows_range(request(if_range=SAME), shared)
    with pytest.raises(PreconditionFailed):
        is_unmodified(request(if_unmodified_since=SAME), shared)


@each_row(
    ("condition", "allowed"),
    [
        ('"f1"', True),
        (' "f1" ', True),
        (SAME, True),
        ('W/"f1"', False),
        ('"x"', False),
        (BEFORE, False),
        (AFTER, False),
        ("", False),
        ("yesterday", False),
    ],
)
def test_if_range_needs_the_current_state(condition: str, *, allowed: bool) -> None:
    assert allows_range(request(if_range=condition), CURRENT) == allowed


def test_without_if_range_a_range_is_allowed() -> None:
    assert allows_range(request(), CURRENT)
