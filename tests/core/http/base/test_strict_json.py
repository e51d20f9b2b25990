"""JSON is parsed without loss of digits, and with the strictness of the fast parser."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.strict_json import (
    ExactNumber,
    NumberOutOfRange,
    parse_exact_json,
    parse_json_object,
)
from stratabase.values.messages import verbatim
from tests.rows import each_row

PLACE = verbatim("The body")


@each_row(
    ("text", "expected"),
    [
        ('{"a": [1, 1.5, "x", null]}', {"a": [1, 1.5, "x", None]}),
        ("12345678901234567.89", ExactNumber("12345678901234567.89")),
        ("99999999999999999999999", 99999999999999999999999),
        ("-0.12345678901234567890123456789", ExactNumber("-0.12345678901234567890123456789")),
        ("1.0000000000000000e5", 100_000.0),
        ('["1234567890123456", 1.5]', ["1234567890123456", 1.5]),
        ("[1.00000000000000000001, 2.0]", [ExactNumber("1.00000000000000000001"), 2.0]),
        ("1e-400", ExactNumber("1e-400")),
        ("-1E-0400", ExactNumber("-1e-400")),
        ("4e-324", ExactNumber("4e-324")),
        ("1e-320", 1e-320),
        ("0.0e-999", 0.0),
        ('"1234567890123456\\u20ac"', "1234567890123456€"),
    ],
)
def test_a_long_number_keeps_all_its_digits(text: str, expected: Any) -> None:
    for value in (text, text.encode()):
        found = parse_exact_json(value, PLACE)
        assert found == expected
        assert repr(found) == repr(expected)


def _written_object(pairs: list[tuple[str, str, str]]) -> str:
    return "{" + ",".join(f'{blank}"{key}":{blank}{value}' for key, blank, value in pairs) + "}"


KEYS = st.sampled_from(["a", "a ", " a", " ", ":", "\u003a", "é", "\\u00e9"])
BLANKS = st.sampled_from(["", "", " ", "\n\t"])
TEXTS = st.recursive(
    st.sampled_from(["1", "-0", "1.50", "2.5", "1e2", "12345678901234567", "0.1000000000000000055", "null"])
    | KEYS.map('"{}"'.format),
    lambda inner: (
        st.lists(st.tuples(KEYS, BLANKS, inner), max_size=3).map(_written_object)
        | st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]")
    ),
    max_leaves=8,
)


def _has_key_twice(text: str) -> bool:
    found: list[bool] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=note)
    return any(found)


@given(TEXTS)
def test_a_text_is_refused_exactly_if_an_object_has_a_key_twice(text: str) -> None:
    if _has_key_twice(text):
        with pytest.raises(Malformed):
            parse_exact_json(text, PLACE)
    else:
        exact = json.loads(text, parse_float=lambda number: Decimal(number).normalize())
        assert _exactly(parse_exact_json(text.encode(), PLACE)) == exact


def _exactly(value: Any) -> Any:
    """Return a value with decimals in place of floats, as the text has them."""
    if isinstance(value, dict):
        return {key: _exactly(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_exactly(each) for each in value]
    return Decimal(repr(value)).normalize() if isinstance(value, float) else value


@each_row(
    "text",
    [
        '["\\ud800", 1234567890123456789]',
        "[NaN, 1234567890123456789]",
        "1" * 5_000,
        "[" * 501 + "1" * 20 + "]" * 501,
        '{"a":' * 501 + "1" * 20 + "}" * 501,
        "[" * 1_025 + "1" * 20 + "]" * 1_025,
        "1234567890123456789,",
        b'"\xff1234567890123456789"',
    ],
)
def test_unreadable_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_exact_json(text, PLACE)


@each_row(
    ("number", "shown"),
    [
        ("2e308", "2e308"),
        ("-2.5E+0308", "-2.5E+0308"),
        ("1" * 5_000, "1" * 20 + "…"),
        ("1e" + "9" * 5_000, "1e" + "9" * 18 + "…"),
    ],
)
def test_a_number_beyond_all_doubles_is_named(number: str, shown: str) -> None:
    message = (
        f"The request body contains the number {shown}, which is out of range. "
        "Use a number from -1.7e308 to 1.7e308."
    )
    text = f'{{"é€😀": "2e308", "a":\n[{number} , NaN]}}'
    for value in (text, text.encode()):
        with pytest.raises(NumberOutOfRange):
            parse_exact_json(value, PLACE)
    with pytest.raises(Malformed) as refusal:
        parse_json_object(text.encode())
    assert str(refusal.value) == message


@each_row(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_json_nested_500_levels_deep_is_parsed(start: str, end: str) -> None:
    found = parse_exact_json(start * 500 + "1" * 20 + end * 500, PLACE)
    for _ in range(500):
        (found,) = found.values() if isinstance(found, dict) else found
    assert found == int("1" * 20)


@each_row(
    "text",
    [
        b'{"a":1,"a":1}',
        b'{"a": 1, "a": 1}',
        b'{" ":1,"b":2," ":1}',
        b'{"a": "  ", "a":\n"  "}',
        b'[{"b":{"a":1,"c":":","a":1}}]',
        b'{"a":"\\u003a","a":1}',
        b'{"a":12345678901234567.89,"a":1}',
        b'{"a":' * 400 + b'{"b":1,"b":1}' + b"}" * 400,
    ],
)
def test_a_key_that_occurs_twice_is_refused(text: bytes) -> None:
    with pytest.raises(Malformed, match=r"The body repeats \"[ab ]\""):
        parse_exact_json(text, PLACE)


@each_row(
    "text",
    [b"[" * 1000, b"[" * 3000 + b"]" * 3000, b'{"username": ' + b"[" * 1000, b'{"a":' * 1000],
)
def test_deep_nesting_is_the_reason_of_a_refusal_also_in_an_incomplete_text(text: bytes) -> None:
    with pytest.raises(Malformed, match="nested too deeply"):
        parse_json_object(text)


def test_an_incomplete_text_that_is_not_deep_has_its_own_reason() -> None:
    with pytest.raises(Malformed, match=r"must be a JSON object: .*line 1"):
        parse_json_object(b"[]" * 1000 + b"[")
