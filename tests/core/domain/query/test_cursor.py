"""Cursors round-trip, and other texts are refused."""

import base64
import json
import re
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from stratabase.core.domain.query.cursor import BadCursor, decode_cursor, encode_cursor
from stratabase.core.domain.query.order import Order, OrderTerm, Position, compare_positions, position_of
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class
from stratabase.core.model.types.enumeration import EnumType
from tests.core.domain.query.queries import FILES, orders, states
from tests.models import THING, attribute
from tests.rows import each_row

BY_NAME = Order.of([OrderTerm("name")])
HERE = Position(("Ada", "id1"))
CURSOR = encode_cursor(HERE, BY_NAME, THING)


@pytest.mark.soak
@given(states, orders)
def test_a_cursor_leads_back_to_its_position(state: dict[str, Any], order: Order) -> None:
    position = position_of({**state, "_id": "id1"}, order)
    cursor = encode_cursor(position, order, THING)
    found = decode_cursor(cursor, order, THING)
    assert compare_positions(found, position, order, THING) == 0
    assert encode_cursor(found, order, THING) == cursor
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor)


@pytest.mark.soak
@given(st.text())
@example("")
@example("====")
@example("AQ")
@example("\ud800")
@example("é" * 40)
@example(" " + CURSOR)
@example(CURSOR + "=")
@example(CURSOR + "\n")
@example(CURSOR.replace("A", "+"))
def test_no_other_text_is_a_cursor(text: str) -> None:
    with pytest.raises(BadCursor, match="The cursor is not valid"):
        decode_cursor(text, BY_NAME, THING)


@pytest.mark.soak
@given(st.integers(0, len(CURSOR) - 1), st.sampled_from("AZaz09_-"))
def test_a_damaged_cursor_is_refused(place: int, character: str) -> None:
    damaged = CURSOR[:place] + character + CURSOR[place + 1 :]
    assume(damaged != CURSOR)
    with pytest.raises(BadCursor):
        decode_cursor(damaged, BY_NAME, THING)


@pytest.mark.soak
@given(st.integers(0, len(CURSOR) - 1))
def test_a_truncated_cursor_is_refused(length: int) -> None:
    with pytest.raises(BadCursor):
        decode_cursor(CURSOR[:length], BY_NAME, THING)


@each_row(
    ("order", "class_"),
    [
        (Order.of([]), THING),
        (Order.of([OrderTerm("notes")]), THING),
        (Order.of([OrderTerm("name", descending=True)]), THING),
        (Order.of([OrderTerm("name"), OrderTerm("_id", descending=True)]), THING),
        (BY_NAME, replace(THING, name="Other")),
        (BY_NAME, replace(THING, attributes={"name": attribute("name", "Text")})),
    ],
)
def test_a_cursor_of_another_class_or_order_is_refused_with_that_reason(order: Order, class_: Class) -> None:
    with pytest.raises(BadCursor, match="a different class or sort order"):
        decode_cursor(CURSOR, order, class_)


BY_FILE = Order.of([OrderTerm("picture")])


def test_a_cursor_contains_only_the_name_of_a_file() -> None:
    cursor = encode_cursor(Position((FILES[0], "id1")), BY_FILE, THING)
    assert _bytes(cursor)[9:] == b'["b","id1"]'
    assert decode_cursor(cursor, BY_FILE, THING) == Position(({"name": "b"}, "id1"))


@each_row("values", ['[5,"id"]', '[{"name":"b"},"id"]', '["\\ud800","id"]', '[["b"],"id"]'])
def test_a_forged_cursor_with_a_wrong_name_of_a_file_is_refused(values: str) -> None:
    whole = encode_cursor(Position((None, "id1")), BY_FILE, THING)
    with pytest.raises(BadCursor, match="The cursor is not valid"):
        decode_cursor(_forge(whole, values), BY_FILE, THING)


BY_ALL = Order.of(
    [OrderTerm("name"), OrderTerm("count"), OrderTerm("price"), OrderTerm("good"), OrderTerm("day")]
)


@each_row(
    "values",
    [
        '["a"]',
        '["a",1,"1",true,"2000-01-01","id","more"]',
        '[1,1,"1",true,"2000-01-01","id"]',
        '["a","one","1",true,"2000-01-01","id"]',
        '["a",true,"1",true,"2000-01-01","id"]',
        '["a",1.0,"1",true,"2000-01-01","id"]',
        '["a",1,"one",true,"2000-01-01","id"]',
        '["a",1,"NaN",true,"2000-01-01","id"]',
        '["a",1,NaN,true,"2000-01-01","id"]',
        '["a",1,"1",1,"2000-01-01","id"]',
        '["a",1,"1",true,"2000-13-01","id"]',
        '["a",1,"1",true,["2000-01-01"],"id"]',
        '["\\ud800",1,"1",true,"2000-01-01","id"]',
        '["a",1,"1",true,"2000-01-01",{"id":1}]',
        '{"a":1}',
        "null",
        "[",
        "[" * 100_000,
        "9" * 10_000,
        "\ufffe",
    ],
)
def test_a_forged_cursor_is_refused_unless_its_values_could_be_stored(values: str) -> None:
    """Even a cursor with a valid checksum cannot contain a value that comparisons do not support."""
    whole = encode_cursor(Position(("a", 1, "1", True, "2000-01-01", "id")), BY_ALL, THING)
    forged = _forge(whole, values)
    with pytest.raises(BadCursor, match="The cursor is not valid"):
        decode_cursor(forged, BY_ALL, THING)


def test_an_unmodified_forged_cursor_is_accepted() -> None:
    whole = encode_cursor(Position(("a", 1, "1", True, "2000-01-01", "id")), BY_ALL, THING)
    values: list[Any] = ["b", 2, "2", False, None, "other"]
    assert decode_cursor(_forge(whole, json.dumps(values)), BY_ALL, THING) == Position(tuple(values))


def test_the_next_version_of_the_format_is_refused() -> None:
    content = _bytes(CURSOR)
    with pytest.raises(BadCursor, match="The cursor is not valid"):
        decode_cursor(_text(b"\x02" + content[1:]), BY_NAME, THING)


def _forge(cursor: str, values: str) -> str:
    body = _bytes(cursor)[5:9] + values.encode()
    return _text(b"\x01" + blake2b(body, digest_size=4).digest() + body)


def _bytes(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@each_row("name", ["Mood", "Feeling"])
def test_a_cursor_outlives_the_rename_of_an_enum(name: str) -> None:
    """Nothing is stored of the name of an enum."""
    moody, renamed = (
        replace(THING, attributes={"mood": Attribute("mood", EnumType(each, ["BAD", "GOOD"]))})
        for each in ("Mood", name)
    )
    order = Order.of([OrderTerm("mood")])
    here = Position(("GOOD", "id1"))
    assert decode_cursor(encode_cursor(here, order, moody), order, renamed) == here
    # An earlier version of the service digested the name.
    values = json.dumps(["GOOD", "id1"], separators=(",", ":")).encode()
    terms = [("mood", "Mood", False), ("_id", "ID", False)]
    body = blake2b(json.dumps([THING.stored_name, terms]).encode(), digest_size=4).digest() + values
    content = b"\x01" + blake2b(body, digest_size=4).digest() + body
    former = base64.urlsafe_b64encode(content).rstrip(b"=").decode()
    assert decode_cursor(former, order, moody) == here
