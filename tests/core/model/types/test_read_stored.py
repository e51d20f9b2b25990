"""Each type reads the stored values of every type whose text one of its own values has."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType, text_of
from stratabase.core.model.types.enumeration import EnumType
from tests.rows import each_row
from tests.stored_texts import FILE, READ_BY, TYPE_NAMES, reads, stored

ALL = {**TYPES, "Mood": EnumType("Mood", ["HAPPY", "SAD"])}
PAIRS = [(old, new) for old in TYPE_NAMES for new in TYPE_NAMES if "File" not in {old, new}]


@each_row(("old", "new"), PAIRS)
def test_a_type_reads_the_texts_of_its_own_values(old: str, new: str) -> None:
    texts = [text for text in READ_BY if reads(old, text)]
    assert texts
    found = {text: ALL[new].read_stored(stored(old, text)) for text in texts}
    expected = {text: stored(new, text) if reads(new, text) else None for text in texts}
    assert found == expected
    assert [type(value) for value in found.values()] == [type(value) for value in expected.values()]


@each_row("name", TYPE_NAMES)
def test_only_a_file_reads_a_file_and_nothing_reads_the_parts_of_a_role(name: str) -> None:
    assert ALL[name].read_stored(FILE) == (FILE if name == "File" else None)
    assert ALL[name].read_stored({"name": "no file"}) is None
    assert ALL[name].read_stored(["id1"]) is None
    if name == "File":
        assert [ALL[name].read_stored(text) for text in READ_BY] == [None] * len(READ_BY)


RAW: st.SearchStrategy[Any] = st.one_of(
    st.text(max_size=30), st.integers(), st.booleans(), st.sampled_from(sorted(READ_BY))
)


@given(RAW, st.sampled_from(list(ALL.values())), st.sampled_from(list(ALL.values())))
def test_reading_keeps_the_text_and_reading_twice_is_reading_once(
    raw: Any, first: AttributeType, second: AttributeType
) -> None:
    value = first.read_stored(raw)
    if value is not None:
        assert text_of(value) == text_of(raw)
        assert first.read_stored(value) == value
        assert second.read_stored(value) == second.read_stored(raw)


@each_row(
    "text",
    [
        "0001-01-01T00:00:00.0+01",
        "2020-01-31T10:00:00,000Z",
        "2020-01-31t10:00:00.000z",
        "2020-W05-5",
        "٢٠٢٠",
    ],
)
def test_a_date_or_a_number_in_another_spelling_is_not_read(text: str) -> None:
    names = ("Date", "Datetime", "Time", "Int", "Year", "Serial", "Real")
    assert [TYPES[name].read_stored(text) for name in names] == [None] * len(names)
