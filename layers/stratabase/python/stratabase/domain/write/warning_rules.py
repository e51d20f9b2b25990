"""The warnings of a model: each with its condition, and what that depends on."""

from functools import cached_property
from typing import NamedTuple

from stratabase.model.class_ import Class, Rule
from stratabase.model.expressions import Expression, expressions_of
from stratabase.model.expressions.dependencies import Member, sources
from stratabase.model.model import Model


class WarningRule(NamedTuple):
    """A warning of a class."""

    class_name: str
    rule: Rule
    condition: Expression
    sources: frozenset[Member]
    """The attributes and roles on which the condition depends, by way of derived ones too."""
    walks: bool
    """It looks at other objects."""


Rules = tuple[WarningRule, ...]


class WarningRules:
    """The warnings of one model, by class; their conditions are read when they are first needed."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[str, Rules] = {}

    def of(self, class_name: str) -> Rules:
        """Return the warnings of a class, in the order of the model."""
        if class_name not in self._known:
            class_ = self._model.classes[class_name]
            self._known[class_name] = tuple(self._read(class_, rule) for rule in class_.warnings)
        return self._known[class_name]

    @cached_property
    def are_there(self) -> bool:
        """Whether any class has warnings."""
        return any(class_.warnings for class_ in self._model.classes.values())

    def _read(self, class_: Class, rule: Rule) -> WarningRule:
        condition = expressions_of(self._model).condition(class_.name, rule.condition)
        members = sources(self._model, class_.name, condition.uses)
        walks = any(name in self._model.classes[owner].roles for owner, name in members)
        return WarningRule(class_.name, rule, condition, members, walks)
