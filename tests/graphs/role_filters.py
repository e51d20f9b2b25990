"""Random role filters on objects of a graph, and naive results of them."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.query.derived import role_filters
from stratabase.core.domain.query.filter import MATCH_ALL, And, Comparison, Filter, Not, Or, RoleFilter
from stratabase.core.model.model import Model, Role
from stratabase.core.model.types.operators import Operator
from tests.core.domain.query import naive

LedTo = Callable[[Reference, Role], Iterable[Reference]]
"""Returns the existing objects that a role of an object leads to."""


def random_role_filter(chance: Random, model: Model, class_name: str, depth: int = 3) -> RoleFilter | None:
    """Draw a test of a role, which may contain others. None if the class has no role."""
    roles = [*model.classes[class_name].roles.values()]
    if not roles:
        return None
    role = chance.choice(roles)
    return RoleFilter(RoleName(class_name, role.name), _filter(chance, model, role.target, depth - 1))


def _filter(chance: Random, model: Model, class_name: str, depth: int) -> Filter:
    kind = chance.choice(["all", "size", "size", "role", "role", "role", "not", "and", "or"])
    if kind in {"not", "and", "or"} and depth:
        parts = tuple(_filter(chance, model, class_name, depth - 1) for _ in range(2))
        return Not(parts[0]) if kind == "not" else (And if kind == "and" else Or)(parts)
    if kind == "role" and depth and (inner := random_role_filter(chance, model, class_name, depth)):
        return inner
    if kind == "size":
        return Comparison("size", chance.choice([Operator.GT, Operator.EQ]), chance.choice([1, 2]))
    return MATCH_ALL


def holds(
    model: Model,
    state_of: Callable[[Reference], dict[str, Any]],
    led_to: LedTo,
    own: Reference,
    condition: RoleFilter,
) -> bool:
    """Return whether a role of an object leads to a match: object by object, role by role."""
    role = model.classes[own.class_name].roles[condition.role.role_name]
    target = model.classes[role.target]
    for each in led_to(own, role):
        inner = {one.mark: holds(model, state_of, led_to, each, one) for one in role_filters(condition.part)}
        if naive.matches(condition.part, {**state_of(each), **inner}, target):
            return True
    return False
