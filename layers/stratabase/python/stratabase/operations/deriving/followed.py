"""The values of a path: one attribute of the object to which roles lead, or an aggregate over many."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratabase.domain.attributes import is_derived, type_of, value_of
from stratabase.domain.objects.entity import Entity, RoleName
from stratabase.domain.query.aggregate import Aggregator, aggregator_for
from stratabase.model.attribute import Attribute
from stratabase.model.model import Model
from stratabase.operations.deriving.findings import Findings
from stratabase.operations.deriving.trail import trail_of


class Followed:
    """Reads an attribute at the end of to-one roles."""

    def __init__(self, model: Model, class_name: str, attribute: Attribute) -> None:
        assert attribute.derivation is not None
        path = attribute.derivation.path
        self.trail = trail_of(model, class_name, [path])
        self._roles, end = _walked(model, class_name, path)
        self._end = _End(model, end, path[-1])

    def values(self, entities: Sequence[Entity], findings: Findings) -> Sequence[Any]:
        """Return the value for each object."""
        value = self._end.reader(findings)
        ends = (findings.last(self._roles, entity) for entity in entities)
        return [None if end is None else value(end) for end in ends]


class Aggregated:
    """Puts together what lies at the end of roles that lead to many. What is met on two ways counts twice."""

    def __init__(self, model: Model, class_name: str, attribute: Attribute) -> None:
        assert attribute.derivation is not None
        assert attribute.derivation.aggregate is not None
        path = attribute.derivation.path
        self.trail = trail_of(model, class_name, [path])
        self._roles, end = _walked(model, class_name, path)
        counts_objects = len(self._roles) == len(path)
        self._end = None if counts_objects else _End(model, end, path[-1])
        values = attribute.type if counts_objects else type_of(model.classes[end], path[-1])
        self._tally: Aggregator = aggregator_for(attribute.derivation.aggregate, values, attribute.type)

    def values(self, entities: Sequence[Entity], findings: Findings) -> Sequence[Any]:
        """Return the value for each object."""
        totals = self._totals(entities, findings)
        return [self._tally.result(totals[id(entity)]) for entity in entities]

    def _totals(self, entities: Sequence[Entity], findings: Findings) -> Mapping[int, Any]:
        """Return what the tally has of each object, put together from the far end."""
        levels = [{id(entity): entity for entity in entities}]
        for role in self._roles:
            leads = findings.leads[role]
            levels.append({id(each): each for number in levels[-1] for each in leads[number]})
        value = (lambda _: True) if self._end is None else self._end.reader(findings)
        of, joined = self._tally.start, self._tally.combine
        totals = {number: of(value(entity)) for number, entity in levels.pop().items()}
        for role in reversed(self._roles):
            leads = findings.leads[role]
            totals = {number: joined(totals[id(each)] for each in leads[number]) for number in levels.pop()}
        return totals


class _End:
    """The attribute at the end of a path."""

    def __init__(self, model: Model, class_name: str, name: str) -> None:
        class_ = model.classes[class_name]
        self._member = (class_name, name)
        self._is_derived = is_derived(class_, name)
        self._value = value_of(class_, name)

    def reader(self, findings: Findings) -> Callable[[Entity], Any]:
        """Return what reads it."""
        if self._is_derived:
            values = findings.values.get(self._member, {})
            return lambda entity: values[id(entity)]
        value, face = self._value, findings.face
        return lambda entity: value(face(entity))


def _walked(model: Model, class_name: str, path: Sequence[str]) -> tuple[tuple[RoleName, ...], str]:
    """Return the roles of a path, and the class that they lead to."""
    roles: list[RoleName] = []
    at = class_name
    for name in path:
        role = model.classes[at].roles.get(name)
        if role is not None:
            roles.append(RoleName(at, name))
            at = role.target
    return tuple(roles), at
