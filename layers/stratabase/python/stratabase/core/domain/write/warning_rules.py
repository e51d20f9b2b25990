"""The warnings of a model, each with its compiled condition and what the condition depends on."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from stratabase.core.model.dependencies import ClassField, PathNode, all_dependencies, paths_of
from stratabase.core.model.model import Class, Model, WarningDefinition
from stratabase.core.model.model_expressions import expressions_of
from stratabase.values.cel.expression import Expression


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

    @property
    def is_kept(self) -> bool:
        """Whether the rule holds whatever is written: writes of all objects that it depends on are tested."""
        return self.definition.blocking and self.follows_roles


Rules = tuple[WarningRule, ...]


class KeptRules:
    """The blocking warnings that follow roles, with the paths of their conditions.

    Writes of any object on these paths are tested, and claim the objects (core/operations/write/claims.py).
    """

    def __init__(self, model: Model, rules: Sequence[WarningRule]) -> None:
        nodes: dict[str, list[PathNode]] = defaultdict(list)
        self._rules: dict[PathNode, WarningRule] = {}
        for rule in rules:
            root = paths_of(model, rule.class_name, rule.condition.paths)
            self._rules[root] = rule
            for node in root.nodes():
                nodes[node.class_name].append(node)
        self.nodes: Mapping[str, Sequence[PathNode]] = dict(nodes)
        """By class: where paths of the conditions lead to its objects."""

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.nodes)

    def rule_of(self, root: PathNode) -> WarningRule:
        """Return the rule whose paths begin at a node."""
        return self._rules[root]


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

    @cached_property
    def kept(self) -> KeptRules:
        """The blocking warnings of stored classes whose conditions follow roles."""
        classes = [each for each in self._model.classes.values() if each.is_stored and each.warnings]
        return KeptRules(
            self._model, [rule for class_ in classes for rule in self.of(class_.name) if rule.is_kept]
        )

    def _read(self, class_: Class, rule: WarningDefinition) -> WarningRule:
        condition = expressions_of(self._model).condition(class_.name, rule.condition)
        sources = all_dependencies(self._model, class_.name, condition.paths)
        follows_roles = any(name in self._model.classes[owner].roles for owner, name in sources)
        is_plain = not follows_roles and not any(name in class_.derived for _, name in sources)
        return WarningRule(class_.name, rule, condition, sources, follows_roles, is_plain)
