"""Filters whose result doesn't depend on the values of the object."""

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    MATCH_NONE,
    And,
    Comparison,
    Filter,
    Not,
    Or,
    RoleFilter,
    constant_value,
)
from stratabase.core.model.types.operators import Operator
from tests.rows import each_row

LOW = Comparison("height", Operator.LT, 1)
OF_NOTHING, OTHER_THAN_NOTHING = (Comparison("_id", each, ()) for each in (Operator.IN, Operator.NOT_IN))
OWNER = RoleName("Thing", "owner")


@each_row(
    ("filter_", "expected"),
    [
        (MATCH_ALL, True),
        (MATCH_NONE, False),
        (LOW, None),
        (Comparison("_id", Operator.NOT_NULL, True), None),
        (OF_NOTHING, False),
        (OTHER_THAN_NOTHING, True),
        (Not(OF_NOTHING), True),
        (Not(LOW), None),
        (And((LOW, OTHER_THAN_NOTHING)), None),
        (And((LOW, MATCH_NONE)), False),
        (And((MATCH_ALL, Not(MATCH_NONE))), True),
        (Or((LOW, MATCH_ALL)), True),
        (Or((LOW, MATCH_NONE)), None),
        (Or((OF_NOTHING, MATCH_NONE)), False),
        (RoleFilter(OWNER, MATCH_ALL), None),
        (RoleFilter(OWNER, OF_NOTHING), False),
        (Not(RoleFilter(OWNER, Not(MATCH_ALL))), True),
    ],
)
def test_a_filter_may_have_the_same_result_for_every_object(filter_: Filter, expected: bool | None) -> None:
    assert constant_value(filter_) is expected
