"""The names under which the objects of a model are stored, which never change.

A class, attribute, role or enum value that was renamed (`@renamed`) stays stored under its first name. So the
store works with the stored model: the model in which everything has its stored name. `StoredNames` has the
names of a model and their stored names. `core/store/renamed_repository` translates between both.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, Enumeration, Index, Model, Role, Unique
from stratabase.core.model.types.base import Renames, Stored
from stratabase.core.model.types.enumeration import EnumType
from stratabase.values.frozen import frozen

T = TypeVar("T")
DERIVED_PREFIX = "="
"""The beginning of the names of derived attributes in a stored model.

They are not stored, so their names must differ from all stored names.
"""


class NameKind(Enum):
    """What a stored name is the name of."""

    CLASS = "class"
    ATTRIBUTE = "attribute"
    ROLE = "role"
    ENUM_VALUE = "enum value"
    PROFILE = "profile"


@frozen
class RemovedName:
    """A stored name that a model had, and that was removed from it."""

    kind: NameKind
    name: str
    """The stored name: `Employee`, `Employee.nickname`, `Status.DONE`, or the name of a profile."""
    removed_on: str
    """The day on which a model without it began to serve, such as `2026-11-23`."""


class ClassNames:
    """The names of one class, and of its attributes and roles, with their stored names."""

    def __init__(self, class_: Class) -> None:
        self.name = class_.name
        self.stored_name = class_.stored_name
        attributes, roles = class_.attributes.values(), class_.roles.values()
        self.to_stored: Mapping[str, str] = {
            **{each.name: _stored_name(each) for each in attributes},
            **{each.name: each.renamed_from or each.name for each in roles},
        }
        """By name of an attribute or role: the name in the stored model."""
        self.from_stored: Mapping[str, str] = {stored: name for name, stored in self.to_stored.items()}
        """By name in the stored model: the name of the attribute or role."""
        self.targets: Mapping[str, str] = {each.name: each.target for each in roles}
        """By name of a role: the name of the class that it leads to."""
        self.renames = Renames(self.to_stored)
        """The attributes and roles with other stored names, and leftover names."""
        self.renamed_values: Mapping[str, Renames] = {
            name: each.type.renames for name, each in class_.attributes.items() if each.type.renames.to_stored
        }
        """By name of an attribute whose enum has renamed values: its values with other stored names."""

    @property
    def is_identity(self) -> bool:
        """Whether everything of the class is stored under its own name."""
        return (
            self.stored_name == self.name
            and not self.renamed_values
            and all(stored in {name, f"{DERIVED_PREFIX}{name}"} for name, stored in self.to_stored.items())
        )

    def value_to_stored(self, attribute: str, value: Stored) -> Stored:
        """Return the stored form of a value of an attribute."""
        renames = self.renamed_values.get(attribute)
        return renames.to_stored.get(value, value) if renames and isinstance(value, str) else value


def _stored_name(each: Attribute) -> str:
    if each.origin is Origin.DERIVED:
        return f"{DERIVED_PREFIX}{each.name}"
    return each.renamed_from or each.name


class StoredNames:
    """The names of a model with their stored names, in both directions."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.classes: Mapping[str, ClassNames] = {
            name: ClassNames(class_) for name, class_ in model.classes.items()
        }
        """By name of the class."""
        self.by_stored_name: Mapping[str, ClassNames] = {
            each.stored_name: each for each in self.classes.values()
        }
        """By stored name of the class."""

    @cached_property
    def is_identity(self) -> bool:
        """Whether the model and its stored model have the same names."""
        return all(each.is_identity for each in self.classes.values())

    @cached_property
    def stored_model(self) -> Model:
        """The model in which all classes, attributes, roles and enum values have their stored names.

        It has no grants, warnings and derivations, which no store needs.
        """
        if self.is_identity:
            return self._model
        enumerations = {name: _stored_enumeration(each) for name, each in self._model.enumerations.items()}
        types = {name: EnumType(name, each.values) for name, each in enumerations.items()}
        return replace(
            self._model,
            classes=_renamed(
                {each.stored_name: self._stored_class(each, types) for each in self.classes.values()}
            ),
            enumerations=_renamed(enumerations),
        )

    def _stored_class(self, names: ClassNames, types: Mapping[str, EnumType]) -> Class:
        class_ = self._model.classes[names.name]
        stored = names.to_stored
        return replace(
            class_,
            name=names.stored_name,
            attributes=_renamed(
                {
                    stored[name]: _stored_attribute(names, each, types)
                    for name, each in class_.attributes.items()
                }
            ),
            roles=_renamed(
                {stored[name]: self._stored_role(names, each) for name, each in class_.roles.items()}
            ),
            uniques=tuple(Unique(tuple(stored[name] for name in each.attributes)) for each in class_.uniques),
            indexes=tuple(Index(tuple(stored[name] for name in each.attributes)) for each in class_.indexes),
            warnings=(),
            grants=(),
            renamed_from=None,
        )

    def _stored_role(self, names: ClassNames, role: Role) -> Role:
        target = self.classes[role.target]
        return replace(
            role,
            name=names.to_stored[role.name],
            target=target.stored_name,
            opposite=None if role.opposite is None else target.to_stored[role.opposite],
            renamed_from=None,
        )


def _renamed(mapping: Mapping[str, T]) -> Mapping[str, T]:
    return MappingProxyType(dict(mapping))


def _stored_enumeration(each: Enumeration) -> Enumeration:
    values = {each.renamed_from.get(value, value): text for value, text in each.values.items()}
    return Enumeration(each.name, MappingProxyType(values), each.description)


def _stored_attribute(names: ClassNames, each: Attribute, types: Mapping[str, EnumType]) -> Attribute:
    return replace(
        each,
        name=names.to_stored[each.name],
        type=types.get(each.type.name, each.type),
        default=names.value_to_stored(each.name, each.default),
        renamed_from=None,
    )
