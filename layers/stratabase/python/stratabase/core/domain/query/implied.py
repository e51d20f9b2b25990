"""Filters that a query implies, by which the store can find objects that may match.

A condition such as `patient.email == caller.email`, and a filter on a derived attribute with the path
`patient.email`, both imply a filter on the objects that the role leads to. An implied filter is as strong as
what implies it, or weaker: it matches everything that the condition accepts, in each caller's time zone and
for stored values of any type.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, DecimalException
from typing import Any, TypeVar

from stratabase.core.domain.attributes import type_of
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.derived import split_filter
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    MATCH_NONE,
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    Or,
    RoleFilter,
    and_,
    conjuncts,
    or_,
)
from stratabase.core.model.member_names import NAMING_ATTRIBUTES
from stratabase.core.model.model import Class, Model
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.dates import whole_day
from stratabase.values.cel.environment import Environment, EvaluationContext, Path
from stratabase.values.cel.expression import Expression
from stratabase.values.cel.kinds import (
    BOOLEAN,
    DATE,
    DATETIME,
    INT,
    REAL,
    TEXT,
    TIME,
    ValueKind,
)
from stratabase.values.cel.typed_expression import Either, Implied, PathComparison, Together
from stratabase.values.formats.decimals import canonical_decimal
from stratabase.values.formats.iso import first_of_day, format_datetime, last_of_day

T = TypeVar("T")
AttributeFilter = Callable[[str], Filter]
"""A function that returns a comparison with an attribute of this name."""


def implied_by_query(filter_: Filter, class_: Class, model: Model) -> Filter | None:
    """Return what the parts of a filter imply that the store cannot use as they are; None if nothing."""
    parts = [each for part in conjuncts(filter_) if (each := _implied(part, class_, model)) is not None]
    return _all(parts) if parts else None


def implied_by_condition(
    condition: Expression, class_: Class, model: Model, evaluation: EvaluationContext
) -> Filter | None:
    """Return what a condition implies of the objects of a class for which it is true; None if nothing."""
    if condition.implied is None:
        return None
    return _of_condition(condition.implied, class_, model, Environment({}, evaluation))


def _all(parts: Sequence[Filter]) -> Filter | None:
    """Return the filter that all parts together are; None if it matches everything."""
    joined = and_(parts)
    return None if joined == MATCH_ALL else joined


def _implied(part: Filter, class_: Class, model: Model) -> Filter | None:
    """Return what a filter implies, without what it says itself; None if nothing."""
    if isinstance(part, ExpressionFilter):
        return implied_by_condition(part.expression, class_, model, part.evaluation)
    if isinstance(part, Comparison) and part.attribute in class_.derived and not _matches_null(part):
        return _along_path((part.attribute,), class_, model, lambda name: _renamed(part, name))
    if isinstance(part, RoleFilter):
        inner = implied_by_query(part.part, model.classes[_target(class_, part.role.role_name)], model)
        return None if inner is None else RoleFilter(part.role, and_([part.part, inner]))
    if isinstance(part, Or) and part.parts:
        found = [
            each if split_filter(each, class_).derived is None else _implied(each, class_, model)
            for each in part.parts
        ]
        return _any(found) if any(each not in part.parts for each in found) else None
    if isinstance(part, And):
        return _all([each for one in part.parts if (each := _implied(one, class_, model)) is not None])
    return None


def _any(parts: Sequence[Filter | None]) -> Filter | None:
    """Return the filter that one of the parts is; None if nothing is known of one of them."""
    known = [part for part in parts if part is not None]
    return or_(known) if len(known) == len(parts) else None


_POSITIVE = frozenset(
    {
        Operator.EQ,
        Operator.IN,
        Operator.LT,
        Operator.LTE,
        Operator.GT,
        Operator.GTE,
        Operator.STARTS_WITH,
        Operator.WITHIN,
    }
)


def _matches_null(comparison: Comparison) -> bool:
    """Return whether a comparison holds for null, or may do so."""
    operand = comparison.operand
    if comparison.operator not in _POSITIVE or operand is None:
        return True
    return isinstance(operand, tuple) and None in operand


def _renamed(comparison: Comparison, name: str) -> Comparison:
    return Comparison(name, comparison.operator, comparison.operand)


def _target(class_: Class, role: str) -> str:
    return class_.roles[role].target


def _along_path(path: Path, class_: Class, model: Model, compare: AttributeFilter) -> Filter | None:
    """Return the filter that compares the attribute at the end of a path; None if no filter can."""
    name, *rest = path
    if rest:
        found = _along_path(tuple(rest), model.classes[_target(class_, name)], model, compare)
        return None if found is None else _leading_to(RoleName(class_.name, name), found)
    if name not in class_.derived:
        return compare(name)
    derivation = class_.attributes[name].derivation
    if derivation is None or derivation.expression is not None or derivation.aggregate is not None:
        return None
    end = _end_of(derivation.path, class_, model)
    # A text that is derived from an enum must not be taken for a value of it.
    is_same = type_of(end, derivation.path[-1]) == type_of(class_, name)
    return _along_path(derivation.path, class_, model, compare) if is_same else None


def _end_of(path: Path, class_: Class, model: Model) -> Class:
    for name in path[:-1]:
        class_ = model.classes[_target(class_, name)]
    return class_


def _leading_to(role: RoleName, part: Filter) -> Filter:
    return MATCH_NONE if part == MATCH_NONE else RoleFilter(role, part)


def _of_condition(implied: Implied, class_: Class, model: Model, environment: Environment) -> Filter | None:
    if isinstance(implied, Together):
        parts = [_of_condition(part, class_, model, environment) for part in implied.parts]
        return _all([part for part in parts if part is not None])
    if isinstance(implied, Either):
        return _any([_of_condition(part, class_, model, environment) for part in implied.parts])
    comparison = _comparison(implied, environment.reset())
    return None if comparison is None else _along_path(implied.path, class_, model, comparison)


def _comparison(implied: PathComparison, environment: Environment) -> AttributeFilter | None:
    """Return the comparison with an attribute that one in a condition implies; None if none does."""
    value = implied.operand(environment)
    if value is None:
        return lambda _: MATCH_NONE
    if implied.path[-1] in NAMING_ATTRIBUTES and implied.operator in {"==", "in"}:
        return None  # names of members are compared by the members' ids
    if implied.operator == "in":
        return _among(implied, value, environment)
    if implied.operator == "==":
        return _equal(implied.kind, implied.operand_kind, value, environment)
    if implied.operator in _ORDERS:
        return _ordered(implied.operator, implied.kind, implied.operand_kind, value, environment)
    is_prefix = implied.kind is TEXT and _is_encodable(value)
    return (lambda name: Comparison(name, Operator.STARTS_WITH, str(value))) if is_prefix else None


def _among(
    implied: PathComparison, values: Sequence[Any], environment: Environment
) -> AttributeFilter | None:
    """Return the comparison of an attribute with several values."""
    element = implied.operand_kind.element
    assert element is not None
    found = [_equal(implied.kind, element, each, environment) for each in values if each is not None]
    return None if None in found else lambda name: or_([each(name) for each in found if each is not None])


_ORDERS: Mapping[str, Operator] = {
    "<": Operator.LT,
    "<=": Operator.LTE,
    ">": Operator.GT,
    ">=": Operator.GTE,
}
_SAME_TEXTS = frozenset({DATE, TIME, DATETIME})
"""The kinds of values whose stored texts expressions compare."""


def _equal(kind: ValueKind, other: ValueKind, value: Any, environment: Environment) -> AttributeFilter | None:
    """Return the comparison of an attribute with an equal value."""
    if {kind, other} == {DATE, DATETIME}:
        return _on_day(kind, value, environment, "<=", ">=")
    stored = _stored(kind, other, value)
    if isinstance(stored, Decimal):
        return lambda _: MATCH_NONE  # an Int is never equal to a number with a fraction
    return None if stored is None else lambda name: Comparison(name, Operator.EQ, stored)


def _ordered(
    operator: str, kind: ValueKind, other: ValueKind, value: Any, environment: Environment
) -> AttributeFilter | None:
    """Return the comparison of an attribute with a greater or a smaller value."""
    if {kind, other} == {DATE, DATETIME}:
        return _on_day(kind, value, environment, operator)
    if kind is BOOLEAN or kind.values:
        return None
    stored = _stored(kind, other, value)
    if isinstance(stored, Decimal):
        # Between two Ints: `x < 2.5` and `x <= 2.5` both mean `x <= 2`.
        down = operator in {"<", "<="}
        whole = int(stored.to_integral_value(ROUND_FLOOR if down else ROUND_CEILING))
        return lambda name: Comparison(name, Operator.LTE if down else Operator.GTE, whole)
    return None if stored is None else lambda name: Comparison(name, _ORDERS[operator], stored)


def _stored(kind: ValueKind, other: ValueKind, value: Any) -> str | int | bool | Decimal | None:
    """Return the stored form of an operand for attributes of a kind; None if it has none.

    The result is a Decimal for a fraction that an Int is compared with.
    """
    if kind is INT and other in {INT, REAL}:
        number = Decimal(value)
        if not number.is_finite():
            return None
        return int(number) if number == number.to_integral_value() else number
    if kind is REAL and other in {INT, REAL}:
        return _real(Decimal(value))
    if kind is BOOLEAN and other is BOOLEAN:
        return bool(value)
    if kind in _SAME_TEXTS and kind is other:
        return str(value)
    is_text = kind is TEXT or kind.values
    return str(value) if is_text and (other is TEXT or other.values) and _is_encodable(value) else None


def _real(number: Decimal) -> str | None:
    try:
        return canonical_decimal(number)
    except DecimalException:  # more digits than a Real can have
        return None


def _is_encodable(text: str) -> bool:
    """Return whether a text can be stored. A lone surrogate can't, and indexes can't encode it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _on_day(kind: ValueKind, value: str, environment: Environment, *operators: str) -> AttributeFilter | None:
    """Return the comparison of a Datetime with a day, or of a Date with the day of an instant."""
    if kind is DATE:
        day = whole_day(environment, value)
        if day is None:
            return lambda _: MATCH_NONE
        return lambda name: and_([Comparison(name, _ORDERS[one], day) for one in operators])
    zone = environment.context.zone
    try:
        first, last = (
            format_datetime(edge(date.fromisoformat(value), zone)) for edge in (first_of_day, last_of_day)
        )
    except (ValueError, OverflowError):
        return None
    ends = {"<": first, "<=": last, ">": last, ">=": first}
    return lambda name: and_([Comparison(name, _ORDERS[one], ends[one]) for one in operators])
