"""The attributes and roles that derived attributes depend on, and the order in which to compute them."""

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import expressions_of
from stratabase.values.cel.environment import Path
from stratabase.values.cel.scope import ID

ClassField = tuple[str, str]
"""The name of a class, and of one of its attributes or roles."""


def fields_on_paths(model: Model, class_name: str, paths: Iterable[Path]) -> frozenset[ClassField]:
    """Return the attributes and roles on paths that begin at a class."""
    return frozenset(field for path in paths for field in _fields_on_path(model, class_name, path))


def direct_dependencies(model: Model, class_name: str, attribute: Attribute) -> frozenset[ClassField]:
    """Return the attributes and roles in the expression or path of a derived attribute.

    The result is empty for attributes that are not derived.
    """
    derivation = attribute.derivation
    if derivation is None:
        return frozenset()
    expression = expressions_of(model).derived(class_name, attribute)
    return fields_on_paths(model, class_name, expression.paths if expression else [derivation.path])


def all_dependencies(model: Model, class_name: str, paths: Iterable[Path]) -> frozenset[ClassField]:
    """Return all attributes and roles that paths from a class depend on, also through derived attributes.

    A caller who may read the values of the paths must be allowed to read all of these.
    """
    found: set[ClassField] = set()
    queue = list(fields_on_paths(model, class_name, paths))
    while queue:
        field = queue.pop()
        if field not in found:
            found.add(field)
            queue += _dependencies_of(model, field)
    return frozenset(found)


def derivation_order(model: Model) -> tuple[ClassField, ...]:
    """Return all derived attributes of a model, each after the attributes that it depends on."""
    derived = {
        (class_.name, attribute.name): attribute
        for class_ in model.classes.values()
        for attribute in class_.attributes.values()
        if attribute.derivation
    }
    graph = {
        field: direct_dependencies(model, field[0], attribute) & derived.keys()
        for field, attribute in derived.items()
    }
    return tuple(TopologicalSorter(graph).static_order())


def _dependencies_of(model: Model, field: ClassField) -> frozenset[ClassField]:
    class_name, name = field
    attribute = model.classes[class_name].attributes.get(name)
    return direct_dependencies(model, class_name, attribute) if attribute else frozenset()


def _fields_on_path(model: Model, class_name: str, path: Path) -> Iterator[ClassField]:
    for name in path:
        class_ = model.classes[class_name]
        if name != ID:
            yield class_name, name
        if role := class_.roles.get(name):
            class_name = role.target
