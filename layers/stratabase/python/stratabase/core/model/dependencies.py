"""What derived attributes and conditions depend on: attributes and roles, and the order to compute them in.

The paths of a condition lead along roles to everything that it reads, also through derived attributes.
Whoever goes back along a path finds the objects whose condition can change when another object changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import ClassKind, Model, Role
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
    """Return all derived attributes and labels of a model, each after the attributes that it depends on."""
    derived = {
        (class_.name, attribute.name): attribute
        for class_ in model.classes.values()
        for attribute in (*class_.attributes.values(), class_.label_attribute)
        if attribute and attribute.derivation
    }
    graph = {
        field: direct_dependencies(model, field[0], attribute) & derived.keys()
        for field, attribute in derived.items()
    }
    return tuple(TopologicalSorter(graph).static_order())


def _dependencies_of(model: Model, field: ClassField) -> frozenset[ClassField]:
    class_name, name = field
    attribute = model.classes[class_name].attribute(name)
    return direct_dependencies(model, class_name, attribute) if attribute else frozenset()


def _fields_on_path(model: Model, class_name: str, path: Path) -> Iterator[ClassField]:
    for name in path:
        class_ = model.classes[class_name]
        if name != ID:
            yield class_name, name
        if role := class_.roles.get(name):
            class_name = role.target


MAX_DEPENDENTS = 50
"""How many other objects may depend on one write. Each takes an action of its commit."""


@dataclass(slots=True, eq=False)
class PathNode:
    """The objects of one class to which paths of a condition lead, and what the condition reads of them."""

    class_name: str
    parent: "PathNode | None" = None
    """The objects from which a role leads here. None for the objects that the condition is about."""
    role: Role | None = None
    """The role that leads here from the objects of `parent`."""
    names: set[str] = field(default_factory=set)
    """The stored attributes and the roles that the condition reads of the objects."""
    children: "dict[str, PathNode]" = field(default_factory=dict)
    """By role of the objects: the objects that it leads to. Members have no node."""

    @property
    def root(self) -> "PathNode":
        """The node of the objects that the condition is about."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def nodes(self) -> "Iterator[PathNode]":
        """Yield this node and all nodes behind it."""
        yield self
        for child in self.children.values():
            yield from child.nodes()


def paths_of(model: Model, class_name: str, paths: Iterable[Path]) -> PathNode:
    """Return the node of the objects of a class, with all nodes to which paths from there lead."""
    root = PathNode(class_name)
    for path in paths:
        _add(model, root, path)
    return root


def _add(model: Model, node: PathNode, path: Path) -> None:
    for name in path:
        class_ = model.classes[node.class_name]
        role = class_.roles.get(name)
        if role is None:
            _read(model, node, name, class_.attributes.get(name))
            return
        if role.recorded_in is not None:  # the name of the member is a value of the object
            node.names.add(role.recorded_in)
            return
        node.names.add(name)
        if model.classes[role.target].kind is ClassKind.USERS:
            return
        if name not in node.children:
            node.children[name] = PathNode(role.target, node, role)
        node = node.children[name]


def _read(model: Model, node: PathNode, name: str, attribute: Attribute | None) -> None:
    """Note that the condition reads an attribute. A derived one stands for what it is derived from."""
    if attribute is None or attribute.derivation is None:
        if name != ID:
            node.names.add(name)
        return
    expression = expressions_of(model).derived(node.class_name, attribute)
    for path in expression.paths if expression else [attribute.derivation.path]:
        _add(model, node, path)
