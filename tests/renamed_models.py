"""Models whose API is that of another model, but in which everything is stored under other names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice

from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, Enumeration, Model
from stratabase.core.model.types.enumeration import EnumType


def renamed(model: Model) -> Model:
    """Return the model with everything renamed: names are stored under one another's name, in a circle.

    Whoever mixes up a name with a stored name finds something, but the wrong thing.
    """
    enumerations = {name: _renamed_enumeration(each) for name, each in model.enumerations.items()}
    former = _circle(list(model.classes))
    classes = {
        name: _renamed_class(replace(each, renamed_from=former[name]), enumerations)
        for name, each in model.classes.items()
    }
    return replace(model, classes=classes, enumerations=enumerations)


def _renamed_class(class_: Class, enumerations: Mapping[str, Enumeration]) -> Class:
    native = [name for name, each in class_.attributes.items() if each.origin is Origin.NATIVE]
    former = _circle([*native, *class_.roles])
    attributes = {
        name: _with_renamed_type(
            replace(each, renamed_from=former[name]) if name in former else each, enumerations
        )
        for name, each in class_.attributes.items()
    }
    roles = {name: replace(each, renamed_from=former[name]) for name, each in class_.roles.items()}
    return replace(class_, attributes=attributes, roles=roles)


def _with_renamed_type(attribute: Attribute, enumerations: Mapping[str, Enumeration]) -> Attribute:
    """Return an attribute whose enum has other stored names. Models of tests may not list the enum."""
    type_ = attribute.type
    if not isinstance(type_, EnumType):
        return attribute
    listed = enumerations.get(type_.name)
    renamed_from = _circle(type_.values) if listed is None else listed.renamed_from
    return replace(attribute, type=EnumType(type_.name, type_.values, renamed_from))


def _renamed_enumeration(enumeration: Enumeration) -> Enumeration:
    return replace(enumeration, renamed_from=_circle(list(enumeration.values)))


def _circle(names: Sequence[str]) -> dict[str, str]:
    """Return for each name the next one. A single name gets one that nothing else has."""
    if len(names) == 1:
        return {names[0]: f"{names[0]}_before"}
    return dict(zip(names, islice(cycle(names), 1, None), strict=False))
