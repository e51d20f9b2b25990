"""Small models and functions that build them."""

from types import MappingProxyType
from typing import Any

from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.constraints import build_constraints
from stratabase.core.model.constraints.base import Violation
from stratabase.core.model.model import (
    Class,
    DefaultAccess,
    Enumeration,
    Model,
    PlatformAttribute,
    Profile,
    Unique,
)
from stratabase.core.model.types import FOLDED_TYPES, TYPES
from stratabase.core.model.types.enumeration import EnumType
from stratabase.values.formats.preferences import Formats

PROFILES = MappingProxyType(
    {
        "Administrator": Profile("Administrator", administrator=True),
        "Member": Profile("Member", access=DefaultAccess.FULL),
        "Clerk": Profile("Clerk", access=DefaultAccess.FULL),
    }
)
"""The profiles of all models that `model` returns: all of them may do everything."""
COLOUR = Enumeration("Colour", {"RED": None, "GREEN": "Like grass.", "BLUE": None})


def attribute(name: str, type_: str, *, required: bool = False, **arguments: Any) -> Attribute:
    """Return a native attribute of a type known by its name, with arguments of `@domain` or `@file`."""
    known = TYPES[type_]
    return Attribute(name, known, required=required, constraints=build_constraints(known, arguments))


def violations(type_: str, stored: Any, formats: Formats | None = None, **arguments: Any) -> list[Violation]:
    """Return the reasons why an attribute with these arguments of `@domain` or `@file` refuses a value."""
    return list(attribute("a", type_, **arguments).violations(stored, formats))


def class_(name: str, *attributes: Attribute, uniques: tuple[Unique, ...] = ()) -> Class:
    """Return an ordinary class."""
    return Class(name, attributes=MappingProxyType({each.name: each for each in attributes}), uniques=uniques)


def model(*classes: Class, enumerations: tuple[Enumeration, ...] = ()) -> Model:
    """Return a model of these classes with the profiles of PROFILES."""
    return Model(
        "Test",
        MappingProxyType({each.name: each for each in classes}),
        MappingProxyType({each.name: each for each in enumerations}),
        PROFILES,
    )


THING = Class(
    "Thing",
    attributes=MappingProxyType(
        {
            each.name: each
            for each in (
                attribute("name", "String", required=True, maxLength=10),
                attribute("code", "String"),
                attribute("notes", "Text"),
                attribute("count", "Int", min="0"),
                attribute("price", "Real"),
                attribute("good", "Boolean"),
                attribute("day", "Date"),
                attribute("hour", "Time"),
                attribute("moment", "Datetime"),
                attribute("vintage", "Year"),
                attribute("picture", "File"),
                Attribute("colour", EnumType(COLOUR.name, COLOUR.values)),
                Attribute("alias", FOLDED_TYPES["String FOLDED"]),
                Attribute("remark", FOLDED_TYPES["Text FOLDED_NO_ACCENTS"]),
                Attribute("_createdby", TYPES["String"], origin=Origin.PLATFORM),
                Attribute("_createdon", TYPES["Datetime"], origin=Origin.PLATFORM),
                Attribute("_lastmodifiedby", TYPES["String"], origin=Origin.PLATFORM),
                Attribute("_lastmodifiedon", TYPES["Datetime"], origin=Origin.PLATFORM),
            )
        }
    ),
    uniques=(Unique(("code",)),),
    platform=frozenset(
        {
            PlatformAttribute.CREATED_BY,
            PlatformAttribute.CREATED_ON,
            PlatformAttribute.LAST_MODIFIED_BY,
            PlatformAttribute.LAST_MODIFIED_ON,
        }
    ),
)
"""A class with an attribute of every type that has a place in the API."""

THINGS = model(THING, enumerations=(COLOUR,))
