"""A valid model is read completely."""

from pathlib import Path

import pytest

from stratabase.core.model.attribute import Attribute, Derivation, Origin
from stratabase.core.model.constraints.allowed_texts import AllowedTexts
from stratabase.core.model.constraints.allowed_values import AllowedValues
from stratabase.core.model.constraints.decimal_digits import DecimalDigits
from stratabase.core.model.constraints.email import EmailAddress
from stratabase.core.model.constraints.file_limits import FileExtensions, FileSize
from stratabase.core.model.constraints.text_length import TextLength
from stratabase.core.model.constraints.value_range import ValueRange
from stratabase.core.model.language import language_text
from stratabase.core.model.model import (
    Action,
    Class,
    ClassKind,
    Enumeration,
    Grant,
    Index,
    Model,
    PlatformAttribute,
    Profile,
    Role,
    Unique,
    WarningDefinition,
)
from stratabase.core.model.reading import InvalidModel, read_model, read_model_file
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.operators import Aggregate

SMALL = Path(__file__).parents[1] / "models" / "small.graphql"

ARTICLE = Class(
    name="Article",
    attributes={
        "code": Attribute(
            "code",
            TYPES["String"],
            required=True,
            constraints=(TextLength(2, 5, 255), AllowedTexts(("[A-Z]+",))),
            description="As printed.",
        ),
        "name": Attribute("name", TYPES["Text"]),
        "price": Attribute(
            "price",
            TYPES["Real"],
            constraints=(ValueRange("0.5", "1000"), DecimalDigits(2)),
        ),
        "size": Attribute("size", TYPES["Int"], constraints=(AllowedValues((1, 2)),)),
        "since": Attribute("since", TYPES["Date"], constraints=(ValueRange("2020-01-31"),)),
        "picture": Attribute(
            "picture",
            TYPES["File"],
            constraints=(FileExtensions(("png",)), FileSize(10)),
        ),
        "shelf_name": Attribute(
            "shelf_name",
            TYPES["String"],
            origin=Origin.DERIVED,
            derivation=Derivation(path=("shelf", "name")),
        ),
        "double": Attribute(
            "double",
            TYPES["Real"],
            origin=Origin.DERIVED,
            derivation=Derivation(expression="price * 2"),
        ),
        "_createdon": Attribute("_createdon", TYPES["Datetime"], origin=Origin.PLATFORM),
        "_ownedby": Attribute("_ownedby", TYPES["String"], origin=Origin.PLATFORM),
    },
    roles={
        "shelf": Role(
            "shelf",
            "Shelf",
            required=True,
            opposite="articles",
            holds_key=True,
            description="Where it stands.",
        ),
        "labels": Role("labels", "Label", many=True, opposite="article_", composition=True),
    },
    uniques=(Unique(("code",)),),
    indexes=(Index(("name", "price")),),
    warnings=(WarningDefinition("cheap", "price < 1", "Too cheap.", blocking=True),),
    grants=(
        Grant("Clerk", frozenset({Action.READ, Action.EDIT}), where="price < 10"),
        Grant("Clerk", frozenset({Action.READ}), field="price"),
    ),
    platform=frozenset({PlatformAttribute.CREATED_ON, PlatformAttribute.OWNED_BY}),
    versioned=True,
    description="What is sold.",
)
SHELF = Class(
    name="Shelf",
    attributes={
        "name": Attribute(
            "name", TYPES["String"], constraints=(TextLength(type_maximum=255), EmailAddress())
        ),
        "stock": Attribute(
            "stock",
            TYPES["Int"],
            origin=Origin.DERIVED,
            derivation=Derivation(path=("articles",), aggregate=Aggregate.COUNT),
        ),
    },
    roles={
        "articles": Role("articles", "Article", many=True, opposite="shelf"),
        "front": Role("front", "Label", opposite="shelf", composition=True),
        "next": Role("next", "Shelf", opposite="previous", holds_key=True),
        "previous": Role("previous", "Shelf", opposite="next"),
        "similar": Role("similar", "Shelf", many=True),
    },
)
LABEL = Class(
    name="Label",
    attributes={"text": Attribute("text", TYPES["String"], constraints=(TextLength(type_maximum=255),))},
    roles={
        "also_on": Role("also_on", "Shelf", many=True, required=True),
        "article_": Role("article_", "Article", opposite="labels", whole=True),
        "shelf": Role("shelf", "Shelf", opposite="front", whole=True),
    },
    part=True,
)
TILL = Class(
    name="Till",
    kind=ClassKind.SINGLETON,
    attributes={"open": Attribute("open", TYPES["Boolean"])},
    exposed=False,
)
MODEL = Model(
    application="Shop",
    classes={one.name: one for one in (ARTICLE, SHELF, LABEL, TILL)},
    enumerations={
        "Weather": Enumeration("Weather", {"SUNNY": "Without clouds.", "RAINY": None}, "The weather.")
    },
    profiles={"Owner": Profile("Owner", administrator=True), "Clerk": Profile("Clerk")},
)


@pytest.fixture(scope="module")
def small() -> Model:
    return read_model_file(SMALL)


@pytest.mark.parametrize("one", MODEL.classes.values(), ids=MODEL.classes)
def test_each_class_is_read_as_written(small: Model, one: Class) -> None:
    assert small.classes[one.name] == one


def test_the_whole_model_is_read_in_its_order(small: Model) -> None:
    assert small == MODEL
    assert list(small.classes) == list(MODEL.classes)
    for one in MODEL.classes.values():
        assert list(small.classes[one.name].attributes) == list(one.attributes)
        assert list(small.classes[one.name].roles) == list(one.roles)


def test_a_model_is_frozen(small: Model) -> None:
    with pytest.raises(TypeError):
        small.classes["New"] = TILL  # type: ignore[index] # that is the point
    with pytest.raises(TypeError):
        del small.classes["Shelf"].attributes["name"]  # type: ignore[attr-defined] # that is the point


def test_an_attribute_may_be_of_an_enum() -> None:
    model = read_model('extend schema @application(name: "A") type B { x: E! } enum E { F G }', "m")
    assert (model.classes["B"].attributes["x"].type.name, model.classes["B"].attributes["x"].required) == (
        "E",
        True,
    )


def test_a_part_of_one_whole_requires_it() -> None:
    text = 'extend schema @application(name: "A") type B { p: [P!] @composition } type P { x: Int }'
    part = read_model(text, "m").classes["P"]
    assert part.roles["b_"] == Role("b_", "B", required=True, opposite="p", whole=True)
    assert (part.part, part.exposed) == (True, False)


def test_a_model_may_include_the_directive_definitions() -> None:
    """The definitions may be with or without their descriptions."""
    own = language_text()
    assert read_model(SMALL.read_text(encoding="utf-8") + own, "m") == MODEL
    with pytest.raises(InvalidModel, match="can't define directives"):
        read_model(SMALL.read_text(encoding="utf-8") + "directive @association on FIELD_DEFINITION", "m")
