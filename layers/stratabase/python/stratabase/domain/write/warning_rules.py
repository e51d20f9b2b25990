"""The warnings of a model, each with its compiled condition and what the condition depends on."""

from functools import cached_property
from typing import NamedTuple

from stratabase.domain.attributes import is_derived
from stratabase.expressions.expression import Expression
from stratabase.model.dependencies import ClassField, all_dependencies
from stratabase.model.model import Class, Model, WarningDefinition
from stratabase.model.model_expressions import expressions_of


class WarningRule(NamedTuple):
    """A warning of a class."""

    class_name: str
    definition: WarningDefinition
    condition: Expression
    sources: frozenset[ClassField]
    """The attributes and roles on which the condition depends, directly or through derived attributes."""
    follows_roles: bool
    """Whether the condition follows roles, and so depends on other objects."""
    is_plain: bool
    """Whether the condition depends only on stored attributes of the object itself."""


Rules = tuple[WarningRule, ...]


class WarningRules:
    """The warnings of one model, by class. Their conditions are compiled when they are first needed."""

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
    def exist(self) -> bool:
        """Whether any class has warnings."""
        return any(class_.warnings for class_ in self._model.classes.values())

    def _read(self, class_: Class, rule: WarningDefinition) -> WarningRule:
        condition = expressions_of(self._model).condition(class_.name, rule.condition)
        sources = all_dependencies(self._model, class_.name, condition.paths)
        follows_roles = any(name in self._model.classes[owner].roles for owner, name in sources)
        is_plain = not follows_roles and not any(is_derived(class_, name) for _, name in sources)
        return WarningRule(class_.name, rule, condition, sources, follows_roles, is_plain)
