"""The recorded figures of the operations are those of the present code, except for times."""

import json
from typing import Any

import pytest

from benchmarks.costs.bill import MEASURED
from benchmarks.costs.measure import measure


def exact(figures: Any) -> dict[str, dict[str, Any]]:
    """Return the figures that are the same in each run, but for pages: texts of other lengths fill them."""
    return {
        row["name"]: {
            "calls": row["calls"],
            "round_trips": row["round_trips"],
            "read_units": pytest.approx(row["read_units"], rel=0.1),
            "write_units": row["write_units"],
        }
        for row in (*figures["operations"], figures["sweep"])
    }


@pytest.mark.thorough
@pytest.mark.long
def test_the_recorded_units_are_those_of_the_code() -> None:
    measured = measure(requests=1)
    rows = {row["name"]: row for row in (*measured["operations"], measured["sweep"])}
    expected = exact(json.loads(MEASURED.read_text()))
    assert {name: {each: rows[name][each] for each in expected[name]} for name in rows} == expected, (
        "run `make costs MEASURE=1`"
    )
