"""The formulas of derived attributes, expressions and role filters: what they depend on, and their values."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple, Protocol

from stratabase.core.domain.attributes import type_of
from stratabase.core.domain.objects.entity import Entity, RoleName
from stratabase.core.domain.query.aggregate import aggregator_for
from stratabase.core.domain.query.derived import Computed, computed_for_filter, role_levels
from stratabase.core.domain.query.fetch import Render
from stratabase.core.domain.query.filter import RoleFilter
from stratabase.core.domain.query.matching import matcher
from stratabase.core.model.api_names import LABEL
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.dependencies import ClassField, derivation_order
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import ModelExpressions, expressions_of
from stratabase.values.cel.environment import Environment, EvaluationContext, Path
from stratabase.values.cel.expression import Expression, ToStored

CompareInClass = Callable[[str, int], None]
"""Is called with a class, and the length of a long text of an object before it is searched. Raises
ReadBudgetExceeded when the read budget is used up."""
WithinBudget = Callable[[str, Iterable[Entity]], Iterable[Entity]]
"""Yields the given objects of a class. Raises ReadBudgetExceeded when the read budget is used up."""
_REMEMBERED = 256
"""Cached formulas of expressions that are not derived attributes. Warnings and grants of a model rarely
have more."""


class Dependencies(NamedTuple):
    """What a value of an object depends on, beyond the object's own stored state."""

    class_name: str
    computed: Computed
    """Derived attributes and role filters of the object."""
    roles: Mapping[RoleName, "Dependencies"]
    """By role of the object: what the value depends on there."""

    @property
    def fields(self) -> tuple[ClassField, ...]:
        """The computed values of the object, as keys of `Inputs.values`."""
        marks = (condition.mark for condition in self.computed.roles)
        return tuple((self.class_name, name) for name in (*self.computed.derived, *marks))


def dependencies_of(model: Model, class_name: str, paths: Iterable[Path]) -> Dependencies:
    """Return what paths from a class depend on. A path consists of roles, and may end with an attribute."""
    class_ = model.classes[class_name]
    below: dict[str, list[Path]] = defaultdict(list)
    derived: list[str] = []
    for first, *others in paths:
        if first in class_.roles:
            below[first] += [tuple(others)] if others else []
        elif first in class_.derived:
            derived.append(first)
    roles = {
        RoleName(class_name, name): dependencies_of(model, class_.roles[name].target, rest)
        for name, rest in below.items()
    }
    return Dependencies(class_name, Computed(tuple(derived)), roles)


class Inputs:
    """The inputs of formulas: targets of roles, and values that were computed before.

    Both are by Python's `id` of a loaded object, because two readings of one object may differ.
    """

    def __init__(self, render: Render, evaluation: EvaluationContext, within_budget: WithinBudget) -> None:
        self.render = render
        self.evaluation = evaluation
        self.within_budget = within_budget
        self.targets: dict[RoleName, dict[int, Sequence[Entity]]] = {}
        """By role and owner: the objects that the role leads to."""
        self.values: dict[ClassField, Mapping[int, Any]] = {}
        """By derived attribute, or by class and mark of a role filter, and by object: the value."""

    @cached_property
    def evaluation_for_all(self) -> EvaluationContext:
        """The context of expressions whose values are the same for every caller."""
        return EvaluationContext(note_cost=self.evaluation.note_cost)

    def follow(self, roles: Iterable[RoleName], entity: Entity) -> Entity | None:
        """Return the object at the end of a chain of to-one roles, or None."""
        at: Entity | None = entity
        for role in roles:
            targets = () if at is None else self.targets[role][id(at)]
            at = targets[0] if targets else None
        return at

    def state(self, entity: Entity, derived: Iterable[ClassField]) -> Mapping[str, Any]:
        """Return an object's state with the values of its derived attributes."""
        return self._with_values(self.render(entity), entity, derived)

    def stored_state(self, entity: Entity, computed: Iterable[ClassField]) -> Mapping[str, Any]:
        """Return an object's state as filters test it: as it is stored, with computed values."""
        return self._with_values(entity.state, entity, computed)

    def _with_values(
        self, state: Mapping[str, Any], entity: Entity, fields: Iterable[ClassField]
    ) -> Mapping[str, Any]:
        values = {field[1]: self.values[field][id(entity)] for field in fields}
        return {**state, **values} if values else state


class Formula(Protocol):
    """A formula for the values of a derived attribute, of an expression, or of a role filter."""

    dependencies: Dependencies
    """What must be loaded and computed first."""

    def values(self, entities: Sequence[Entity], inputs: Inputs) -> Sequence[Any]:
        """Return the value for each object. `inputs` must have all dependencies."""


