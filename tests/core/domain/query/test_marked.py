"""Filters by flags and results that are set on states before matching."""

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.derived import filtered_attributes, role_filters, split_filter
from stratabase.core.domain.query.filter import MATCH_ALL, And, Comparison, FlagFilter, Not, Or, RoleFilter
from stratabase.core.domain.query.matching import matcher
from stratabase.core.model.types.operators import Operator
from tests.models import THING

NAMED = Comparison("name", Operator.EQ, "x")
OWNED = RoleFilter(RoleName("Thing", "owner"), MATCH_ALL)
LIKED = RoleFilter(RoleName("Thing", "friends"), OWNED)


def test_a_state_with_the_flag_matches() -> None:
    matches = matcher(And((FlagFilter(".seen"), NAMED)), THING)

    assert matches({"name": "x", ".seen": True})
    assert not matches({"name": "x"})
    assert not matches({"name": "y", ".seen": True})


def test_a_flag_filter_is_not_evaluated_by_the_store() -> None:
    assert split_filter(And((FlagFilter(".seen"), NAMED)), THING) == (NAMED, FlagFilter(".seen"))
    assert list(filtered_attributes(FlagFilter(".seen"))) == []


def test_a_state_with_the_result_of_a_role_filter_matches() -> None:
    matches = matcher(Or((OWNED, LIKED)), THING)

    assert matches({OWNED.mark: True, LIKED.mark: False})
    assert matches({LIKED.mark: True})
    assert not matches({OWNED.mark: False})
    assert matcher(Not(OWNED), THING)({OWNED.mark: False})


def test_a_role_filter_is_not_evaluated_by_the_store() -> None:
    either = Or((NAMED, Not(LIKED)))
    assert split_filter(And((NAMED, either, OWNED)), THING) == (NAMED, And((either, OWNED)))
    assert [*filtered_attributes(either)] == ["name"]
    assert [*role_filters(And((either, OWNED)))] == [LIKED, OWNED]
