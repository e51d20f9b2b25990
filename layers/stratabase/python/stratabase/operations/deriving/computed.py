"""The values of an expression."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from stratabase.domain.objects.entity import Entity, RoleName
from stratabase.expressions.environment import Environment, Path
from stratabase.expressions.expression import Expression
from stratabase.model.model import Model
from stratabase.operations.deriving.findings import Findings, Member
from stratabase.operations.deriving.trail import Trail, trail_of


class _Reach(NamedTuple):
    """An object that an expression asks: how it names it, which roles lead there, what is derived of it."""

    path: Path
    roles: tuple[RoleName, ...]
    derived: tuple[Member, ...]


class Computed:
    """Evaluates an expression over objects of a class, and over those that to-one roles lead to."""

    def __init__(self, model: Model, class_name: str, expression: Expression) -> None:
        self.trail = trail_of(model, class_name, expression.paths)
        self._expression = expression
        self._own = _members(self.trail)
        self._reaches = tuple(_reaches(self.trail, ()))

    def values(self, entities: Sequence[Entity], findings: Findings) -> Sequence[Any]:
        """Return the value for each object."""
        evaluate, face, circumstances = self._expression.evaluate, findings.face, findings.circumstances
        in_time = findings.in_time(self.trail.class_name, entities)
        if not self._own and not self._reaches:
            return [evaluate(Environment(face(entity), circumstances)) for entity in in_time]
        return [evaluate(self._environment(entity, findings)) for entity in in_time]

    def _environment(self, entity: Entity, findings: Findings) -> Environment:
        reached = {}
        for path, roles, derived in self._reaches:
            at = findings.last(roles, entity)
            reached[path] = None if at is None else findings.state(at, derived)
        return Environment(findings.state(entity, self._own), findings.circumstances, reached)


def _reaches(trail: Trail, roles: tuple[RoleName, ...]) -> Iterable[_Reach]:
    for role, below in trail.roles.items():
        there = (*roles, role)
        yield _Reach(tuple(each.role_name for each in there), there, _members(below))
        yield from _reaches(below, there)


def _members(trail: Trail) -> tuple[Member, ...]:
    return tuple((trail.class_name, name) for name in trail.derived)