class _Related(NamedTuple):
    """An object that an expression refers to: its path, that path's roles, and its derived attributes."""

    path: Path
    roles: tuple[RoleName, ...]
    derived: tuple[ClassField, ...]


class _ExpressionFormula:
    """Evaluates an expression about objects of a class and the objects that to-one roles lead to.

    With `for_all`, its values do not depend on the caller: days are those of UTC.
    """

    def __init__(
        self, model: Model, class_name: str, expression: Expression, *, for_all: bool = False
    ) -> None:
        self._for_all = for_all
        self.dependencies = dependencies_of(model, class_name, expression.paths)
        self._expression = expression
        self._own = self.dependencies.fields
        self._related = tuple(_related(self.dependencies, ()))

    def values(self, entities: Sequence[Entity], inputs: Inputs) -> Sequence[Any]:
        """Return the value for each object."""
        evaluate, render = self._expression.evaluate, inputs.render
        evaluation = inputs.evaluation_for_all if self._for_all else inputs.evaluation
        in_time = inputs.within_budget(self.dependencies.class_name, entities)
        if not self._own and not self._related:
            return [evaluate(Environment(render(entity), evaluation)) for entity in in_time]
        return [evaluate(self._environment(entity, inputs, evaluation)) for entity in in_time]

    def _environment(self, entity: Entity, inputs: Inputs, evaluation: EvaluationContext) -> Environment:
        related = {}
        for path, roles, derived in self._related:
            at = inputs.follow(roles, entity)
            related[path] = None if at is None else inputs.state(at, derived)
        return Environment(inputs.state(entity, self._own), evaluation, related)


def _related(dependencies: Dependencies, roles: tuple[RoleName, ...]) -> Iterable[_Related]:
    for role, below in dependencies.roles.items():
        there = (*roles, role)
        yield _Related(tuple(each.role_name for each in there), there, below.fields)
        yield from _related(below, there)


class _PathFormula:
    """Reads an attribute at the end of a path of to-one roles."""

    def __init__(self, model: Model, class_name: str, attribute: Attribute) -> None:
        assert attribute.derivation is not None
        path = attribute.derivation.path
        self.dependencies = dependencies_of(model, class_name, [path])
        self._roles, end = _roles_of(model, class_name, path)
        self._end = _EndAttribute(model, end, path[-1])

    def values(self, entities: Sequence[Entity], inputs: Inputs) -> Sequence[Any]:
        """Return the value for each object."""
        value, class_name = self._end.reader(inputs), self.dependencies.class_name
        ends = (inputs.follow(self._roles, each) for each in inputs.within_budget(class_name, entities))
        return [None if end is None else value(end) for end in ends]


class _AggregateFormula:
    """Aggregates values at the end of a path of roles.

    An object that several ways lead to counts several times.
    """

    def __init__(self, model: Model, class_name: str, attribute: Attribute) -> None:
        assert attribute.derivation is not None
        assert attribute.derivation.aggregate is not None
        path = attribute.derivation.path
        self.dependencies = dependencies_of(model, class_name, [path])
        self._roles, end = _roles_of(model, class_name, path)
        counts_objects = len(self._roles) == len(path)
        self._end = None if counts_objects else _EndAttribute(model, end, path[-1])
        values = attribute.type if counts_objects else type_of(model.classes[end], path[-1])
        self._aggregator = aggregator_for(attribute.derivation.aggregate, values, attribute.type)

    def values(self, entities: Sequence[Entity], inputs: Inputs) -> Sequence[Any]:
        """Return the value for each object."""
        totals = self._totals(entities, inputs)
        return [self._aggregator.result(totals[id(entity)]) for entity in entities]

    def _totals(self, entities: Sequence[Entity], inputs: Inputs) -> Mapping[int, Any]:
        """Return the partial aggregate of each object, computed from the end of the path."""
        # 1. Collect the objects of each level, from the start to the end of the path.
        levels = [{id(entity): entity for entity in entities}]
        for role in self._roles:
            targets = inputs.targets[role]
            levels.append({id(each): each for number in levels[-1] for each in targets[number]})
        # 2. Aggregate backwards, so that an object that many ways lead to is aggregated once.
        value = (lambda _: True) if self._end is None else self._end.reader(inputs)
        start, combine = self._aggregator.start, self._aggregator.combine
        totals = {id(entity): start(value(entity)) for entity in self._in_time(levels.pop().values(), inputs)}
        for role in reversed(self._roles):
            targets = inputs.targets[role]
            totals = {
                id(entity): combine(totals[id(each)] for each in targets[id(entity)])
                for entity in self._in_time(levels.pop().values(), inputs)
            }
        return totals

    def _in_time(self, entities: Iterable[Entity], inputs: Inputs) -> Iterable[Entity]:
        return inputs.within_budget(self.dependencies.class_name, entities)


