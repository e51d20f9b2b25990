"""Columns of indexes contain what the stored state shows."""

from typing import Any

from stratabase.core.model.attribute import ABSENT, KEPT, KeptValue, KeptValues
from stratabase.core.store.layout.access_path import ENUM, Column, value_text
from tests.rows import each_row

COLUMNS = [
    Column("a", "String"),
    Column("a", "Int", default=7),
    Column("a", "Real", default="1.5"),
    Column("a", "Date"),
    Column("a", "ID"),
    Column("a", ENUM, ("ON", "OFF"), "ON"),
]
STATES: list[dict[str, Any]] = [
    {},
    {"a": None},
    *({"a": value} for value in ("x", "5", 5, "1.5", "2020-01-31", "ON", True, {"fileId": "f"})),
    {"a": None, KEPT: KeptValues({"a": KeptValue("5", None)})},
    {"a": None, KEPT: KeptValues({"a": KeptValue(None, None)})},
    {"a": 7, KEPT: KeptValues({"a": KeptValue(ABSENT, 7)})},
    {"a": "OFF", KEPT: KeptValues({"a": KeptValue("ON", "ON")})},
]


@each_row("column", COLUMNS)
def test_the_text_of_a_state_is_the_text_of_its_value(column: Column) -> None:
    texts = [column.encode(state) for state in STATES]
    assert texts == [value_text(column.text(column.value(state))) for state in STATES]
    assert len(set(texts)) > 1
