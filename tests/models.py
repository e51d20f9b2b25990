"""Small models for tests."""

from types import MappingProxyType

from stratabase.model.attribute import Attribute, Domain, Origin
from stratabase.model.class_ import Class, PlatformAttribute, Unique
from stratabase.model.model import Enumeration, Model, Profile
from stratabase.model.types import TYPES, enumeration

COLOUR = Enumeration("Colour", {"RED": None, "GREEN": "Like grass.", "BLUE": None})


def attribute(name: str, type_: str, *, required: bool = False, domain: Domain | None = None) -> Attribute:
    """Return a native attribute of a type known by its name."""
    return Attribute(name, TYPES[type_], required=required, domain=domain or Domain())


def class_(name: str, *attributes: Attribute, uniques: tuple[Unique, ...] = ()) -> Class:
    """Return an ordinary class."""
    return Class(name, attributes=MappingProxyType({each.name: each for each in attributes}), uniques=uniques)


def model(*classes: Class, enumerations: tuple[Enumeration, ...] = ()) -> Model:
    """Return a model with one administrator's profile."""
    return Model(
        "Test",
        MappingProxyType({each.name: each for each in classes}),
        MappingProxyType({each.name: each for each in enumerations}),
        MappingProxyType({"Administrator": Profile("Administrator", administrator=True)}),
    )


THING = Class(
    "Thing",
    attributes=MappingProxyType(
        {
            each.name: each
            for each in (
                attribute("name", "String", required=True, domain=Domain(max_length=10)),
                attribute("code", "String"),
                attribute("notes", "Text"),
                attribute("count", "Int", domain=Domain(minimum=0)),
                attribute("price", "Real"),
                attribute("good", "Boolean"),
                attribute("day", "Date"),
                attribute("hour", "Time"),
                attribute("moment", "Datetime"),
                attribute("vintage", "Year"),
                attribute("picture", "File"),
                Attribute("colour", enumeration(COLOUR)),
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
