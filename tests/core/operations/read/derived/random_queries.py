"""Random queries over stored and derived attributes and along roles, and random fetches with such queries."""

from collections.abc import Sequence
from random import Random
from typing import Any

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.fetch import Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    Not,
    Or,
    RoleFilter,
)
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.model.model import Class, Model, Role
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.types.operators import ORDER_OPERATORS, Operator
from stratabase.values.cel.environment import EvaluationContext
from tests.core.operations.read.derived.random_graphs import IDS

VALUES: dict[str, list[Any]] = {
    "String": ["x", "x!", "1ada"],
    "Int": [-1, 0, 1, 2],
    "Real": ["0", "-2.5", "0.1", "5E+39"],
    "Boolean": [True, False],
    "ID": IDS,
}
_CONDITIONS = {"String": "{} >= 'x'", "Int": "{} > 0", "Real": "{} < 0.1", "Boolean": "!{}"}


def query(chance: Random, model: Model, class_: Class, evaluation: EvaluationContext) -> Query:
    """Draw a query on a class."""
    names = ["_id", *class_.attributes]
    terms = [OrderTerm(chance.choice(names), chance.random() < 0.5) for _ in range(chance.randint(0, 2))]
    order = Order.of(terms)
    window = Window(
        size=chance.randint(0, 3),
        backward=chance.random() < 0.5,
        offset=chance.choice([0, 0, 1]),
        start=_position(chance, order, class_) if chance.random() < 0.4 else None,
        inclusive=chance.random() < 0.5,
    )
    filter_ = _filter(chance, model, class_, evaluation) if chance.random() < 0.7 else None
    wanted = PageFields(
        chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5
    )
    return Query(class_.name, order, filter_, window, wanted)


def _position(chance: Random, order: Order, class_: Class) -> Position:
    return Position(tuple(_value(chance, class_, term.attribute) for term in order.terms))


def _type(class_: Class, name: str) -> str:
    return "ID" if name == "_id" else class_.attributes[name].type.name


def _value(chance: Random, class_: Class, name: str) -> Any:
    values = VALUES[_type(class_, name)]
    return chance.choice(values if name == "_id" else [None, *values])


def _filter(
    chance: Random, model: Model, class_: Class, evaluation: EvaluationContext, depth: int = 2
) -> Filter:
    kinds = ["and", "or", "not", "holds", "is", "is", *(["role"] * 2 if class_.roles else [])]
    kind = chance.choice(kinds if depth else ["is", "holds"])
    if kind in {"and", "or"}:
        parts = tuple(
            _filter(chance, model, class_, evaluation, depth - 1) for _ in range(chance.randint(0, 3))
        )
        return (And if kind == "and" else Or)(parts)
    if kind == "not":
        return Not(_filter(chance, model, class_, evaluation, depth - 1))
    if kind == "role":
        role = chance.choice([*class_.roles.values()])
        is_bare = chance.random() < 0.2
        target = model.classes[role.target]
        part = MATCH_ALL if is_bare else _filter(chance, model, target, evaluation, depth - 1)
        return RoleFilter(RoleName(class_.name, role.name), part)
    name = chance.choice([*class_.attributes])
    if kind == "holds":
        text = _CONDITIONS[_type(class_, name)].format(name)
        return ExpressionFilter(expressions_of(model).filter(class_.name, text), evaluation)
    operator = chance.choice([Operator.EQ, Operator.NE, Operator.NULL, *sorted(ORDER_OPERATORS, key=str)])
    if operator is Operator.NULL:
        return Comparison(name, operator, chance.random() < 0.5)
    return Comparison(name, operator, chance.choice(VALUES[_type(class_, name)]))


def fetch(
    chance: Random, model: Model, class_: Class, evaluation: EvaluationContext, depth: int = 2
) -> Fetch:
    """Draw a fetch on objects of a class."""
    derived = [each.name for each in class_.attributes.values() if each.derivation]
    names = tuple(chance.sample(derived, chance.randint(0, len(derived))))
    roles = chance.sample([*class_.roles.values()], min(len(class_.roles), 2)) if depth else []
    return Fetch(
        {
            f"k.{place}": _of_role(chance, model, RoleName(class_.name, role.name), role, evaluation, depth)
            for place, role in enumerate(roles)
        },
        names,
    )


def _of_role(  # noqa: PLR0917 - as it comes
    chance: Random, model: Model, name: RoleName, role: Role, evaluation: EvaluationContext, depth: int
) -> RoleFetch:
    target = model.classes[role.target]
    below = fetch(chance, model, target, evaluation, depth - 1)
    # What a page of a class counts may be parts whose whole is gone, until they are purged.
    is_candidate = not role.composition and not role.whole and not target.part
    if is_candidate and chance.random() < 0.3:
        return Associables(name, role, below, query(chance, model, target, evaluation), _shown)
    if role.many:
        return ToMany(name, role, below, query(chance, model, target, evaluation), _shown)
    return ToOne(name, role, below)


def _shown(page: Page, views: Sequence[View]) -> tuple[Page, Sequence[View]]:
    return page, views
