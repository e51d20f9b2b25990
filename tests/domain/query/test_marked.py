"""Filters by flags that are set on states before matching."""

from stratabase.domain.query.derived import filtered_attributes, split_filter
from stratabase.domain.query.filter import And, Comparison, FlagFilter
from stratabase.domain.query.matching import matcher
from stratabase.model.types.operators import Operator
from tests.models import THING

NAMED = Comparison("name", Operator.EQ, "x")


def test_a_state_with_the_flag_matches() -> None:
    matches = matcher(And((FlagFilter(".seen"), NAMED)), THING)

    assert matches({"name": "x", ".seen": True})
    assert not matches({"name": "x"})
    assert not matches({"name": "y", ".seen": True})


def test_a_flag_filter_is_not_evaluated_by_the_store() -> None:
    assert split_filter(And((FlagFilter(".seen"), NAMED)), THING) == (NAMED, FlagFilter(".seen"))
    assert list(filtered_attributes(FlagFilter(".seen"))) == []
