"""The starts of versions, and their place in a state."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.attributes import order_getter, type_of
from stratabase.core.domain.objects.instant import format_instant, parse_instant
from stratabase.core.domain.objects.version import instant_after, with_version_times
from stratabase.core.domain.query.order import Order, OrderTerm, sort_objects
from tests.models import THING
from tests.rows import each_row

NOON = 1_577_880_000_000
REMEMBERED = replace(THING, versioned=True)


@each_row(
    ("earlier", "expected"),
    [
        ([], NOON),
        ([None], NOON),
        ([NOON - 1, None], NOON),
        ([NOON], NOON + 1),
        ([NOON - 5, NOON + 7, NOON], NOON + 8),
    ],
)
def test_a_change_is_later_than_the_start_of_every_version_it_ends(
    earlier: list[int | None], expected: int
) -> None:
    assert instant_after(NOON, earlier) == expected


def test_a_state_of_a_versioned_class_has_its_times() -> None:
    state = {"_id": "x", "name": "y", "_versionStart": "old", "_versionEnd": "old"}
    assert with_version_times(REMEMBERED, state, NOON) == {
        "_id": "x",
        "name": "y",
        "_versionStart": format_instant(NOON),
    }
    assert with_version_times(REMEMBERED, state, NOON, NOON + 1)["_versionEnd"] == format_instant(NOON + 1)
    assert with_version_times(REMEMBERED, state, None) == {"_id": "x", "name": "y"}
    assert with_version_times(THING, state, NOON) == state


@given(st.integers(0, parse_instant("9999-12-31T23:59:59.999Z")))
def test_an_instant_is_parsed_from_its_spelling(instant: int) -> None:
    assert parse_instant(format_instant(instant)) == instant


def test_the_times_of_a_version_are_ordered_as_datetimes_are() -> None:
    assert type_of(REMEMBERED, "_versionStart") is THING.attributes["moment"].type
    assert type_of(REMEMBERED, "_versionEnd") is THING.attributes["moment"].type
    states = [
        {"_id": "a", "_versionEnd": format_instant(NOON)},
        {"_id": "b"},
        {"_id": "c", "_versionEnd": format_instant(9)},
    ]
    down = Order.of([OrderTerm("_versionEnd", descending=True)])
    assert [state["_id"] for state in sort_objects(states, lambda state: state, down, REMEMBERED)] == [
        "a",
        "c",
        "b",
    ]
    assert order_getter(REMEMBERED, "_versionEnd")(states[0]) == format_instant(NOON)
