"""What derived attributes are made of, and the order in which they can be computed."""

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from stratabase.model.attribute import Attribute
from stratabase.model.expressions.of_model import expressions_of
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.scope import ID
from stratabase.model.model import Model

Member = tuple[str, str]
"""A class, and one of its attributes or roles."""


def members(model: Model, class_name: str, paths: Iterable[Path]) -> frozenset[Member]:
    """Return the attributes and roles that are met on paths from a class."""
    return frozenset(member for path in paths for member in _met(model, class_name, path))


def made_of(model: Model, class_name: str, attribute: Attribute) -> frozenset[Member]:
    """Return the attributes and roles that a derived attribute is directly made of; nothing for another."""
    derivation = attribute.derivation
    if derivation is None:
        return frozenset()
    expression = expressions_of(model).derived(class_name, attribute)
    return members(model, class_name, expression.uses if expression else [derivation.path])


def sources(model: Model, class_name: str, paths: Iterable[Path]) -> frozenset[Member]:
    """Return all attributes and roles that paths from a class depend on, by way of derived ones too.

    Who reads what lies on the paths reads all of these.
    """
    found: set[Member] = set()
    waiting = list(members(model, class_name, paths))
    while waiting:
        member = waiting.pop()
        if member not in found:
            found.add(member)
            waiting += _below(model, member)
    return frozenset(found)


def order(model: Model) -> tuple[Member, ...]:
    """Return all derived attributes of a model, each after those that it is made of."""
    derived = {
        (class_.name, attribute.name): attribute
        for class_ in model.classes.values()
        for attribute in class_.attributes.values()
        if attribute.derivation
    }
    graph = {
        member: made_of(model, member[0], attribute) & derived.keys() for member, attribute in derived.items()
    }
    return tuple(TopologicalSorter(graph).static_order())


def _below(model: Model, member: Member) -> frozenset[Member]:
    class_name, name = member
    attribute = model.classes[class_name].attributes.get(name)
    return made_of(model, class_name, attribute) if attribute else frozenset()


def _met(model: Model, class_name: str, path: Path) -> Iterator[Member]:
    for name in path:
        class_ = model.classes[class_name]
        if name != ID:
            yield class_name, name
        if role := class_.roles.get(name):
            class_name = role.target