class _EndAttribute:
    """The attribute at the end of a path."""

    def __init__(self, model: Model, class_name: str, name: str) -> None:
        class_ = model.classes[class_name]
        self._field = (class_name, name)
        self._is_derived = name in class_.derived
        self._name = name

    def reader(self, inputs: Inputs) -> Callable[[Entity], Any]:
        """Return a function that reads the attribute of an object."""
        if self._is_derived:
            values = inputs.values.get(self._field, {})
            return lambda entity: values[id(entity)]
        name, render = self._name, inputs.render
        return lambda entity: render(entity).get(name)


class RoleFilterFormula:
    """Says whether a role leads to an object that matches a filter. Tests each object there once."""

    def __init__(self, model: Model, condition: RoleFilter, compare: CompareInClass) -> None:
        self._name = condition.role
        role = model.classes[condition.role.class_name].roles[condition.role.role_name]
        self._target = model.classes[role.target]
        self._many = role.many
        self._matches = matcher(condition.part, self._target, partial(compare, self._target.name))
        self.levels = role_levels(condition)
        """How many roles it follows one after the other. Each inner role filter follows fewer."""
        computed = computed_for_filter(condition.part, self._target)
        self._there = Dependencies(role.target, computed, {})
        self.dependencies = Dependencies(condition.role.class_name, Computed(), {self._name: self._there})

    def values(self, entities: Sequence[Entity], inputs: Inputs) -> Sequence[bool]:
        """Return for each object whether the role leads to a match."""
        led_to = [self._targets(entity, inputs) for entity in entities]
        targets = {id(target): target for found in led_to for target in found}
        fields = self._there.fields
        matching = {
            id(target)
            for target in inputs.within_budget(self._target.name, targets.values())
            if self._matches(inputs.stored_state(target, fields))
        }
        return [any(id(target) in matching for target in found) for found in led_to]

    def _targets(self, entity: Entity, inputs: Inputs) -> Sequence[Entity]:
        found = inputs.targets[self._name][id(entity)]
        # A to-one role shows the first, if links that lag behind lead to several.
        return found if self._many else found[:1]


def _roles_of(model: Model, class_name: str, path: Sequence[str]) -> tuple[tuple[RoleName, ...], str]:
    """Return the roles of a path, and the class at its end."""
    roles: list[RoleName] = []
    at = class_name
    for name in path:
        role = model.classes[at].roles.get(name)
        if role is not None:
            roles.append(RoleName(at, name))
            at = role.target
    return tuple(roles), at


class Formulas:
    """The formulas of one model. Each is made when it is first used."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[ClassField, Formula] = {}
        self._of_expression = lru_cache(_REMEMBERED)(self._make_for_expression)

    def __getitem__(self, field: ClassField) -> Formula:
        """Return the formula of a derived attribute."""
        found = self._known.get(field)
        if found is None:
            class_name, name = field
            attribute = self.model.classes[class_name].attribute(name)
            assert attribute is not None
            found = self._known[field] = self._make(class_name, attribute)
        return found

    def of(self, class_name: str, expression: Expression) -> Formula:
        """Return the formula of an expression about objects of a class, such as a condition."""
        # `to_stored` is part of the key: expressions that compare equal may store their values differently.
        return self._of_expression(class_name, expression, expression.to_stored)

    def sort(self, fields: Iterable[ClassField]) -> list[ClassField]:
        """Return derived attributes in an order in which each comes after those that it depends on."""
        return sorted(fields, key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[ClassField, int]:
        return {field: place for place, field in enumerate(derivation_order(self.model))}

    def _make_for_expression(self, class_name: str, expression: Expression, _: ToStored) -> Formula:
        return _ExpressionFormula(self.model, class_name, expression)

    def _make(self, class_name: str, attribute: Attribute) -> Formula:
        expression = expressions_of(self.model).derived(class_name, attribute)
        if expression is not None:
            is_label = attribute.name == LABEL
            return _ExpressionFormula(self.model, class_name, expression, for_all=is_label)
        assert attribute.derivation is not None
        kind = _AggregateFormula if attribute.derivation.aggregate else _PathFormula
        return kind(self.model, class_name, attribute)


def formulas_of(model: Model) -> Formulas:
    """Return the formulas of a model. The same model has the same formulas."""
    return _of(expressions_of(model))


@lru_cache(maxsize=4)
def _of(expressions: ModelExpressions) -> Formulas:
    # A model is not hashable, but its expressions are, and stay the same as long as the model.
    return Formulas(expressions.model)
