"""What a prepared model is made of, by the names under which it is kept."""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from hashlib import sha256
from typing import Any

from stratabase.model.attribute import Aggregate, Attribute, Derivation, Domain, Origin
from stratabase.model.class_ import Action, Class, Grant, Index, Kind, PlatformAttribute, Rule, Unique
from stratabase.model.expressions import syntax
from stratabase.model.model import Enumeration, Model, Profile
from stratabase.model.role import Role

_OF_MODELS: tuple[type[Any], ...] = (
    Model,
    Profile,
    Enumeration,
    Class,
    Unique,
    Index,
    Rule,
    Grant,
    Attribute,
    Derivation,
    Domain,
    Role,
)
_OF_EXPRESSIONS: tuple[type[Any], ...] = (syntax.Word, *syntax.Node.__subclasses__())

CLASSES: Mapping[str, type[Any]] = {
    **{each.__name__: each for each in _OF_MODELS},
    **{f"expression {each.__name__}": each for each in _OF_EXPRESSIONS},
}
ENUMS: Mapping[str, type[Enum]] = {
    each.__name__: each for each in (Action, Aggregate, Kind, Origin, PlatformAttribute)
}
NAMES: Mapping[type[Any], str] = {each: name for name, each in {**CLASSES, **ENUMS}.items()}
MAPPING, SET, TYPE = "mapping", "set", "type"
"""What else there is: a mapping, a set, and the type of an attribute."""


@cache
def shape() -> str:
    """Return what stands for the layout of all this: what was written in another one cannot be read."""
    classes = [f"{name}: {[each.name for each in fields(type_)]}" for name, type_ in CLASSES.items()]
    enums = [f"{name}: {list(type_.__members__)}" for name, type_ in ENUMS.items()]
    return sha256("\n".join(classes + enums).encode()).hexdigest()
