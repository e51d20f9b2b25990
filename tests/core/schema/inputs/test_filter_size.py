"""The size of a filter is limited, and counted before it is parsed."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.model.types.operators import Operator
from stratabase.core.schema.inputs.filter_reader import FilterReader
from stratabase.core.schema.inputs.filter_size import FilterSize, measure_filter
from stratabase.values.formats.preferences import Formats
from tests.everything_model import EVERYTHING
from tests.rows import each_row

A, B = (Comparison("height", Operator.LT, number) for number in (1, 2))
IN = 'A comparison with "in" counts as one, regardless of how many values it lists.'
LOW, LOWER = {"height___lt": 1}, {"height___lt": 2}


def read(data: dict[str, Any]) -> Filter:
    reader = FilterReader(EVERYTHING, EVERYTHING.classes["Person"], skip_nulls=True)
    return reader.read(data, Formats(), ("options", "filter"))


@each_row(
    ("data", "comparisons", "members"),
    [
        ({}, 0, 0),
        ({"height___lt": 1, "height___gt": None}, 2, 0),
        ({"AND": [LOW, {"OR": [LOWER, {"NOT": {"_id___in": ["a", "b"]}}]}], "_clientId": "c"}, 4, 2),
        ({"AND": None, "OR": [], "NOT": {}, "_id___in": None}, 1, 0),
    ],
)
def test_comparisons_are_counted_at_any_depth(data: dict[str, Any], comparisons: int, members: int) -> None:
    assert measure_filter(data) == FilterSize(comparisons, members)


@each_row(
    ("data", "message"),
    [
        (
            {"OR": [LOW] * 501},
            f"Person: The filter has 501 comparisons. The maximum is 500. {IN}",
        ),
        (
            {"OR": [{"_id___in": ["a"] * 5_000}, {"_id___not_in": ["b"] * 5_001}]},
            "Person: The filter lists 10,001 values. The maximum is 10,000.",
        ),
    ],
)
def test_a_too_large_filter_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused) as refusal:
        read(data)
    assert [(issue.message, issue.path) for issue in refusal.value.issues] == [
        (message, ("options", "filter"))
    ]


def test_a_filter_at_the_limits_is_read() -> None:
    value = {"OR": [{"height___lt": number} for number in range(499)], "_id___in": ["a"] * 10_000}

    assert measure_filter(value) == FilterSize(500, 10_000)
    assert isinstance(read(value), And)


@each_row(
    ("data", "expected"),
    [
        ({"AND": [{}, LOW, {}]}, A),
        ({"AND": [{}] * 20_000}, And(())),
        ({"OR": [{}] * 20_000}, And(())),
        ({"OR": [LOW, {}, LOWER, {}]}, Or((A, B))),
        ({"OR": [LOW, {"OR": []}, LOWER]}, Or((A, B))),
        ({"AND": [{"OR": []}, LOW, {"NOT": {}}]}, And((Or(()), A))),
        ({"NOT": {"NOT": LOW}}, A),
        ({"NOT": {"OR": []}, "height___lt": 1}, A),
        ({"NOT": LOW}, Not(A)),
        (
            {"OR": [{"number___eq": 1}, LOW, {"number___eq": None}, {"height___eq": 2}]},
            Or((Comparison("number", Operator.IN, (1, None)), Comparison("height", Operator.EQ, 2), A)),
        ),
    ],
)
def test_a_filter_is_simplified(data: dict[str, Any], expected: Filter) -> None:
    assert read(data) == expected
